/** Looks many names up by few questions: a question asks for all names that came while the one before it ran. */
import { setTimeout as delay } from 'node:timers/promises';

/** A question that takes longer, as on a connection that is dead, holds up no further one. */
const PATIENCE_MS = 200;

/**
 * Gives a function that looks one name up by `ask`, which gets many names at once, each of them once.
 * @throws what `ask` throws for the names of that question
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
      const patience = delay(PATIENCE_MS, undefined, { ref: false });
      before = Promise.race([asking.catch(() => {}), patience]);
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
