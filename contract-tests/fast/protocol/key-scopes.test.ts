/** Keys with a scope and bounds: what lists, searches, tickets, retries, long polls and rate limits make of them. */
import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { createCaller } from '../../../src/contract-check/requests/calling.ts';
import { expectRefusal, expectRefusedFields } from '../../harness/calls/expect-refusal.ts';
import { bytesOf, upload, uploadFile } from '../../harness/calls/uploading.ts';
import { runCommand } from '../../harness/service/command-line.ts';
import { createKey, type KeyBounds, openAccount } from '../../harness/service/opened-account.ts';
import { rateLimitedService } from '../../harness/shared/share.ts';

const account = await openAccount();
const { api } = account;

/** Creates a knowledge base with a text about the tarsier. */
async function createData(content = 'The tarsier stares.') {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Tarsiers' });
  const { id: documentId } = await api.importTextContent({ knowledgeBaseId, title: 'Tarsier', content });
  return { knowledgeBaseId, documentId };
}

const [inside, outside, alsoInside, gone] = [
  await createData(),
  await createData(),
  await createData(),
  await createData(),
];

/** By the command, whose options and messages are tested here too. */
const makeKey = (...options: string[]) =>
  runCommand(inject('dataDirectory'), 'keys', 'create', '--account', account.name, ...options);
const callerOf = async (bounds: KeyBounds) =>
  createCaller({ address: account.address, apiKey: await createKey(account.name, undefined, bounds) });

const bounds = { knowledgeBaseIds: [inside, alsoInside, gone].map(({ knowledgeBaseId }) => knowledgeBaseId) };
const bound = await callerOf(bounds);
const twin = await callerOf(bounds);
const search = await callerOf({ scope: 'search' });
await api.deleteKnowledgeBase(gone.knowledgeBaseId);

/** The ids within the bounds, newest first. */
const WITHIN = [alsoInside.knowledgeBaseId, inside.knowledgeBaseId];

test('200: a query without knowledgeBaseIds searches the knowledge bases of the key that still exist', async () => {
  const found = await bound.api.query({ query: 'tarsier', limit: 50 });
  expect(found.map((result) => result.knowledge_base_id).toSorted()).toEqual(WITHIN.toSorted());
  expect(await bound.api.query({ query: 'tarsier', knowledgeBaseIds: [] })).toEqual([]);
  const one = await bound.api.query({ query: 'tarsier', knowledgeBaseIds: [inside.knowledgeBaseId] });
  expect(one.map(({ document_id }) => document_id)).toEqual([inside.documentId]);
});

test('200: words of outside passages are not guessed for a misspelt word', async () => {
  const { knowledgeBaseId } = outside;
  await api.importTextContent({ knowledgeBaseId, title: 'Other', content: 'The pangolin sleeps.' });
  expect(await api.query({ query: 'pangolyn' })).toMatchObject([{ knowledge_base_id: knowledgeBaseId }]);
  expect(await bound.api.query({ query: 'pangolyn' })).toEqual([]);
});

