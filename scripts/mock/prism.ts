/** Prism, the engine of @stoplight/prism-cli, as a library: returns answers from the examples of the spec. */
import { fileURLToPath } from 'node:url';
import { createLogger } from '@stoplight/prism-core';
import { createInstance, getHttpOperationsFromSpec } from '@stoplight/prism-http';
import type { ErrorCode } from '../../generated/types.gen.ts';
import { STATUS_OF } from '../../src/terms/errors.ts';

/** Prism logs every step of every answer. */
const logger = createLogger('mock', { level: 'silent' });

const spec = fileURLToPath(new URL('../../spec/openapi.yaml', import.meta.url));

type Operation = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>[number];

/** A named example of an answer; `body` is the whole envelope. */
export type Example = { name: string; body: unknown };

/** The possible answers of one operation: examples by status (`default` as 500). */
export type Answers = Map<string, Example[]>;

/** The requested answer; without `example` the first one of this status. */
export type Wanted = { status: number; example?: string | undefined };

/** An answer from the spec; `headers` by their names in the spec. */
export type SpecAnswer = { body: unknown; headers: Record<string, unknown> };

/** The answers in the spec. Both functions throw if the spec has no such answer. */
export type Prism = {
  /** The examples of all successes, of every operation. */
  successes: Example[];
  answersOf(operationId: string): Answers;
  answer(operationId: string, wanted: Wanted): Promise<SpecAnswer>;
};

/** The HTTP layer validates requests before, and tests validate the examples. */
const UNCHECKED = {
  isProxy: false,
  checkSecurity: false,
  validateRequest: false,
  validateResponse: false,
  errors: false,
  upstreamProxy: undefined,
} as const;

/** The status of the spec's `default`, for statuses that no operation documents. */
const DEFAULT_STATUS = '500';

/** `default` also has examples for requests that reach no operation. They belong to no operation. */
function belongsTo(status: string, { body }: Example): boolean {
  const { errorCode } = body as { errorCode?: ErrorCode }; // an envelope; spec-examples.test.ts
  return errorCode === undefined || STATUS_OF[errorCode] === Number(status);
}

function answersOf({ responses }: Operation): Answers {
  return new Map(
    responses.map(({ code, contents = [] }) => {
      const status = code === 'default' ? DEFAULT_STATUS : code;
      const examples = contents
        .flatMap(({ examples = [] }) => examples)
        .map((example) => ({ name: example.key, body: 'value' in example ? example.value : undefined }));
      return [status, examples.filter((example) => belongsTo(status, example))];
    }),
  );
}

/**
 * Gets an answer from Prism.
 * @throws Prism's problem when the operation has no such answer
 */
async function requestAnswer(operation: Operation, { status, example }: Wanted): Promise<SpecAnswer> {
  const { method, path } = operation;
  // No headers: Prism would look for an example of the type in Accept, which the service does not read.
  const request = { method: method as 'get', url: { path, query: {} }, headers: {} }; // the spec's, in lower case
  const mock = { dynamic: false, code: status, ...(example !== undefined && { exampleKey: example }) };
  const prism = createInstance({ ...UNCHECKED, mock }, { logger });
  const result = await prism.request(request, [operation])();
  if (result._tag === 'Left') throw result.left;
  const { body, headers = {} } = result.right.output;
  return { body, headers };
}

function requireIn<Value>(map: Map<string, Value>, operationId: string): Value {
  const value = map.get(operationId);
  if (value === undefined) throw new Error(`the spec has no operation ${operationId}`);
  return value;
}

/** Reads the spec; takes a third of a second. */
export async function createPrism(): Promise<Prism> {
  const read = await getHttpOperationsFromSpec(spec);
  const operations = new Map(read.map((operation) => [operation.iid ?? '', operation]));
  const answers = new Map([...operations].map(([id, operation]) => [id, answersOf(operation)]));
  /** Cached: the answers do not change, and Prism takes a millisecond or two for each. */
  const cached = new Map<string, Promise<SpecAnswer>>();

  return {
    successes: [...answers.values()].flatMap((byStatus) => byStatus.get('200') ?? []),
    answersOf: (operationId) => requireIn(answers, operationId),
    async answer(operationId, wanted) {
      const key = `${operationId} ${wanted.status} ${wanted.example ?? ''}`;
      const answer = cached.get(key) ?? requestAnswer(requireIn(operations, operationId), wanted);
      cached.set(key, answer);
      return await answer;
    },
  };
}
