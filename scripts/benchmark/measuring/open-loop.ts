/** Sends requests at fixed times, as many independent clients do, whether or not earlier ones have been answered. */
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Sends `perSecond` requests a second until `ended`, without waiting for earlier answers (an open loop). `send` gets
 * the time at which its request is due, in milliseconds of `performance.now()`.
 * @returns milliseconds from when each request was due, not from when it was sent: a stall counts for all due requests
 */
export async function observe(
  send: (due: number) => Promise<unknown>,
  { perSecond, ended }: { perSecond: number; ended: Promise<unknown> },
): Promise<number[]> {
  let isOver = false;
  const over = ended.finally(() => {
    isOver = true;
  });
  over.catch(() => undefined); // reported below, once the requests are through
  const answers: Promise<number>[] = [];
  const start = performance.now();
  const nextDue = () => start + (answers.length * 1000) / perSecond;
  const sendOne = () => {
    const due = nextDue();
    const answer = send(due).then(() => performance.now() - due);
    answer.catch(() => undefined); // likewise
    answers.push(answer);
  };
  while (!isOver) {
    while (nextDue() <= performance.now()) sendOne();
    await delay(Math.max(0, nextDue() - performance.now()));
  }
  await over;
  return await Promise.all(answers);
}