test('404: a query of several knowledge bases names an outside one like an unknown one', async () => {
  const refusal = async (other: string) => {
    const knowledgeBaseIds = [inside.knowledgeBaseId, other];
    const answer = await bound.request('query', { query: 'tarsier', knowledgeBaseIds });
    expectRefusal(answer, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
    return answer.text.replaceAll(other, 'ID');
  };
  expect(await refusal(outside.knowledgeBaseId)).toBe(await refusal(randomUUID()));
});

test('200: a key whose knowledge bases are all deleted sees nothing at all', async () => {
  const { knowledgeBaseId } = await createData();
  const orphan = await callerOf({ knowledgeBaseIds: [knowledgeBaseId] });
  await api.deleteKnowledgeBase(knowledgeBaseId);
  expect(await orphan.api.query({ query: 'tarsier' })).toEqual([]);
  expect((await orphan.api.listKnowledgeBases()).data).toEqual([]);
  expect((await orphan.api.getUsage()).knowledgeBaseCount).toBe(0);
});

test('200: the list has the knowledge bases of the key, also from the cursor of another key', async () => {
  const { data } = await bound.api.listKnowledgeBases();
  expect(data.map(({ id }) => id)).toEqual(WITHIN);
  const first = await bound.api.listKnowledgeBases({ limit: 1 });
  expect(first.pagination.hasMore).toBe(true);
  const cursor = first.pagination.nextCursor ?? '';
  expect(await bound.api.listKnowledgeBases({ limit: 1, cursor })).toEqual({
    success: true,
    data: data.slice(1),
    pagination: { hasMore: false, nextCursor: null },
  });
  const unbound = await api.listKnowledgeBases({ limit: 1 });
  const rest = await bound.api.listKnowledgeBases({ cursor: unbound.pagination.nextCursor ?? '' });
  expect(rest.data.every(({ id }) => WITHIN.includes(id))).toBe(true);
});

test('404 and 422: the cursor of an outside list opens nothing', async () => {
  await api.importTextContent({
    knowledgeBaseId: outside.knowledgeBaseId,
    title: 'Second',
    content: 'Another tarsier.',
  });
  const { pagination } = await api.listDocuments({ knowledgeBaseId: outside.knowledgeBaseId, limit: 1 });
  const cursor = pagination.nextCursor ?? '';
  const list = (knowledgeBaseId: string) => bound.request('listDocuments', { knowledgeBaseId, cursor });
  expectRefusal(await list(outside.knowledgeBaseId), 404, 'KNOWLEDGE_BASE_NOT_FOUND');
  expectRefusedFields(await list(inside.knowledgeBaseId), 'cursor');
});

test('200: usage counts the knowledge bases of the key; limits and balance are the account’s', async () => {
  const usage = await bound.api.getUsage();
  const { limits } = await api.getUsage();
  const listed = (await bound.api.listKnowledgeBases()).data;
  const sum = (numbers: (number | undefined)[]) => numbers.reduce<number>((all, one = 0) => all + one, 0);
  expect(usage).toEqual({
    knowledgeBaseCount: 2,
    storageUsed: sum(listed.map(({ storageUsed }) => storageUsed)),
    documentCount: sum(listed.map(({ documentCount }) => documentCount)),
    passageCount: sum(listed.map(({ passageCount }) => passageCount)),
    limits,
  });
  expect(await bound.api.getBalance()).toBe(await api.getBalance());
});

test('403 KEY_NOT_PERMITTED: is checked before media type, validation and existence', async () => {
  const answer = await search.request('importTextContent', '{', { 'content-type': 'text/plain' });
  expectRefusal(answer, 403, 'KEY_NOT_PERMITTED');
  expectRefusal(await search.request('deleteDocument', { documentId: '' }), 403, 'KEY_NOT_PERMITTED');
});

test('404: an Idempotency-Key of another key returns nothing from outside the bounds', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const input = { knowledgeBaseId: outside.knowledgeBaseId, title: 'Secret', content: 'A tarsier.' };
  expect((await account.request('importTextContent', input, headers)).status).toBe(200);
  const answer = await bound.request('importTextContent', input, headers);
  expectRefusal(answer, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});

test('200: bound keys have Idempotency-Keys of their own, so none learns of another’s requests', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const input = { knowledgeBaseId: inside.knowledgeBaseId, title: 'Mine', content: 'A tarsier.' };
  const importAs = async (caller: typeof bound, title: string) => {
    const answer = await caller.request('importTextContent', { ...input, title }, headers);
    expect(answer.status).toBe(200);
    return answer.text;
  };
  const texts = [
    await importAs(account, 'Unbound'),
    await importAs(bound, 'Mine'),
    await importAs(twin, 'Twin’s'),
  ];
  expect(new Set(texts).size).toBe(3);
  expect(await importAs(bound, 'Mine')).toBe(texts[1]);
  expectRefusal(
    await bound.request('importTextContent', { ...input, title: 'Other' }, headers),
    409,
    'IDEMPOTENCY_KEY_REUSED',
  );
});

