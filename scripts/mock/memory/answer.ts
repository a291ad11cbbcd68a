/** Answers from memory: what a client creates, changes and deletes comes back in its later requests. */

import type { RequestContext } from '../../../src/http/contract/dispatch.ts';
import { toKeyedRequest } from '../../../src/http/contract/idempotency.ts';
import { idempotencyKeyReused } from '../../../src/terms/errors.ts';
import { advanceImports } from './imports.ts';
import { visibleTo } from './key-callers.ts';
import { accountAnswers } from './operations/account.ts';
import type { MemoryAnswers, MemoryContext } from './operations/answer-types.ts';
import { attributeAnswers } from './operations/attributes.ts';
import { documentAnswers } from './operations/documents.ts';
import { downloadAnswers } from './operations/downloads.ts';
import { keyAnswers } from './operations/keys.ts';
import { knowledgeBaseAnswers } from './operations/knowledge-bases.ts';
import { queryAnswers } from './operations/query.ts';
import { queryHistoryAnswers } from './operations/query-history.ts';
import { synonymAnswers } from './operations/synonyms.ts';
import { uploadAnswers } from './operations/uploads.ts';
import { webhookAnswers } from './operations/webhooks.ts';
import type { State } from './state.ts';

/** All operations of the spec: a missing one is an error of the compiler. */
const ANSWERS: MemoryAnswers = {
  ...accountAnswers,
  ...attributeAnswers,
  ...documentAnswers,
  ...downloadAnswers,
  ...keyAnswers,
  ...knowledgeBaseAnswers,
  ...queryAnswers,
  ...queryHistoryAnswers,
  ...synonymAnswers,
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
  const visible = visibleTo(state, caller);
  const answer = async () =>
    await perform(input as never, { state: visible, caller, origin, byteBody, signal });
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
