/** The HTTP application: request id, error boundary, the routes beside the contract, and the contract's operations. */
import type { RequestListener } from 'node:http';
import cors from '@koa/cors';
import Koa, { type Context, type Middleware, type Next } from 'koa';
import type { Logger } from 'pino';
import { allowedOrigin, type CorsOrigins } from '../config/cors.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import {
  clientHungUp,
  routeNotFound,
  ServiceError,
  toErrorEnvelope,
  toServiceError,
} from '../terms/errors.ts';
import { type KeyReader, keyOfHeader } from './access/console-session.ts';
import { requestIdOf } from './access/request-id.ts';
import { EXPOSED_HEADERS, SECURITY_HEADERS } from './access/security-headers.ts';
import { loggedPath, observeRequests } from './access-log.ts';
import type { Admission } from './capacity/admission.ts';
import { laneOf } from './capacity/admission-lanes.ts';
import { refuseEarly } from './capacity/early-refusals.ts';
import { type Backend, createDispatch, type ResponseCheck } from './contract/dispatch.ts';
import { createRoutes, type Routes } from './routes/routes.ts';

/** Node accepts request targets that are not URLs. All middleware after this one may parse the target. */
function requireTarget(context: Context, next: Next): Promise<void> {
  if (!URL.canParse(context.req.url ?? '', 'http://service')) {
    throw new ServiceError('MALFORMED_REQUEST', 'The request target is no URL.');
  }
  return next();
}

const SECURITY_FIELDS = new Map(Object.entries(SECURITY_HEADERS));

/** Names the request, and sets the header fields of every answer. Koa's `set` would take several times as long. */
function identify({ state, headers, res }: Context, next: Next): Promise<void> {
  state.requestId = requestIdOf(headers);
  res.setHeaders(SECURITY_FIELDS).setHeader('x-request-id', state.requestId);
  return next();
}

function answerError(context: Context, error: ServiceError): void {
  // Read the rest of a refused body: otherwise the next request on its connection is never read.
  context.req.resume();
  context.status = error.status;
  context.state.errorCode = error.errorCode;
  context.set(error.headers);
  context.body = toErrorEnvelope(error);
}

/** The only place where a thrown error becomes an answer. */
const errorBoundary =
  (log: Logger): Middleware =>
  async (context, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = context.req.readableAborted ? clientHungUp() : toServiceError(thrown);
      const { requestId } = context.state;
      if (error.status >= 500 && !error.isExpected) {
        log.error({ err: thrown, requestId, path: loggedPath(context.req.url) }, error.message);
      }
      answerError(context, error);
    }
  };

/** Waits for the request's permit. Requests of one account are admitted in order of arrival. */
const requirePermit =
  ({ admit }: Admission, keyOf: KeyReader): Middleware =>
  async (context, next) => {
    const permit = await admit(laneOf(context.path), {
      key: keyOf(context.req.headers),
      client: context.res,
    });
    context.state.permit = permit;
    try {
      // If the client has hung up meanwhile, no answer is needed.
      if (!context.req.socket.destroyed) await next();
    } finally {
      permit.release();
    }
  };

/** Checks every answer of an operation against the spec. An answer that breaks the contract becomes a 500. */
const contractBoundary =
  (log: Logger, check: ResponseCheck): Middleware =>
  async (context, next) => {
    await next();
    const { operationId, requestId, isSelection = false } = context.state;
    if (operationId === undefined) return;
    const problem = check(operationId, { status: context.status, body: context.body, isSelection });
    if (problem === undefined) return;
    const broken = new Error(`${operationId} answered ${context.status} against the spec: ${problem}`);
    log.error({ err: broken, requestId }, 'response breaks the contract');
    answerError(context, toServiceError(broken));
  };

const refuseRoute: Middleware = () => {
  throw routeNotFound();
};

const allowOrigins = (corsOrigins: CorsOrigins): Middleware =>
  cors({
    origin: (context) => allowedOrigin(corsOrigins, context.get('origin')) ?? '',
    exposeHeaders: EXPOSED_HEADERS,
  });

/** Without a `backend`, the application has only the routes. `corsOrigins`: the origins whose pages may call. */
type AppOptions = {
  backend?: Backend;
  routes: Routes;
  /** Admits calls of operations; undefined: all calls are admitted immediately. */
  admission?: Admission;
  /** Looks up an unknown key before its request is admitted; returns undefined where no look-up is needed. */
  lookUpUnknownKey?(key: string): Promise<boolean> | undefined;
  /** The key of a request. Default: from its header. */
  keyOf?: KeyReader;
  log: Logger;
  telemetry: Telemetry;
  corsOrigins: CorsOrigins;
  validateResponses: boolean;
  /** Whether the headers of a proxy are believed; false by default. */
  trustsProxy?: boolean;
  /** Sees all requests. */
  watch?: Middleware;
};

/** Creates the application as a request listener. It does not listen yet. */
export async function createApp({
  backend,
  routes,
  admission,
  lookUpUnknownKey = () => undefined,
  keyOf = keyOfHeader,
  log,
  telemetry,
  corsOrigins,
  validateResponses,
  trustsProxy = false,
  watch,
}: AppOptions): Promise<RequestListener> {
  const dispatch = backend && (await createDispatch(backend, { keyOf }));
  const app = new Koa({ proxy: trustsProxy });
  app.use(identify);
  if (watch) app.use(watch);
  app.use(observeRequests(log, telemetry));
  if (validateResponses && dispatch) app.use(contractBoundary(log, dispatch.checkResponse));
  app.use(errorBoundary(log));
  app.use(requireTarget);
  const answerRoute = createRoutes(routes).routes() as Middleware; // its type is that of Koa's own `use`
  // The router would compare the path of every operation with all of its routes.
  app.use((context, next) => (dispatch?.paths.has(context.path) ? next() : answerRoute(context, next)));
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins));
  if (admission) app.use(requirePermit(admission, keyOf));
  app.use(dispatch?.handle ?? refuseRoute);
  app.on('error', (error) => log.debug({ err: error }, 'connection broke while answering'));
  const answer = app.callback();
  if (!admission || !dispatch) return answer;
  const { paths } = dispatch;
  return refuseEarly(answer, { admission, lookUpUnknownKey, keyOf, paths, telemetry, log, corsOrigins });
}
