/** Deletes what has an id, also where the answer to a first request was lost. */
import { KnowledgeRetrievalError, type KnowledgeRetrievalErrorCode } from '../errors.ts';

/**
 * After a lost answer, "not found" means that the lost request has deleted it: a success.
 * @throws the service's error, also `notFoundCode` when no answer was lost
 */
export async function deleteIdempotently(
  { id, notFoundCode }: { id: string; notFoundCode: KnowledgeRetrievalErrorCode },
  send: (onLostAnswer: () => void) => Promise<{ id: string }>,
): Promise<{ id: string }> {
  let hasLost = false;
  const onLostAnswer = () => {
    hasLost = true;
  };
  try {
    return await send(onLostAnswer);
  } catch (error) {
    const isGone = error instanceof KnowledgeRetrievalError && error.errorCode === notFoundCode;
    if (hasLost && isGone) return { id };
    throw error;
  }
}
