/** Calls routes of the tests' service that are no operation. */
import { inject } from 'vitest';
import { requireContract } from '../../../src/contract-check/requests/answer-contract.ts';
import { type Answer, exchange, type Sent } from '../../../src/contract-check/requests/exchange.ts';

/** Sends a request to a route that is no operation. Rejects an answer that violates the contract. */
export async function requestRoute(sent: Sent): Promise<Answer> {
  const answer = await exchange(inject('address'), sent);
  requireContract(undefined, answer);
  return answer;
}
