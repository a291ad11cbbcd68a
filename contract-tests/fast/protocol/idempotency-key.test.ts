/** The Idempotency-Key header: a repeated request gets the first answer, and has no second effect. */
import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { createClient } from '../../../generated/client/index.ts';
import * as sdk from '../../../generated/sdk.gen.ts';
import type { OperationId } from '../../../src/contract-check/spec/routes.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
} from '../../harness/calls/expect-refusal.ts';
import { changeAccount, openAccount } from '../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Keys' });

/** Two different good bodies for each operation. */
const BODIES = {
  createKnowledgeBase: [{ name: 'One' }, { name: 'Other' }],
  importTextContent: [
    { knowledgeBaseId, title: 'One', content: 'One text.' },
    { knowledgeBaseId, title: 'One', content: 'Another text.' },
  ],
  presignUploadUrl: [
    { knowledgeBaseId, fileName: 'one.txt', size: 7 },
    { knowledgeBaseId, fileName: 'one.txt', size: 8 },
  ],
  createWebhook: [{ url: 'https://hooks.example.com/one' }, { url: 'https://hooks.example.com/other' }],
} satisfies Partial<Record<OperationId, [object, object]>>;

const newKey = () => ({ 'idempotency-key': randomUUID() });

describe.each(Object.entries(BODIES))('%s', (name, [body, other]) => {
  const operationId = name as keyof typeof BODIES; // Object.entries widens it
  const send = (headers: object, input: object | string = body) =>
    request(operationId, input, { ...headers });

  test('200: a repeated request with the same key gets the same bytes, and changes nothing', async () => {
    const key = newKey();
    const first = await send(key);
    expect(first.status).toBe(200);
    await expectNothingChanged(account, async () => {
      const { status, text } = await send(key);
      expect({ status, text }).toEqual({ status: 200, text: first.text });
    });
  });

  test('200: ten concurrent requests with one key take effect once, and all get the same answer', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(key)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('200: a request with another key, or without one, takes effect again', async () => {
    const answers = [await send(newKey()), await send(newKey()), await send({}), await send({})];
    expect(new Set(answers.map(({ text }) => text)).size).toBe(4);
  });

  test('200: the same fields in another order and with white space are the same request', async () => {
    const key = newKey();
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    const first = await send(key);
    expect((await send(key, JSON.stringify(reversed, null, 2))).text).toBe(first.text);
  });

  test('409 IDEMPOTENCY_KEY_REUSED: another body with the same key; the first answer is kept', async () => {
    const key = newKey();
    const first = await send(key);
    await expectNothingChanged(account, async () => {
      expectRefusal(await send(key, other), 409, 'IDEMPOTENCY_KEY_REUSED');
    });
    expect((await send(key)).text).toBe(first.text);
  });

  test('422 INPUT_VALIDATION_FAILED: is checked before the key, and does not use the key up', async () => {
    const key = newKey();
    expectRefusedFields(await send(key, { ...body, tags: [] }), 'tags');
    const first = await send(key);
    expect(first.status).toBe(200);
    expectRefusedFields(await send(key, { ...body, tags: [] }), 'tags');
  });

  test('422 INPUT_VALIDATION_FAILED: a key has 1 to 255 visible ASCII characters', async () => {
    for (const key of ['!', '~', `"${randomUUID()}"`, 'k'.repeat(255)]) {
      expect((await send({ 'idempotency-key': key })).status, key).toBe(200);
    }
    await expectNothingChanged(account, async () => {
      for (const key of ['', 'k'.repeat(256), 'a b', 'a\tb', 'é'])
        expectRefusedFields(
          await send({ 'idempotency-key': Buffer.from(key).toString('latin1') }),
          'idempotency-key',
        );
    });
  });
});

test('200: the same key may be used once for each operation and account', async () => {
  const key = newKey();
  const stranger = await openAccount();
  const answers = [
    await request('createKnowledgeBase', BODIES.createKnowledgeBase[0], key),
    await stranger.request('createKnowledgeBase', BODIES.createKnowledgeBase[1], key),
    await request('importTextContent', BODIES.importTextContent[0], key),
    await request('presignUploadUrl', BODIES.presignUploadUrl[0], key),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await stranger.api.listKnowledgeBases()).data.map(({ name }) => name)).toEqual(['Other']);
});

test('200: after a refusal the same key may succeed, since the refusal had no effect', async () => {
  const limited = await openAccount({ knowledgeBaseLimit: 0 });
  const key = newKey();
  for (const _ of [1, 2]) {
    const refused = await limited.request('createKnowledgeBase', { name: 'Later' }, key);
    expectRefusal(refused, 403, 'KNOWLEDGE_BASE_LIMIT_EXCEEDED');
  }
  await changeAccount(limited, { knowledgeBaseLimit: 2 });
  const first = await limited.request('createKnowledgeBase', { name: 'Later' }, key);
  const again = await limited.request('createKnowledgeBase', { name: 'Later' }, key);
  expect([first.status, again.text]).toEqual([200, first.text]);
  expect((await limited.api.getUsage()).knowledgeBaseCount).toBe(1);
});

test('200: the first answer is repeated even if its document has been deleted', async () => {
  const { id } = await api.createKnowledgeBase({ name: 'Soon gone' });
  const key = newKey();
  const text = { knowledgeBaseId: id, title: 'Gone', content: 'Gone with it.' };
  const first = await request('importTextContent', text, key);
  await api.deleteKnowledgeBase(id);
  expect((await request('importTextContent', text, key)).text).toBe(first.text);
  expectRefusal(await request('importTextContent', text, newKey()), 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});

test('200: other operations ignore the header', async () => {
  const key = newKey();
  const [one, two] = [await request('getUsage', {}, key), await request('query', { query: 'one' }, key)];
  expect([one.status, two.status]).toEqual([200, 200]);
  expect((await request('query', { query: 'two' }, key)).status).toBe(200);
});

test('the generated client sends keys', async () => {
  const client = createClient({ baseUrl: inject('address'), headers: { 'x-api-key': account.apiKey } });
  const headers = { 'Idempotency-Key': randomUUID() };
  const create = () => sdk.createKnowledgeBase({ client, headers, body: { name: 'By client' } });
  const { data } = await create();
  expect(data?.data.name).toBe('By client');
  expect((await create()).data).toEqual(data);
});
