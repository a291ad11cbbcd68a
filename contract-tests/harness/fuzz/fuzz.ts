/**
 * Sends generated requests by number, and reports the answers that are faults. Each request can be repeated alone.
 */
import { hash } from 'node:crypto';
import fc from 'fast-check';
import type { InputValidationFailedError } from '../../../generated/types.gen.ts';
import { requireContract, selectsFields } from '../../../src/contract-check/requests/answer-contract.ts';
import { type Answer, exchange } from '../../../src/contract-check/requests/exchange.ts';
import type { RoutedRequest } from '../contract/good-requests.ts';
import { createInParallel } from '../create-in-parallel.ts';
import { isDocumented, requirePage } from '../page-answers.ts';

/** The longest wait that a client can ask for is 30 s; a request that takes longer hangs. */
export const HANG_MS = 45_000;

/** `count` requests, from number `from` of the sequence of `seed` on. */
export type FuzzSettings = { seed: number; from: number; count: number };

/** FUZZ_SEED=2 makes other requests. FUZZ_FROM=1234 FUZZ_COUNT=1 repeats one of them. */
export const readFuzzSettings = (count: number): FuzzSettings => ({
  seed: Number(process.env.FUZZ_SEED ?? 1),
  from: Number(process.env.FUZZ_FROM ?? 0),
  count: Number(process.env.FUZZ_COUNT ?? count),
});

/** The value with this number, generated without the values before it. */
export function sampleAt<T>(arbitrary: fc.Arbitrary<T>, seed: number, index: number): T {
  // Generators with neighbouring seeds start alike. Hashed seeds are not neighbours.
  const own = hash('sha256', `${seed}:${index}`, 'buffer').readInt32LE();
  const [value] = fc.sample(arbitrary, { seed: own, numRuns: 1 });
  return value as T; // one run, one value
}

export const isFault = ({ status }: Answer): boolean => status >= 500 && status !== 503;

/** Parts of sentences that are for programmers: Ajv's own words, JSON pointers, and values that are none. */
const UNREADABLE = /must NOT|is not valid|is not of the right form|undefined|\[object |(^|[\s#])\/\w/;

/** The sentences about wrong input, without what they quote of it. */
function sentencesOf({ status, body }: Answer): string[] {
  if (status !== 422) return [];
  const { data } = body as InputValidationFailedError; // every 422 has this code
  const formErrors = data.formErrors.map((text) => text.replace(/^the body must be JSON: .*/s, ''));
  const sentences = [...formErrors, ...Object.values(data.fieldErrors).flat()];
  return sentences.map((text) => text.replaceAll(/"(\\.|[^"\\])*"/g, '""'));
}

function requireReadable(answer: Answer): void {
  const unreadable = sentencesOf(answer).filter((text) => UNREADABLE.test(text));
  if (unreadable.length > 0) throw new Error(`was refused with ${unreadable.join('; ').slice(0, 500)}`);
}

function requireAnswer({ route, sent }: RoutedRequest, answer: Answer): void {
  if (isFault(answer)) throw new Error(`was answered by ${answer.status}: ${answer.text.slice(0, 500)}`);
  // Neither has a body: HEAD never has one, and OPTIONS has none in a preflight of an upload from another origin.
  if (sent.method === 'HEAD' || (sent.method === 'OPTIONS' && answer.status === 204)) return;
  if (route === 'page') requirePage(answer);
  else if (route !== 'any') requireContract(route, answer, selectsFields(sent.body));
  else if (!isDocumented(answer)) throw new Error(`answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  requireReadable(answer);
}

/**
 * Sends a request and returns its answer.
 * @throws an Error when the answer is a fault, violates the contract, or does not come
 */
export async function exchangeChecked(address: string, request: RoutedRequest): Promise<Answer> {
  try {
    const answer = await exchange(address, request.sent, HANG_MS);
    requireAnswer(request, answer);
    return answer;
  } catch (error) {
    throw new Error(`${messageOf(error)}\n${JSON.stringify(request).slice(0, 1500)}`, { cause: error });
  }
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${error.cause ?? ''}` : String(error);

/** Sends all requests, several at a time. Returns the problems, each with the settings that repeat it. */
export async function findProblems(
  { seed, from, count }: FuzzSettings,
  send: (index: number) => Promise<unknown>,
): Promise<string[]> {
  const problems: string[] = [];
  await createInParallel(count, async (offset) => {
    const index = from + offset;
    await send(index).catch((error) => {
      problems.push(`FUZZ_SEED=${seed} FUZZ_FROM=${index} FUZZ_COUNT=1: ${messageOf(error)}`);
    });
  });
  return problems;
}
