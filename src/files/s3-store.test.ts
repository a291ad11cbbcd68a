/**
 * With an S3-compatible store, uploaded files have the same contract as on disk; the store checks the upload addresses.
 * The tests run twice. The suite `unit` uses our own store, which checks each signature independently and can
 * misbehave on demand. The suite `real-store` uses a real store, without the tests that need misbehaviour.
 */
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { checkStore } from '../admin/check-store.ts';
import { removeOrphanedObjects } from '../jobs/collect-garbage.ts';
import { put, startBucketService, type Ticket, uploadNameOf } from '../serve/testing/bucket-service.ts';
import { serviceUnavailable } from '../terms/errors.ts';

let knowledgeBaseId: string;
let refusesRemovals = false;
/** Files that are sent to the store through the service. */
let [begun, ended] = [0, 0];

const { store, suite, close } = await startBucketService(({ files }) => ({
  files: {
    ...files,
    async write(...file) {
      begun++;
      return await files.write(...file).finally(() => ended++);
    },
    async remove(name: string) {
      if (refusesRemovals) throw serviceUnavailable();
      await files.remove(name);
    },
  },
}));
afterAll(close);
beforeEach(async () => {
  const { body } = await suite.call('createKnowledgeBase', { name: 'in a bucket' });
  knowledgeBaseId = String(body.data.id);
});

async function newTicket(size: number): Promise<Ticket> {
  const { status, body } = await suite.call('presignUploadUrl', { knowledgeBaseId, fileName: 'a.txt', size });
  expect(status).toBe(200);
  return body.data as Ticket;
}

const importFile = ({ fileId }: Pick<Ticket, 'fileId'>) => suite.call('importFile', { fileId });

async function expectRefusal(answer: ReturnType<typeof suite.call>, status: number, errorCode: string) {
  const { status: answered, body } = await answer;
  expect([answered, body.errorCode]).toEqual([status, errorCode]);
}

async function importedReport(ticket: Ticket) {
  const { body } = await importFile(ticket);
  const documentId = String(body.data.id);
  const report = await suite.call(`getDocumentStatus?documentId=${documentId}&waitSeconds=30`);
  return { documentId, status: report.body.data.status };
}

const namesOf = () => store.namesBelow(knowledgeBaseId);

const text = 'The kakapo walks, for it does not fly.';

test('a file uploaded by a bare PUT is imported and found, and its hash is recorded', async () => {
  const ticket = await newTicket(text.length);
  expect(ticket).toMatchObject({ method: 'PUT', headers: {} });
  expect(new URL(ticket.uploadUrl).origin).toBe(store.endpoint);
  expect(await put(ticket.uploadUrl, text, { 'content-type': 'application/x-www-form-urlencoded' })).toBe(
    200,
  );
  const { documentId, status } = await importedReport(ticket);
  expect(status).toBe('processed');
  const found = await suite.call('query', { query: 'kakapo', knowledgeBaseIds: [knowledgeBaseId] });
  expect(found.body.data).toMatchObject([{ document_id: documentId, content: text }]);
  const { body } = await suite.call(`getDocument?documentId=${documentId}`);
  const sha256 = createHash('sha256').update(text).digest('hex');
  expect(body.data.file).toMatchObject({ id: ticket.fileId, sha256 });
});

const sendFile = (body: string) =>
  suite.call(`uploadFile?knowledgeBaseId=${knowledgeBaseId}&fileName=a.txt`, Buffer.from(body));

test('a file in one request streams to the store, is found, and has its hash', async () => {
  const long = `${text}\n`.repeat(5_000); // several pieces
  const { status, body } = await sendFile(long);
  expect([status, body.data.size]).toEqual([200, long.length]);
  const documentId = String(body.data.id);
  const report = await suite.call(`getDocumentStatus?documentId=${documentId}&waitSeconds=30`);
  expect(report.body.data.status).toBe('processed');
  const details = await suite.call(`getDocument?documentId=${documentId}`);
  const sha256 = createHash('sha256').update(long).digest('hex');
  expect(details.body.data.file).toMatchObject({ sha256 });
  expect(await namesOf()).toHaveLength(1);
  await suite.call('deleteDocument', { documentId });
  expect(await namesOf()).toEqual([]);
});

