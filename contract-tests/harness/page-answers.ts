/** Checks answers of pages, and those to noise, which may reach any route. */
import { requireContract } from '../../src/contract-check/requests/answer-contract.ts';
import type { Answer } from '../../src/contract-check/requests/exchange.ts';
import { OPERATION_IDS } from '../../src/contract-check/spec/routes.ts';

/** Content types of /docs, /openapi.json and /metrics; all other answers have the envelope's type. */
const PAGE_TYPE = /^(text\/(html|css|javascript|plain)|application\/json);/;

/**
 * Checks an answer of a page: its content, or a refusal in the envelope.
 * @throws an Error that lists all violations
 */
export function requirePage(answer: Answer): void {
  const { status, headers } = answer;
  if (status >= 400) {
    requireContract(undefined, answer);
    return;
  }
  const isRight = status === 304 || (status === 200 && PAGE_TYPE.test(headers['content-type'] ?? ''));
  if (!isRight) throw new Error(`a page answered ${status} with ${headers['content-type']}`);
}

/** Whether the spec documents the answer for any operation: a client that sends noise may reach any of them. */
export function isDocumented(answer: Answer): boolean {
  if (answer.status === 304 || answer.status === 100) return true;
  const checks = [...OPERATION_IDS, undefined].map((route) => () => requireContract(route, answer));
  return [() => requirePage(answer), ...checks].some((check) => {
    try {
      check();
      return true;
    } catch {
      return false;
    }
  });
}
