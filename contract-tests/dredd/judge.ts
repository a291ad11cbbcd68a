/** Provokes a transaction's answer and judges it: schema and headers by the spec, then what it promises. */
import { inspect } from 'node:util';
import { requireContract } from '../harness/contract-check.ts';
import type { Answer } from '../harness/exchange.ts';
import type { Provocation, Work } from './provocation.ts';
import { REFUSALS } from './refusals.ts';
import { SUCCESSES } from './successes.ts';
import type { Transaction } from './transactions.ts';

/** How the answer of a transaction is provoked. @throws where nothing here can. */
export async function provoke(work: Work, { operationId, status }: Transaction): Promise<Provocation> {
  if (status === '200') return await SUCCESSES[operationId](work);
  const refuse = REFUSALS[status];
  if (refuse === undefined) throw new Error(`nothing here provokes a ${status}`);
  return await refuse(work, operationId);
}

/** @throws what is wrong with the answer to a provocation. */
export async function judge(
  { operationId }: Transaction,
  { check }: Provocation,
  answer: Answer,
): Promise<void> {
  requireContract(operationId, answer);
  await check?.(answer);
}

/** What was thrown in words; the generated client throws bodies. */
export const wordsOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : `refused: ${inspect(thrown, { breakLength: Infinity })}`;