test('a file in one request that breaks off, or is refused, leaves nothing in the store', async () => {
  const path = `/v1/uploadFile?knowledgeBaseId=${knowledgeBaseId}&fileName=a.txt`;
  const { hostname, port } = new URL(suite.address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const fields = `host: a\r\nx-api-key: ${suite.apiKey}\r\ncontent-type: application/octet-stream\r\n`;
  socket.write(`POST ${path} HTTP/1.1\r\n${fields}content-length: 300000\r\n\r\n${'x'.repeat(200_000)}`);
  await vi.waitUntil(() => begun > ended);
  socket.destroy();
  await vi.waitUntil(() => begun === ended);
  const { database } = suite.service;
  await database.updateTable('accounts').set({ storage_limit_bytes: 0 }).execute();
  expect((await sendFile(text)).body.errorCode).toBe('STORAGE_LIMIT_EXCEEDED');
  await database.updateTable('accounts').set({ storage_limit_bytes: null }).execute();
  await expect.poll(namesOf).toEqual([]);
  expect((await suite.call(`listDocuments?knowledgeBaseId=${knowledgeBaseId}`)).body.data).toEqual([]);
});

test('the store refuses another length, an edited address, another method and another file', async () => {
  const [ticket, other] = [await newTicket(4), await newTicket(4)];
  const edited = (change: (url: URL) => void) => {
    const url = new URL(ticket.uploadUrl);
    change(url);
    return url.href;
  };
  expect(await put(ticket.uploadUrl, 'longer')).toBe(403);
  expect(await put(ticket.uploadUrl, 'no')).toBe(403);
  expect(
    await put(
      edited(({ searchParams }) => searchParams.set('X-Amz-Expires', '9999')),
      'four',
    ),
  ).toBe(403);
  expect(
    await put(
      edited((url) => Object.assign(url, { pathname: new URL(other.uploadUrl).pathname })),
      'four',
    ),
  ).toBe(403);
  expect((await fetch(ticket.uploadUrl)).status).toBe(403);
  expect((await fetch(ticket.uploadUrl, { method: 'DELETE' })).status).toBe(403);
  await expectRefusal(importFile(ticket), 409, 'FILE_NOT_UPLOADED');
  expect(await put(ticket.uploadUrl, 'four')).toBe(200);
});

test('409 FILE_NOT_UPLOADED when the store has accepted another length; a second upload is imported', async () => {
  const ticket = await newTicket(4);
  for (const bytes of ['five!', 'no', '']) {
    await store.force(uploadNameOf(ticket), bytes);
    await expectRefusal(importFile(ticket), 409, 'FILE_NOT_UPLOADED');
  }
  expect(await put(ticket.uploadUrl, 'four')).toBe(200);
  expect((await importFile(ticket)).status).toBe(200);
});

test.skipIf(store.isReal)(
  '409 FILE_NOT_UPLOADED when another length arrives during the copy; the copy is removed',
  async () => {
    const ticket = await newTicket(4);
    await put(ticket.uploadUrl, 'four');
    store.overtakeCopy?.(uploadNameOf(ticket), 'far too long');
    await expectRefusal(importFile(ticket), 409, 'FILE_NOT_UPLOADED');
    expect(await namesOf()).toEqual([uploadNameOf(ticket)]);
    expect(await put(ticket.uploadUrl, 'four')).toBe(200);
    expect((await importFile(ticket)).status).toBe(200);
  },
);

test('a client can upload again until the import; a later upload changes nothing', async () => {
  const ticket = await newTicket(text.length);
  await put(ticket.uploadUrl, text.toUpperCase());
  await put(ticket.uploadUrl, text);
  const first = await importFile(ticket);
  await put(ticket.uploadUrl, text.replaceAll('kakapo', 'kiwi..'));
  const again = await importFile(ticket);
  expect(again.body.data.id).toBe(first.body.data.id);
  await suite.call(`getDocumentStatus?documentId=${first.body.data.id}&waitSeconds=30`);
  const kiwi = await suite.call('query', { query: 'kiwi', knowledgeBaseIds: [knowledgeBaseId] });
  expect(kiwi.body.data).toEqual([]);
});

test.skipIf(store.isReal)('the signature of an upload address includes its expiry', async () => {
  const { uploadUrl } = await newTicket(4);
  const { searchParams } = new URL(uploadUrl);
  expect(searchParams.get('X-Amz-Expires')).toBe('3600');
  expect(searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 });
  try {
    expect(await put(uploadUrl, 'four')).toBe(403);
  } finally {
    vi.useRealTimers();
  }
});

