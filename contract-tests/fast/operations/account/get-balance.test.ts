/** getBalance, status by status, and the price of queries. */
import { expect, test } from 'vitest';
import { UNKNOWN_KNOWLEDGE_BASE_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import { expectSuccesses } from '../../../harness/calls/expect-refusal.ts';
import { untilServed } from '../../../harness/calls/until-served.ts';
import { createInParallel } from '../../../harness/create-in-parallel.ts';
import { testPromises } from '../../../harness/promises.ts';
import { changeAccount, openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount({ credits: 1000 });
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Paid' });
await api.importTextContent({ knowledgeBaseId, title: 'a', content: 'The echidna lays eggs.' });

/** The credits that `act` costs. */
async function costOf(act: () => Promise<unknown>): Promise<number> {
  const before = await api.getBalance();
  await act();
  return before - (await api.getBalance());
}

testPromises('getBalance');

test('200: returns the credits of the account, and costs none', async () => {
  const { api: rich } = await openAccount({ credits: 123 });
  expect([await rich.getBalance(), await rich.getBalance()]).toEqual([123, 123]);
});

test('200: tells the price of a query', async () => {
  const { body } = await request('getBalance');
  expect(body).toMatchObject({ data: { creditsPerQuery: 1 } });
});

test('200: a query costs one credit also when it finds or searches nothing', async () => {
  expect(await costOf(() => api.query({ query: 'unicorn' }))).toBe(1);
  expect(await costOf(() => api.query({ query: 'echidna', knowledgeBaseIds: [] }))).toBe(1);
});

test('200: a refused query costs nothing', async () => {
  const refused = [
    [{ query: 'echidna', limit: 51 }, {}],
    [{ query: 'echidna', knowledgeBaseIds: [UNKNOWN_KNOWLEDGE_BASE_ID] }, {}],
    [{ query: 'echidna' }, { 'content-type': 'text/plain' }],
    ['{"query":"echidna"', {}],
  ] as const;
  const cost = await costOf(async () => {
    for (const [input, headers] of refused)
      expect((await request('query', input, headers)).status).not.toBe(200);
  });
  expect(cost).toBe(0);
});

test('200: no other operation costs anything', async () => {
  const cost = await costOf(async () => {
    const { id } = await api.createKnowledgeBase({ name: 'Free' });
    const document = await api.importTextContent({ knowledgeBaseId: id, title: 'a', content: 'b' });
    await api.presignUploadUrl({ knowledgeBaseId: id, fileName: 'a.txt', size: 1 });
    await api.getDocumentStatus(document.id);
    await api.listDocuments({ knowledgeBaseId: id });
    await api.listKnowledgeBases();
    await api.getUsage();
    await api.deleteDocument(document.id);
    await api.deleteKnowledgeBase(id);
  });
  expect(cost).toBe(0);
});

test('200: is exact after fifty concurrent queries', async () => {
  expect(await costOf(() => createInParallel(50, () => api.query({ query: 'echidna' })))).toBe(50);
});

test('402 INSUFFICIENT_CREDITS: of 50 concurrent queries with 30 credits, exactly 30 succeed', async () => {
  const poor = await openAccount({ credits: 30 });
  const { id } = await poor.api.createKnowledgeBase({ name: 'Slow to search' });
  // The longer a search takes, the more searches have read the balance and are not charged yet.
  const content = 'The echidna lays eggs, and the platypus does. '.repeat(10_000);
  await poor.api.importTextContent({ knowledgeBaseId: id, title: 'Long', content });
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      untilServed(() => poor.request('query', { query: 'echidna platypus eggs' })),
    ),
  );
  expectSuccesses(answers, 30, { status: 402, errorCode: 'INSUFFICIENT_CREDITS' });
  expect(await poor.api.getBalance()).toBe(0);
  await changeAccount(poor, { credits: 1 });
  await poor.api.query({ query: 'echidna' });
  expect(await poor.api.getBalance()).toBe(0);
});
