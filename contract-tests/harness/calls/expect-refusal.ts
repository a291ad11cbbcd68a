/** Assertions on refusals. */
import { expect } from 'vitest';
import type { ErrorCode, InputValidationFailedData } from '../../../generated/types.gen.ts';
import type { Answer } from '../../../src/contract-check/requests/exchange.ts';
import type { Account } from '../service/opened-account.ts';

/** Asserts exactly this refusal. */
export function expectRefusal(answer: Answer, status: number, errorCode: ErrorCode): void {
  expect({ status: answer.status, body: answer.body }, answer.text.slice(0, 500)).toMatchObject({
    status,
    body: { success: false, errorCode },
  });
}

/** Asserts that all these answers are this refusal, with the same bytes. */
export function expectSameRefusal(answers: Answer[], status: number, errorCode: ErrorCode): void {
  for (const answer of answers) expectRefusal(answer, status, errorCode);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
}

/** Asserts that exactly `count` of these answers are successes, and that all others are this refusal. */
export function expectSuccesses(
  answers: Answer[],
  count: number,
  { status, errorCode }: { status: number; errorCode: ErrorCode },
): void {
  const others = answers.filter((answer) => answer.status !== 200);
  expect(answers.length - others.length).toBe(count);
  for (const answer of others) expectRefusal(answer, status, errorCode);
}

/** A field as messages name it: `knowledgeBaseIds.0` → `knowledgeBaseIds[0]` */
const placeOf = (field: string): string => field.replaceAll(/\.(\d+)/g, '[$1]');

/** Asserts that the answer refuses exactly these fields, and that its message names each of them. */
export function expectRefusedFields(answer: Answer, ...fields: string[]): void {
  expectRefusal(answer, 422, 'INPUT_VALIDATION_FAILED');
  const { message, data } = answer.body as { message: string; data: InputValidationFailedData }; // by the spec
  expect(data.formErrors).toEqual([]);
  expect(Object.keys(data.fieldErrors).toSorted()).toEqual(fields.toSorted());
  for (const field of fields) expect(message).toContain(placeOf(field));
}

/** Everything that an account can read of its own data. */
export async function readHoldings({ api }: Pick<Account, 'api'>) {
  const { data: knowledgeBases } = await api.listKnowledgeBases();
  const documents = [];
  // One after the other: all at once are more requests than a busy machine answers. An empty one is read by its count.
  for (const { id, documentCount } of knowledgeBases)
    if (documentCount !== 0) documents.push((await api.listDocuments({ knowledgeBaseId: id })).data);
  return { knowledgeBases, documents, usage: await api.getUsage(), balance: await api.getBalance() };
}

/** Asserts that `act` does not change the account's data. */
export async function expectNothingChanged(account: Pick<Account, 'api'>, act: () => Promise<void>) {
  const before = await readHoldings(account);
  await act();
  expect(await readHoldings(account)).toEqual(before);
}
