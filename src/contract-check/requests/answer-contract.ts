/** Checks answers against the spec: status, body, headers, and the one status of each errorCode. */
import type { ValidateFunction } from 'ajv';
import type { ErrorCode } from '../../../generated/types.gen.ts';
import { ajv, operationOf, STATUS_OF, schemas } from '../spec/read-spec.ts';
import type { OperationId } from '../spec/routes.ts';
import type { Answer } from './exchange.ts';

/** An answer may only have fields of the spec: an undocumented field is a leak or a gap in the spec. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, closed(value)]);
  return { ...('properties' in schema && { additionalProperties: false }), ...Object.fromEntries(entries) };
}

/** Returns a value's violations of its schema; empty if it is valid. */
type Check = (value: unknown) => string[];

/** A search result that lacks a required field. A query that names the fields that it wants gets no others. */
const UNSELECTED = /^\/data\/\d+ must have required property /;

/** Whether the body of a request selects fields of results. */
export const selectsFields = (body: unknown): boolean =>
  typeof body === 'string' && body.includes('"fields"');

/** The checks of one documented response: its body and each of its headers. */
type ResponseContract = { body: Check; headers: Map<string, Check> };

const checkBy =
  (validate: ValidateFunction): Check =>
  (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);

const compile = (schema: unknown): Check => checkBy(ajv.compile(closed(schema) as object)); // an object stays one

/** Numbers in headers are text. */
function compileHeader({ schema, required }: { schema: { type: string }; required: boolean }): Check {
  const check = compile(schema);
  return (value) => {
    if (value === undefined && !required) return [];
    return check(schema.type === 'integer' ? Number(value) : value);
  };
}

type Response = ReturnType<typeof operationOf>['responses'][string];

const compileResponse = ({ content, headers = {} }: Response): ResponseContract => ({
  body: compile(content['application/json'].schema),
  headers: new Map(
    Object.entries(headers).map(([name, header]) => [
      name.toLowerCase(),
      compileHeader(header as Parameters<typeof compileHeader>[0]), // OpenAPI 3.0, as the linters check
    ]),
  ),
});

const compiled = new Map<Response, ResponseContract>();

/** The spec's response for this status of an operation; `default` where it does not document the status. */
function contractOf(operationId: OperationId, status: number): ResponseContract {
  const { responses } = operationOf(operationId);
  const response = responses[status] ?? responses.default;
  if (response === undefined) throw new Error(`${operationId} documents neither ${status} nor a default`);
  const contract = compiled.get(response) ?? compileResponse(response);
  compiled.set(response, contract);
  return contract;
}

/** The contract of all routes that are no operation: upload addresses, unknown paths. */
const envelope = ajv.compile({
  oneOf: [
    {
      type: 'object',
      required: ['success', 'data'],
      properties: { success: { const: true }, data: { type: 'object' } },
      additionalProperties: false,
    },
    {
      type: 'object',
      required: ['success', 'message', 'errorCode', 'data'],
      properties: {
        success: { const: false },
        message: schemas.ErrorMessage,
        errorCode: schemas.ErrorCode,
        data: { type: 'object' },
      },
      additionalProperties: false,
    },
  ],
});

const otherRoute: ResponseContract = {
  body: checkBy(envelope),
  headers: new Map([['x-request-id', contractOf('getUsage', 200).headers.get('x-request-id') ?? (() => [])]]),
};

function statusProblems({ status, body }: Answer): string[] {
  const { errorCode } = (body ?? {}) as { errorCode?: ErrorCode }; // the envelope's schema has been checked before
  const right = errorCode === undefined ? 200 : STATUS_OF[errorCode];
  return status === right ? [] : [`status ${status} with errorCode ${errorCode}`];
}

const CONTENT_TYPE = 'application/json; charset=utf-8';

const checkContentType: Check = (value) =>
  value === CONTENT_TYPE ? [] : [`is ${value ?? 'missing'}, not ${CONTENT_TYPE}`];

/** An answer breaks the contract. `operationId` undefined: the answer of a route that is no operation. */
export class BrokenContract extends Error {
  readonly operationId: OperationId | undefined;
  readonly answer: Answer;

  constructor(operationId: OperationId | undefined, answer: Answer, problems: string[]) {
    const route = operationId ?? 'a route that is no operation';
    super(
      `${route} answered ${answer.status} against the contract: ${problems.join('; ')}\n${answer.text.slice(0, 1000)}`,
    );
    this.operationId = operationId;
    this.answer = answer;
  }
}

/**
 * Checks an answer of an operation, or of another route (undefined), against the contract. `isSelection`: the request
 * has selected fields of results.
 * @throws a BrokenContract that lists all violations
 */
export function requireContract(
  operationId: OperationId | undefined,
  answer: Answer,
  isSelection = false,
): void {
  const contract = operationId === undefined ? otherRoute : contractOf(operationId, answer.status);
  const headers = [...contract.headers, ['content-type', checkContentType] as const];
  const problems = [
    ...contract.body(answer.body).filter((problem) => !(isSelection && UNSELECTED.test(problem))),
    ...headers.flatMap(([name, check]) =>
      check(answer.headers[name]).map((text) => `header ${name}: ${text}`),
    ),
    ...statusProblems(answer),
  ];
  if (problems.length > 0) throw new BrokenContract(operationId, answer, problems);
}
