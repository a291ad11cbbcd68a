/** The rate limit: servers of one database together answer three requests per minute and key. */
import { afterAll, expect, inject, test } from 'vitest';
import { VALID_INPUTS } from '../../../src/contract-check/planning/valid-inputs.ts';
import { createCaller } from '../../../src/contract-check/requests/calling.ts';
import { OPERATION_IDS } from '../../../src/contract-check/spec/routes.ts';
import { download } from '../../harness/calls/downloading.ts';
import { expectRefusal } from '../../harness/calls/expect-refusal.ts';
import { upload } from '../../harness/calls/uploading.ts';
import { createKey } from '../../harness/service/opened-account.ts';
import { startSecondServer } from '../../harness/service/service-process.ts';
import { RATE_LIMITED, rateLimitedService } from '../../harness/shared/share.ts';

const service = await rateLimitedService();
const second = await startSecondServer(service.dataDirectory, RATE_LIMITED);
afterAll(second.stop);

const { request } = createCaller(service);
const newCaller = async () =>
  createCaller({ address: service.address, apiKey: await createKey('default', service) });

/** The first key has no requests left in this minute after these three. */
const answered = await Promise.all([1, 2, 3].map(() => request('getBalance')));

test('200: the first three requests of a key', () => {
  expect(answered.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test.each(OPERATION_IDS)('429 RATE_LIMITED: %s; Retry-After is 60 seconds at most', async (operationId) => {
  const answer = await request(operationId, VALID_INPUTS[operationId]);
  expectRefusal(answer, 429, 'RATE_LIMITED');
  const seconds = Number(answer.headers['retry-after']);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
});

test('429 RATE_LIMITED: is checked before media type and validation, and after the key', async () => {
  const broken = await request('query', '{', { 'content-type': 'text/plain' });
  expectRefusal(broken, 429, 'RATE_LIMITED');
  expectRefusal(await request('query', '{', { 'x-api-key': 'kr_0' }), 401, 'UNAUTHORIZED');
});

test('429 RATE_LIMITED: a refused request changes nothing; another key of the account still works', async () => {
  const { api } = await newCaller();
  expectRefusal(await request('createKnowledgeBase', { name: 'Refused' }), 429, 'RATE_LIMITED');
  expect(await api.getUsage()).toMatchObject({ knowledgeBaseCount: 0, limits: { requestsPerMinute: 3 } });
  expect((await api.listKnowledgeBases()).data).toEqual([]);
});

test('429 RATE_LIMITED: an upload counts as a request of the key that presigned its address', async () => {
  const { api, request: send } = await newCaller();
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Uploads' });
  const ticket = await api.presignUploadUrl({ knowledgeBaseId, fileName: 'a.txt', size: 4 });
  const uploads = [await upload(ticket, 'four'), await upload(ticket, 'four')];
  expect(uploads.map(({ status }) => status)).toEqual([200, 429]);
  expectRefusal(await send('getBalance'), 429, 'RATE_LIMITED');
  expect(uploads[1]?.headers['retry-after']).toMatch(/^[1-9]/);
});

test('429 RATE_LIMITED: a download counts as a request of the key that presigned its address', async () => {
  const { api: writing } = await newCaller();
  const { id: knowledgeBaseId } = await writing.createKnowledgeBase({ name: 'Downloads' });
  const { id } = await writing.uploadFile({ knowledgeBaseId, fileName: 'a.txt' }, 'four');
  const { api: reading, request: send } = await newCaller();
  const { downloadUrl } = await reading.presignDownloadUrl(id);
  const downloads = [
    await download({ downloadUrl }),
    await download({ downloadUrl }, {}, 'HEAD'),
    await download({ downloadUrl }),
  ];
  expect(downloads.map(({ status }) => status)).toEqual([200, 200, 429]);
  expectRefusal(await send('getBalance'), 429, 'RATE_LIMITED');
  expect(downloads[2]?.headers['retry-after']).toMatch(/^[1-9]/);
});

test('429 RATE_LIMITED: all but three of thirty concurrent requests', async () => {
  const { request: send } = await newCaller();
  const answers = await Promise.all(Array.from({ length: 30 }, () => send('getUsage')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(27);
});

/** Sends one request at a time, to the server at each index. Returns whether it was answered. */
async function passAt(order: number[]): Promise<boolean[]> {
  const apiKey = await createKey('default', service);
  const servers = [service, second].map(({ address }) => createCaller({ address, apiKey }));
  const passed: boolean[] = [];
  for (const index of order) {
    const answer = await servers[index]?.request('getBalance');
    passed.push(answer?.status === 200);
  }
  return passed;
}

test.each([
  ['alternately', [0, 1, 0, 1, 0, 1]],
  ['the second after the first', [0, 0, 1, 1, 1, 0]],
  ['nearly all at the second', [1, 0, 1, 1, 1, 1]],
])('two server processes together answer exactly three requests: %s', async (_, order) => {
  expect(await passAt(order)).toEqual([true, true, true, false, false, false]);
});

test('two server processes together answer exactly three of sixty concurrent requests', async () => {
  const apiKey = await createKey('default', service);
  const servers = [service, second].map(({ address }) => createCaller({ address, apiKey }));
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => servers.map((server) => server.request('getBalance'))).flat(),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(57);
});

test('RateLimit counts down on other refusals too; its t and Retry-After are equal', async () => {
  const { request: send } = await newCaller();
  const answers = [
    await send('getBalance'),
    await send('query', { query: '' }),
    await send('getUsage'),
    await send('getUsage'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 422, 200, 429]);
  const rateLimits = answers.map(({ headers }) => String(headers.ratelimit));
  expect(rateLimits.map((text) => text.replace(/t=\d+$/, 't='))).toEqual(
    [2, 1, 0, 0].map((remaining) => `"default";r=${remaining};t=`),
  );
  expect(rateLimits[3]).toBe(`"default";r=0;t=${answers[3]?.headers['retry-after']}`);
  for (const { headers } of answers) expect(headers['ratelimit-policy']).toBe('"default";q=3;w=60');
});

test('answers without a key, and of a service without a limit, have no RateLimit headers', async () => {
  const keyless = await request('getUsage', {}, { 'x-api-key': undefined });
  const unlimited = createCaller({ address: inject('address'), apiKey: inject('apiKey') });
  for (const { headers } of [keyless, await unlimited.request('getUsage')]) {
    expect([headers.ratelimit, headers['ratelimit-policy']]).toEqual([undefined, undefined]);
  }
});
