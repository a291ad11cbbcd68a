/**
 * Takes a request through the spec's checks to its answer: route, key, rate limit, scope, body, validation, answer.
 * Only this file and openapi-backend-insides.ts use openapi-backend.
 */
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { Context } from 'koa';
import {
  type Document,
  type Context as Match,
  OpenAPIBackend,
  type Operation,
  type Request,
  ValidationContext,
} from 'openapi-backend';
import { nearestName } from '../../analysis/edits/near-name.ts';
import {
  clientHungUp,
  methodNotAllowed,
  routeNotFound,
  unauthorized,
  validationFailed,
} from '../../terms/errors.ts';
import {
  type Caller,
  type Demand,
  type FilterHeed,
  type RequiredScope,
  requireScope,
} from '../access/authenticate.ts';
import { type KeyReader, keyOfHeader } from '../access/console-session.ts';
import { originOf } from '../access/origin.ts';
import type { Permit } from '../capacity/admission.ts';
import type { RequestedWait } from '../capacity/requested-wait.ts';
import { type ByteBody, openByteBody, requireByteBody } from './byte-body.ts';
import { withFilter } from './filter-values.ts';
import { openJsonParameters } from './json-parameters.ts';
import { keepRoutes } from './openapi-backend-insides.ts';
import { readValues, type TypedParameters } from './query-values.ts';
import { boundRecursion, cutRecursion, followRecursion, RECURSION_OPTIONS } from './recursive-schemas.ts';
import { type BodyBounds, boundsOfBody, readJsonBody } from './request-body.ts';
import { readSpec, type Spec } from './spec.ts';
import { AJV_OPTIONS, toValidationError } from './validation-error.ts';

/** What the service knows of a request besides its input. The costly parts are functions, computed when called. */
export type RequestContext = {
  caller: Caller;
  /** A header of the request; `''` where it has none of this name. */
  header(name: string): string;
  /** The address at which the client has reached the service, `http://host`. */
  origin(): string;
  /** Runs `act` without the request's permit: see `Permit`. */
  withoutPermit: Permit['withoutPermit'];
  /** Waits as long as the client has asked for. The metrics leave this time out. */
  requestedWait<T>(wait: () => Promise<T>): Promise<T>;
  /** The time left for all waits of the request; undefined where requests are not admitted, as in the mock. */
  remainingWait: Permit['remainingWait'] | undefined;
  /** The body of an operation that takes the bytes of a file. They have not been read yet. */
  byteBody(): ByteBody;
  /** Aborts when the client hangs up. To create it takes a tenth of a small answer's time. */
  signal(): AbortSignal;
};

/** Answers the requests that have passed the spec's checks. Implemented by the service and the mock. */
export type Backend = {
  /** @throws UNAUTHORIZED */
  authenticate(key: string | undefined): Promise<Caller>;
  /**
   * Returns header fields for the answer, success or error.
   * @throws RATE_LIMITED
   */
  limitRate(keyId: string): Promise<Record<string, string>>;
  /** Turns the validated body or query of an operation into its success body without `success`. */
  answer(operationId: string, input: unknown, requestContext: RequestContext): Promise<object>;
};

type Parameter = Exclude<NonNullable<Operation['parameters']>[number], { $ref: string }>;

/** A request on its way through openapi-backend. `request` gets its body after the check of the key. */
type RoutedRequest = { context: Context; request: Request; caller?: Caller };

/**
 * Returns how a response breaks the spec; undefined: it does not. `isSelection`: the request names the fields of the
 * results that it wants, so those may lack required ones. OpenAPI has no words for that.
 */
export type ResponseCheck = (
  operationId: string,
  response: { status: number; body: unknown; isSelection: boolean },
) => string | undefined;

const RESULT_PATH = /^\/data\/\d+$/;

async function load(spec: Spec): Promise<OpenAPIBackend> {
  const api = new OpenAPIBackend({
    definition: cutRecursion(openJsonParameters(spec)) as Document, // OpenAPI 3.0, as the linters check
    strict: true,
    // Compiles validators at their first use, and does not check the spec itself, which the tests do: 10 ms instead
    // of 1.4 s.
    quick: true,
    coerceTypes: true,
    ajvOpts: { useDefaults: true, ...RECURSION_OPTIONS, ...AJV_OPTIONS },
    customizeAjv: (coercing, options, purpose) => {
      // Ajv would take 0x10, 1e1 and " 5" for numbers as well: see query-values.ts.
      const ajv =
        purpose === ValidationContext.Params ? new Ajv({ ...options, coerceTypes: false }) : coercing;
      // OpenAPI 3.0 lacks JSON Schema's keyword for the names of a map.
      ajv.addKeyword({ keyword: 'x-propertyNames', macro: (schema: object) => ({ propertyNames: schema }) });
      followRecursion(ajv, api.definition.components?.schemas ?? {});
      boundRecursion(ajv);
      return addFormats.default(ajv);
    },
  });
  await api.init();
  keepRoutes(api);
  return api;
}

