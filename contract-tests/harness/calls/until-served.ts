/** Requests of tests that count, at a service that sheds load while the machine has other work. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../../../src/contract-check/requests/exchange.ts';

/** Between a refusal and the next try. */
const PAUSE_MS = 100;

/** Sends a request again while the service refuses it with 503, which costs and changes nothing. */
export async function untilServed(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
    await delay(PAUSE_MS);
  }
}
