/** Looks up many names in few calls: one call asks for all names that arrived during the call before it. */
import { withTimeout } from '../timeout.ts';

/** A slower call, as on a dead connection, does not delay the next one. */
const PATIENCE_MS = 200;

/**
 * Returns a function that looks up one name by `ask`, which gets many distinct names at once.
 * @throws the error of `ask`, for each name of that call
 */
export function inBatches<Answer>(
  ask: (names: string[]) => Promise<(name: string) => Answer>,
): (name: string) => Promise<Answer> {
  const asked = new Map<string, Promise<Answer>>();
  let batch: { names: string[]; answers: Promise<(name: string) => Answer> } | undefined;
  let before: Promise<unknown> = Promise.resolve();

  const begin = () => {
    const names: string[] = [];
    const answers = before.then(() => {
      batch = undefined;
      const asking = ask(names).finally(() => {
        for (const name of names) asked.delete(name);
      });
      const settled = asking.catch(() => {});
      before = withTimeout(settled, PATIENCE_MS, () => {});
      return asking;
    });
    return { names, answers };
  };
  return (name) => {
    const running = asked.get(name);
    if (running) return running;
    batch ??= begin();
    batch.names.push(name);
    const answer = batch.answers.then((answerOf) => answerOf(name));
    asked.set(name, answer);
    return answer;
  };
}