test('a refused import, and the losers of concurrent imports, leave no copy', async () => {
  const { database } = suite.service;
  const ticket = await newTicket(4);
  await put(ticket.uploadUrl, 'four');
  await database.updateTable('accounts').set({ storage_limit_bytes: 1 }).execute();
  try {
    await expectRefusal(importFile(ticket), 403, 'STORAGE_LIMIT_EXCEEDED');
  } finally {
    await database.updateTable('accounts').set({ storage_limit_bytes: null }).execute();
  }
  expect(await namesOf()).toEqual([uploadNameOf(ticket)]);
  const answers = await Promise.all(Array.from({ length: 8 }, () => importFile(ticket)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await namesOf()).toEqual([expect.not.stringContaining(uploadNameOf(ticket))]);
});

test('an import answers 200 although the store refuses to remove the original upload', async () => {
  const ticket = await newTicket(4);
  await put(ticket.uploadUrl, 'four');
  refusesRemovals = true;
  try {
    expect((await importFile(ticket)).status).toBe(200);
  } finally {
    refusesRemovals = false;
  }
  expect(await namesOf()).toHaveLength(2);
});

test('lists objects in the order of their files, beginning after a given file', async () => {
  const tickets = [await newTicket(4), await newTicket(4), await newTicket(4)];
  for (const ticket of tickets) await put(ticket.uploadUrl, 'four');
  const [first = '', ...rest] = tickets.map(uploadNameOf).toSorted();
  const listed: string[] = [];
  for await (const { objectName } of suite.service.files.listObjects(knowledgeBaseId, first.split('/')[1]))
    listed.push(objectName);
  expect(listed).toEqual(rest);
});

test('deleting a document or a knowledge base removes its objects', async () => {
  const tickets = [await newTicket(4), await newTicket(4), await newTicket(4), await newTicket(4)];
  for (const ticket of tickets) await put(ticket.uploadUrl, 'four');
  const [first, ...rest] = tickets as [Ticket, ...Ticket[]];
  const { documentId } = await importedReport(first);
  for (const ticket of rest.slice(1)) await importedReport(ticket);
  expect(await namesOf()).toHaveLength(4);
  await suite.call('deleteDocument', { documentId });
  expect(await namesOf()).toHaveLength(3);
  await suite.call('deleteKnowledgeBase', { knowledgeBaseId });
  await vi.waitUntil(async () => (await namesOf()).length === 0, { timeout: 60_000 });
});

test.skipIf(store.isReal)(
  'garbage collection and fsck find the same orphans; uploads of open tickets and foreign objects stay',
  async () => {
    const old = new Date(Date.now() - 2 * 3_600_000);
    const open = await newTicket(4);
    await store.force(uploadNameOf(open), 'four', old);
    const orphans = Array.from(
      { length: 5 },
      () => `${knowledgeBaseId}/${crypto.randomUUID()}/${crypto.randomUUID()}`,
    );
    for (const orphan of orphans) await store.force(orphan, 'orphan', old);
    await store.force('backups/of-somebody-else.tar', 'foreign', old);
    await store.force(`${knowledgeBaseId}/notes.txt`, 'foreign', old);
    const { service } = suite;
    const problems: string[] = [];
    for await (const line of checkStore({ ...service, repair: false }))
      if (line.includes(knowledgeBaseId)) problems.push(line);
    expect(problems).toHaveLength(5);
    await removeOrphanedObjects(service, new AbortController().signal);
    expect((await namesOf()).toSorted()).toEqual(
      [uploadNameOf(open), `${knowledgeBaseId}/notes.txt`].toSorted(),
    );
    expect(await store.namesBelow('backups/')).toHaveLength(1);
    expect((await importFile(open)).status).toBe(200);
  },
);

test.skipIf(store.isReal)(
  '503 SERVICE_UNAVAILABLE while the store refuses the service; the ticket stays valid',
  async () => {
    const ticket = await newTicket(4);
    await put(ticket.uploadUrl, 'four');
    store.refuseKeys?.(true);
    try {
      await expectRefusal(importFile(ticket), 503, 'SERVICE_UNAVAILABLE');
    } finally {
      store.refuseKeys?.(false);
    }
    expect((await importFile(ticket)).status).toBe(200);
  },
);
