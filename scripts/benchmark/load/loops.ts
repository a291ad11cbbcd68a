/** Sends requests in an open or a closed loop, and notes what became of each. */
import { setTimeout as delay } from 'node:timers/promises';
import { isInterrupted } from '../../../contract-tests/harness/service/service-process.ts';
import { observe } from '../measuring/open-loop.ts';

/** The code of a request that was answered well. */
export const ANSWERED = 'answered';
/** The code of a request that was due while too many others waited for their answers. */
export const NOT_SENT = 'not sent';

/**
 * What became of a request.
 *
 * - `dueMs`: when it was due, in milliseconds since the beginning of the loop.
 * - `lateMs`: by how much this process sent it late. In a closed loop a request is due when it is sent.
 * - `ms`: from when it was due to the end of the answer.
 * - `code`: ANSWERED, the code of the error, or NOT_SENT.
 */
export type Outcome = { dueMs: number; lateMs: number; ms: number; code: string };

/** Sends one request. Resolves with its code, also after an error. */
export type Send = () => Promise<string>;

/** `connections`: clients that wait for each answer before they send the next request. */
export type ClosedLoop = { connections: number; seconds: number };
/** `perSecond`: requests that are sent whether or not earlier ones have been answered. */
export type OpenLoop = { perSecond: number; seconds: number };
export type Loop = ClosedLoop | OpenLoop;

/** Each waiting request of an open loop has a connection; a process may have 1,024 files open on many systems. */
const WAITING_MAX = 900;

/** An interruption is noticed within this time. */
const NOTICE_MS = 100;

/** Resolves after this time, or sooner when the run is interrupted. */
async function untilOver(ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (performance.now() < end && !isInterrupted())
    await delay(Math.min(NOTICE_MS, end - performance.now()));
}

async function runOpenLoop(send: Send, { perSecond, seconds }: OpenLoop): Promise<Outcome[]> {
  const begun: Omit<Outcome, 'ms'>[] = [];
  let waiting = 0;
  const start = performance.now();
  const sendDue = async (due: number) => {
    const outcome = { dueMs: due - start, lateMs: performance.now() - due, code: NOT_SENT };
    begun.push(outcome);
    if (waiting >= WAITING_MAX) return;
    waiting++;
    outcome.code = await send();
    waiting--;
  };
  const times = await observe(sendDue, { perSecond, ended: untilOver(1000 * seconds) });
  return begun.map((outcome, i) => ({ ...outcome, ms: times[i] ?? Number.NaN })); // one time for each request
}

async function runClosedLoop(send: Send, { connections, seconds }: ClosedLoop): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const start = performance.now();
  const client = async () => {
    for (let dueMs = 0; dueMs < 1000 * seconds && !isInterrupted(); dueMs = performance.now() - start) {
      const code = await send();
      outcomes.push({ dueMs, lateMs: 0, ms: performance.now() - start - dueMs, code });
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  return outcomes;
}

/** Runs a loop to its end, sooner after an interruption, and until all its requests have ended. */
export const runLoop = (send: Send, loop: Loop): Promise<Outcome[]> =>
  'perSecond' in loop ? runOpenLoop(send, loop) : runClosedLoop(send, loop);
