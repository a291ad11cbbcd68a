/** Answers from memory: what a client creates, changes and deletes comes back in its later requests. */
import { idempotencyKeyReused } from '../../../src/errors.ts';
import type { RequestContext } from '../../../src/http/dispatch.ts';
import { toKeyedRequest } from '../../../src/http/idempotency.ts';
import { accountAnswers } from './account.ts';
import type { MemoryAnswers, MemoryContext } from './answer-types.ts';
import { documentAnswers } from './documents.ts';
import { downloadAnswers } from './downloads.ts';
import { advanceImports } from './imports.ts';
import { knowledgeBaseAnswers } from './knowledge-bases.ts';
import { queryAnswers } from './query.ts';
import type { State } from './state.ts';
import { uploadAnswers } from './uploads.ts';
import { webhookAnswers } from './webhooks.ts';

/** All operations of the spec: a missing one is an error of the compiler. */
const ANSWERS: MemoryAnswers = {
  ...accountAnswers,
  ...documentAnswers,
  ...downloadAnswers,
  ...knowledgeBaseAnswers,
  ...queryAnswers,
  ...uploadAnswers,
  ...webhookAnswers,
};

/** The answers by the names of their operations. The spec has validated the input. */
const BY_NAME = new Map(
  Object.entries(ANSWERS) as [string, (input: never, context: MemoryContext) => object | Promise<object>][],
);

/**
 * The success body of an operation, without `success`. A repeat with the same Idempotency-Key gets the first answer.
 * @throws the refusals of the service
 */
export async function answerFromMemory(
  state: State,
  operationId: string,
  { input, request }: { input: unknown; request: RequestContext },
): Promise<object> {
  const { caller, header, origin, byteBody, signal } = request;
  advanceImports(state);
  const perform = BY_NAME.get(operationId);
  if (perform === undefined) throw new Error(`the mock has no operation ${operationId}`);
  const answer = async () => await perform(input as never, { state, origin, byteBody, signal });
  const keyed = toKeyedRequest(operationId, input, { caller, key: header('idempotency-key') });
  if (keyed === undefined) return await answer();
  const key = `${keyed.operation} ${keyed.key}`;
  const hash = keyed.hash.toString('hex');
  const kept = state.answers.get(key);
  if (kept !== undefined && kept.hash !== hash) throw idempotencyKeyReused();
  if (kept !== undefined) return kept.answer;
  const first = await answer();
  state.answers.set(key, { hash, answer: first });
  return first;
}