test('a ticket is good only for what a key may do: its upload succeeds, its import needs a key that may', async () => {
  const { knowledgeBaseId } = inside;
  const bytes = bytesOf('A tarsier in a file.');
  const ticket = await bound.api.presignUploadUrl({
    knowledgeBaseId,
    fileName: 'a.txt',
    size: bytes.length,
  });
  expect((await upload(ticket, bytes)).status).toBe(200);
  const { fileId } = ticket;
  const elsewhere = await callerOf({ knowledgeBaseIds: [outside.knowledgeBaseId] });
  expectRefusal(await search.request('importFile', { fileId }), 403, 'KEY_NOT_PERMITTED');
  expectRefusal(await elsewhere.request('importFile', { fileId }), 404, 'FILE_NOT_FOUND');
  expect(await bound.api.importFile(fileId)).toMatchObject({ knowledgeBaseId });

  const file = { knowledgeBaseId: outside.knowledgeBaseId, fileName: 'b.txt' };
  const refused = await bound.request('presignUploadUrl', { ...file, size: 1 });
  expectRefusal(refused, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
  const foreign = await uploadFile(api, { ...file, bytes });
  expectRefusal(await bound.request('importFile', { fileId: foreign.fileId }), 404, 'FILE_NOT_FOUND');
});

test('404: a long poll for an outside document is answered at once, like one for an unknown document', async () => {
  const { fileId } = await uploadFile(api, {
    knowledgeBaseId: outside.knowledgeBaseId,
    fileName: 'long.txt',
    bytes: bytesOf('The tarsier waits. '.repeat(20_000)),
  });
  const { id: documentId } = await api.importFile(fileId);
  const answer = await bound.request('getDocumentStatus', { documentId, waitSeconds: '30' });
  expectRefusal(answer, 404, 'DOCUMENT_NOT_FOUND');
});

test('429 RATE_LIMITED: requests that the scope refuses count like others', async () => {
  const limited = await rateLimitedService();
  const apiKey = await createKey('default', limited, { scope: 'search' });
  const { request } = createCaller({ address: limited.address, apiKey });
  for (let sent = 0; sent < 3; sent += 1)
    expectRefusal(await request('createKnowledgeBase', { name: 'a' }), 403, 'KEY_NOT_PERMITTED');
  expectRefusal(await request('getBalance'), 429, 'RATE_LIMITED');
});

test('keys list shows scope, knowledge bases and the day of the last use', async () => {
  const id = inside.knowledgeBaseId;
  const apiKey = await makeKey('--scope', 'search', '--knowledge-base', id, '--name', 'web page');
  const list = async () => {
    const lines = (await runCommand(inject('dataDirectory'), 'keys', 'list')).split('\n');
    const line = lines.find((each) => each.includes(apiKey.split('_')[1] ?? '')) ?? '';
    return line.trim().split(/ {2,}/).slice(-7);
  };
  const [scope, created, ...unused] = await list();
  expect([scope, ...unused]).toEqual(['search', '-', '-', '-', id, '-']);
  await createCaller({ address: account.address, apiKey }).api.getBalance();
  await expect
    .poll(list, { timeout: 60_000 })
    .toEqual([scope, created, '-', '-', new Date().toISOString().slice(0, 10), id, '-']);
});

test('keys create refuses an unknown scope, and knowledge bases that the account does not have', async () => {
  await expect(makeKey('--scope', 'admin')).rejects.toThrow('Allowed choices are search, write');
  const foreign = await (await openAccount()).api.createKnowledgeBase({ name: 'Foreign' });
  for (const id of [gone.knowledgeBaseId, foreign.id, randomUUID()])
    await expect(makeKey('--knowledge-base', id)).rejects.toThrow(`has no knowledge base ${id}`);
});

test('keys create takes the name of a knowledge base, if exactly one of the account has it', async () => {
  const { api } = account;
  const named = await api.createKnowledgeBase({ name: 'By its name' });
  const apiKey = await makeKey('--kb', 'By its name', '--kb', named.id);
  const keyed = createCaller({ address: account.address, apiKey }).api;
  expect((await keyed.listKnowledgeBases()).data.map(({ id }) => id)).toEqual([named.id]);
  await expect(makeKey('--kb', 'By its nam')).rejects.toThrow(
    'no knowledge base named "By its nam". Did you mean "By its name"?',
  );
  const twin = await api.createKnowledgeBase({ name: 'By its name' });
  await expect(makeKey('--kb', 'By its name')).rejects.toThrow('2 knowledge bases are named "By its name".');
  for (const { id } of [named, twin]) await api.deleteKnowledgeBase(id);
});
