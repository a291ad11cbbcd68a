/** The limit of requests per minute and key, at a service that allows three. */
import { afterAll, expect, test } from 'vitest';
import { createCaller } from './calling.ts';
import { OPERATION_IDS } from './contract-check.ts';
import { expectRefusal } from './expect-refusal.ts';
import { createKey } from './opened-account.ts';
import { startService } from './running-service.ts';
import { VALID_INPUTS } from './valid-inputs.ts';

const service = await startService({ RATE_LIMIT_PER_MINUTE: '3' });
afterAll(service.stop);

const { request } = createCaller(service);
const newCaller = async () =>
  createCaller({ address: service.address, apiKey: await createKey('default', service) });

/** Uses up the minute of the first key; these three are in time. */
const inTime = await Promise.all([1, 2, 3].map(() => request('getBalance')));

test('200: as many requests as the limit says are answered', () => {
  expect(inTime.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test.each(OPERATION_IDS)(
  '429 RATE_LIMITED: %s says when to come back, within the minute',
  async (operationId) => {
    const answer = await request(operationId, VALID_INPUTS[operationId]);
    expectRefusal(answer, 429, 'RATE_LIMITED');
    const seconds = Number(answer.headers['retry-after']);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
  },
);

test('429 RATE_LIMITED: comes before media type and validation, after the key', async () => {
  const broken = await request('query', '{', { 'content-type': 'text/plain' });
  expectRefusal(broken, 429, 'RATE_LIMITED');
  expectRefusal(await request('query', '{', { 'x-api-key': 'kr_0' }), 401, 'UNAUTHORIZED');
});

test('429 RATE_LIMITED: a refused request changes nothing; another key of the account goes on', async () => {
  const { api } = await newCaller();
  expectRefusal(await request('createKnowledgeBase', { name: 'Refused' }), 429, 'RATE_LIMITED');
  expect((await api.getUsage()).knowledgeBaseCount).toBe(0);
  expect((await api.listKnowledgeBases()).data).toEqual([]);
});

test('429 RATE_LIMITED: of thirty requests at once three are answered', async () => {
  const { request: send } = await newCaller();
  const answers = await Promise.all(Array.from({ length: 30 }, () => send('getUsage')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(27);
});
