/** Looks up many names in few calls. One call looks up all names that were requested during the call before it. */
import { withTimeout } from './timeout.ts';

/** The next call does not wait longer than this for a slow one, which may be on a dead connection. */
const SLOW_CALL_MS = 200;

/**
 * Returns a function that looks up one name. It calls `lookUp` with many distinct names at a time.
 * @throws the error of `lookUp`, for each name of that call
 */
export function inBatches<Answer>(
  lookUp: (names: string[]) => Promise<(name: string) => Answer>,
): (name: string) => Promise<Answer> {
  const pending = new Map<string, Promise<Answer>>();
  let nextBatch: { names: string[]; answers: Promise<(name: string) => Answer> } | undefined;
  let previousCall: Promise<unknown> = Promise.resolve();

  const openBatch = () => {
    const names: string[] = [];
    const answers = previousCall.then(() => {
      nextBatch = undefined;
      const call = lookUp(names).finally(() => {
        for (const name of names) pending.delete(name);
      });
      previousCall = withTimeout(
        call.catch(() => {}),
        SLOW_CALL_MS,
        () => {},
      );
      return call;
    });
    return { names, answers };
  };
  return (name) => {
    const known = pending.get(name);
    if (known) return known;
    nextBatch ??= openBatch();
    nextBatch.names.push(name);
    const answer = nextBatch.answers.then((answerOf) => answerOf(name));
    pending.set(name, answer);
    return answer;
  };
}
