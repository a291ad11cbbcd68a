/** createKnowledgeBase, status by status. */
import { expect, test } from 'vitest';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
  expectSuccesses,
} from '../../../harness/calls/expect-refusal.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;

testPromises('createKnowledgeBase');

test('200: createdAt and updatedAt are the time of the request in UTC', async () => {
  const before = Date.now();
  const { createdAt, updatedAt } = await api.createKnowledgeBase({ name: 'Clock' });
  // The service's clock is this machine's.
  expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now());
  expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(updatedAt).toBe(createdAt);
});

test.each([
  'Ünïcode 知识库 قاعدة',
  '👩‍👩‍👧‍👦 family 🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  'e\u0301 stays decomposed',
  ' spaces stay ',
  "'; DROP TABLE knowledge_bases; --",
  '\u202Eright to left\n\ttabs\u0007',
])('200: every character of a name is kept: %j', async (name) => {
  const created = await api.createKnowledgeBase({ name, description: name });
  const { data } = await api.listKnowledgeBases({ limit: 1 });
  expect(data).toEqual([created]);
  expect(created).toMatchObject({ name, description: name });
});

test('403 KNOWLEDGE_BASE_LIMIT_EXCEEDED: at the limit, also for concurrent requests, until a deletion', async () => {
  const limited = await openAccount({ knowledgeBaseLimit: 3 });
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => limited.request('createKnowledgeBase', { name: 'One of three' })),
  );
  expectSuccesses(answers, 3, { status: 403, errorCode: 'KNOWLEDGE_BASE_LIMIT_EXCEEDED' });
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    expect(answer.body).toMatchObject({ data: { limit: 3, used: 3 } });
  }
  const { data } = await limited.api.listKnowledgeBases();
  expect(data).toHaveLength(3);
  await limited.api.deleteKnowledgeBase(data[0]?.id ?? '');
  await limited.api.createKnowledgeBase({ name: 'Third again' });
});

test('403 KNOWLEDGE_BASE_LIMIT_EXCEEDED: the limit is checked after the fields', async () => {
  const none = await openAccount({ knowledgeBaseLimit: 0 });
  expectRefusedFields(await none.request('createKnowledgeBase', { name: '' }), 'name');
  const answer = await none.request('createKnowledgeBase', { name: 'a' });
  expectRefusal(answer, 403, 'KNOWLEDGE_BASE_LIMIT_EXCEEDED');
});

test('422 INPUT_VALIDATION_FAILED: values of another type are not converted', async () => {
  await expectNothingChanged(account, async () => {
    for (const value of [null, 1, true, ['Handbook'], { name: 'Handbook' }]) {
      expectRefusedFields(await request('createKnowledgeBase', { name: value }), 'name');
      const answer = await request('createKnowledgeBase', { name: 'a', description: value });
      expectRefusedFields(answer, 'description');
    }
  });
});

test('422 INPUT_VALIDATION_FAILED: all wrong fields are named at once', async () => {
  const answer = await request('createKnowledgeBase', { description: 5, tags: [], colour: 'red' });
  expectRefusedFields(answer, 'colour', 'description', 'name', 'tags');
});