/** Methods of each path, for the Allow header. */
function methodsByPath(api: OpenAPIBackend): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of api.router.getOperations()) {
    methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()]);
  }
  return methods;
}

/** The parameters of each operation that are no text. */
function typedParameters(api: OpenAPIBackend): Map<string, TypedParameters> {
  const namesOf = ({ parameters = [] }: Operation, isWanted: (parameter: Parameter) => boolean) =>
    parameters.flatMap((parameter) =>
      !('$ref' in parameter) && isWanted(parameter) ? [parameter.name] : [],
    );
  const isNumber = ({ schema = {} }: Parameter) => 'type' in schema && schema.type === 'integer';
  const isJson = ({ content }: Parameter) => content !== undefined;
  return new Map(
    api.router
      .getOperations()
      .map((operation) => [
        operation.operationId ?? '',
        { numbers: namesOf(operation, isNumber), json: namesOf(operation, isJson) },
      ]),
  );
}

/** The body that an operation takes, and the bounds of a legal one. */
type BodyLimit = { isJson: boolean } & BodyBounds;

function bodyLimits(api: OpenAPIBackend): Map<string, BodyLimit> {
  const limits = new Map<string, BodyLimit>();
  for (const { operationId = '', requestBody } of api.router.getOperations()) {
    if (requestBody === undefined || '$ref' in requestBody) continue;
    const { 'application/json': json, 'application/octet-stream': bytes } = requestBody.content;
    if (json !== undefined) limits.set(operationId, { isJson: true, ...boundsOfBody(json.schema) });
    else if (bytes?.schema !== undefined && 'maxLength' in bytes.schema)
      limits.set(operationId, { isJson: false, limitBytes: bytes.schema.maxLength ?? 0 });
    else throw new Error(`${operationId} takes a body of an unknown type or length`);
  }
  return limits;
}

const REQUIRED_SCOPES: readonly unknown[] = ['search', 'write', 'account'] satisfies RequiredScope[];

const FILTER_HEEDS: readonly unknown[] = ['visible', 'refused'] satisfies FilterHeed[];

/** The extensions of an operation that say what it demands of a key; checked before they are used. */
type StatedDemand = { 'x-required-scope'?: RequiredScope; 'x-keys-with-filter'?: FilterHeed };

/**
 * What each operation demands of a key, by its `x-required-scope` and `x-keys-with-filter`.
 * @throws when an operation states none: otherwise every key could call it, or one would see what its filter hides
 */
function demandsByOperation(api: OpenAPIBackend): Map<string, Demand> {
  return new Map(
    api.router.getOperations().map(({ operationId = '', ...operation }) => {
      const stated = operation as StatedDemand;
      const { 'x-required-scope': required, 'x-keys-with-filter': heed = 'refused' } = stated;
      if (required === undefined || !REQUIRED_SCOPES.includes(required))
        throw new Error(`${operationId} has no x-required-scope`);
      if ((required === 'search') !== 'x-keys-with-filter' in stated || !FILTER_HEEDS.includes(heed))
        throw new Error(`${operationId}: only one for keys of the scope search states x-keys-with-filter`);
      return [operationId, { required, heed }];
    }),
  );
}

/** An operation that is not known is for no key but those that may do everything. */
const MOST: Demand = { required: 'account', heed: 'refused' };

/** The permit of the request; undefined where requests are not admitted, as in the mock. */
const permitOf = ({ state }: Context): Permit | undefined => state.permit as Permit | undefined; // app.ts puts it there

const withoutPermitOf = (context: Context): Permit['withoutPermit'] =>
  permitOf(context)?.withoutPermit ?? ((act) => act());

/** Reads and parses the body. Releases the permit while the client still sends it, or while it waits for memory. */
async function readBody(context: Context, bounds: BodyBounds): Promise<unknown> {
  const read = () => readJsonBody(context.req, bounds, permitOf(context));
  return await (context.req.complete ? read() : withoutPermitOf(context)(read));
}

