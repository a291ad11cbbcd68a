/** createWebhook, status by status. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { UNKNOWN_KNOWLEDGE_BASE_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import {
  expectRefusal,
  expectRefusedFields,
  expectSuccesses,
} from '../../../harness/calls/expect-refusal.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';
import { sharedService } from '../../../harness/shared/share.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Watched' });

const limitedService = await sharedService({ WEBHOOK_LIMIT: '2' });

/** An address without a server. The service checks it, but sends nothing there without an event. */
const url = 'https://hooks.example.com/knowledge?tenant=7';

testPromises('createWebhook');

test('200: without events and knowledge bases it receives all, and has neither field', async () => {
  const created = await api.createWebhook({ url });
  expect(created).not.toHaveProperty('events');
  expect(created).not.toHaveProperty('knowledgeBaseIds');
});

test('200: the same Idempotency-Key returns the same webhook with its secret', async () => {
  const key = { 'idempotency-key': randomUUID() };
  const answers = [
    await request('createWebhook', { url }, key),
    await request('createWebhook', { url }, key),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[1]?.text).toBe(answers[0]?.text);
});

test('409 IDEMPOTENCY_KEY_REUSED: another address under the same key', async () => {
  const key = { 'idempotency-key': randomUUID() };
  await request('createWebhook', { url }, key);
  const answer = await request('createWebhook', { url: 'https://hooks.example.org/' }, key);
  expectRefusal(answer, 409, 'IDEMPOTENCY_KEY_REUSED');
});

test('403 WEBHOOK_LIMIT_EXCEEDED: at the limit, also for concurrent requests, until a deletion', async () => {
  const limited = await openAccount({}, limitedService);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => limited.request('createWebhook', { url })),
  );
  expectSuccesses(answers, 2, { status: 403, errorCode: 'WEBHOOK_LIMIT_EXCEEDED' });
  for (const { status, body } of answers)
    if (status === 403) expect(body).toMatchObject({ data: { limit: 2, used: 2 } });
  const { data } = await limited.api.listWebhooks();
  await limited.api.deleteWebhook(data[0]?.id ?? '');
  await limited.api.createWebhook({ url });
  await (await openAccount({}, limitedService)).api.createWebhook({ url });
});

test('404 KNOWLEDGE_BASE_NOT_FOUND: one unknown id among known ones', async () => {
  const knowledgeBaseIds = [knowledgeBaseId, UNKNOWN_KNOWLEDGE_BASE_ID];
  const answer = await request('createWebhook', { url, knowledgeBaseIds });
  expectRefusal(answer, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});

/** Addresses to which the service sends nothing. A URL has many spellings of one address. */
const REFUSED = [
  'hooks.example.com',
  'http://hooks.example.com/',
  'ftp://hooks.example.com/',
  'https://',
  'https://user@hooks.example.com/',
  'https://:secret@hooks.example.com/',
  'https://hooks.example.com/#part',
  'https://hooks.example.com/#',
  'https://hooks.example.com:22/',
  'https://hooks.example.com:1023/',
  'https://hooks.example.com:65536/',
  'https://localhost/',
  'https://LOCALHOST:8443/',
  'https://api.localhost/',
  'https://localhost./',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://127.0.0.1./',
  'https://１２７.０.０.１/',
  'https://0.0.0.0/',
  'https://10.1.2.3/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://172.16.0.1/',
  'https://192.168.0.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://[::]/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[fd00:ec2::254]/',
  'https://[fe80::1]/',
  'https://[ff02::1]/',
];

test.each(REFUSED)('422 INPUT_VALIDATION_FAILED: %s', async (refused) => {
  const before = await api.listWebhooks();
  expectRefusedFields(await request('createWebhook', { url: refused }), 'url');
  expect(await api.listWebhooks()).toEqual(before);
});

test.each(['https://hooks.example.com:1024/', 'https://hooks.example.com:443', 'https://93.184.215.14/'])(
  '200: %s',
  async (accepted) => {
    expect((await api.createWebhook({ url: accepted })).url).toBe(accepted);
  },
);

test('200: repeated events and knowledge bases count once', async () => {
  const [one, other] = ['document.deleted', 'document.failed'] as const;
  const repeated = { events: [one, other, one], knowledgeBaseIds: [knowledgeBaseId, knowledgeBaseId] };
  const created = await api.createWebhook({ url, ...repeated });
  expect(created).toMatchObject({ events: [one, other], knowledgeBaseIds: [knowledgeBaseId] });
});

test('422 INPUT_VALIDATION_FAILED: empty and unknown events, and no knowledge bases', async () => {
  for (const events of [[], ['document.created'], ['webhook.test'], 'document.deleted'])
    expect((await request('createWebhook', { url, events })).status).toBe(422);
  expectRefusedFields(await request('createWebhook', { url, knowledgeBaseIds: [] }), 'knowledgeBaseIds');
});