/** Registers the checks of a request, in the contract's order. */
function registerChecks(api: OpenAPIBackend, { authenticate, limitRate }: Backend, keyOf: KeyReader): void {
  const allowed = methodsByPath(api);
  const limits = bodyLimits(api);
  const typed = typedParameters(api);
  const demands = demandsByOperation(api);

  api.register({
    methodNotAllowed: ({ request }: Match) => {
      throw methodNotAllowed(allowed.get(request.path) ?? []);
    },
    // Not in the security handler: openapi-backend would turn a database error there into a 401.
    postRoutingHandler: async ({ operation }: Partial<Match>, routed: RoutedRequest) => {
      if (operation === undefined) return;
      routed.context.state.operationId = operation.operationId;
      routed.caller = await authenticate(keyOf(routed.context.req.headers) || undefined);
      routed.context.state.caller = routed.caller;
      routed.context.set(await limitRate(routed.caller.keyId));
      requireScope(routed.caller, demands.get(operation.operationId ?? '') ?? MOST);
    },
    unauthorizedHandler: () => {
      throw unauthorized();
    },
    postSecurityHandler: async ({ operation }: Match, { context, request }: RoutedRequest) => {
      const body = limits.get(operation.operationId ?? '');
      if (body?.isJson === false) requireByteBody(context.req, body.limitBytes);
      const query = readValues(context.query, typed.get(operation.operationId ?? ''));
      Object.assign(request, { query }); // its type allows only text, its validator allows any value
      if (body?.isJson) request.body = withFilter(await readBody(context, body));
      // openapi-backend would parse a string again.
      if (typeof request.body === 'string')
        throw validationFailed(['the body must be an object, not a string']);
    },
    validationFail: ({ validation }: Match) => {
      throw toValidationError(validation.errors ?? []);
    },
  });
  api.registerSecurityHandler('apiKey', (_match: Match, { caller }: RoutedRequest) => caller !== undefined);
}

async function runRequestedWait<T>({ state }: Context, wait: () => Promise<T>): Promise<T> {
  const requested: RequestedWait = state.requestedWait; // access-log.ts puts it there
  const end = requested.begin();
  try {
    return await wait();
  } finally {
    end();
  }
}

/** Aborts when the client has hung up or has its answer. */
function signalOf({ req, res }: Context): AbortSignal {
  const controller = new AbortController();
  if (req.socket.destroyed) controller.abort(clientHungUp());
  else res.once('close', () => controller.abort(clientHungUp()));
  return controller.signal;
}

/** Longer queries and pages block the event loop for one to twenty milliseconds. */
const LIGHT_QUERY_LENGTH = 1_000;
const LIGHT_PAGE_LENGTH = 100;

/** Whether the work for an operation's input would delay other accounts' requests. */
function isHeavy(input: object): boolean {
  const { query = '', limit = 0 } = input as { query?: string; limit?: number }; // by the spec, where it has them
  return query.length > LIGHT_QUERY_LENGTH || limit > LIGHT_PAGE_LENGTH;
}

function registerAnswers(api: OpenAPIBackend, { answer }: Backend): void {
  for (const { operationId = '' } of api.router.getOperations()) {
    api.register(operationId, async ({ request }: Match, { caller, context }: RoutedRequest) => {
      if (caller === undefined) throw unauthorized();
      const requestContext: RequestContext = {
        caller,
        header: (name) => context.get(name),
        origin: () => originOf(context),
        withoutPermit: withoutPermitOf(context),
        requestedWait: (wait) => runRequestedWait(context, wait),
        remainingWait: permitOf(context)?.remainingWait,
        byteBody: () => openByteBody(context.req),
        signal: () => signalOf(context),
      };
      const input: object = request.requestBody ?? request.query;
      context.state.isSelection = 'fields' in input;
      const work = () => answer(operationId, input, requestContext);
      const permit = permitOf(context);
      const body = await (permit && isHeavy(input) ? permit.runHeavy(work) : work());
      return { success: true, ...body };
    });
  }
}

/**
 * Prepares the operations of a spec, by default the service's.
 * @returns `handle`, which answers a request with its success body or throws. It sets the operation's id in
 * `context.state.operationId`, and the caller in `context.state.caller`. `checkResponse` checks an answer against the
 * spec. `paths` are the paths of the operations.
 */
export async function createDispatch(
  backend: Backend,
  { spec = readSpec(), keyOf = keyOfHeader }: { spec?: Spec; keyOf?: KeyReader } = {},
) {
  const api = await load(spec);
  registerChecks(api, backend, keyOf);
  registerAnswers(api, backend);
  const paths = new Set(api.router.getOperations().map(({ path }) => path));

  const handle = async (context: Context): Promise<void> => {
    const { method, path, headers } = context.request;
    // openapi-backend would ignore a trailing slash.
    if (!paths.has(path)) throw routeNotFound(nearestName(path, [...paths]));
    // Koa's types allow undefined values. `postSecurityHandler` adds the query and the body.
    const request = { method, path, headers } as Request;
    context.body = await api.handleRequest(request, { context, request } satisfies RoutedRequest);
  };
  const checkResponse: ResponseCheck = (operationId, { status, body, isSelection }) => {
    const { errors } = api.validateResponse(body, operationId, status);
    const isSelected = ({ keyword, instancePath }: ErrorObject) =>
      isSelection && keyword === 'required' && RESULT_PATH.test(instancePath);
    const problems = (errors ?? []).filter((error) => !isSelected(error));
    if (problems.length === 0) return undefined;
    return problems.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ');
  };
  return { handle, checkResponse, paths };
}
