/**
 * Direct uploads to an S3-compatible store cannot evade the storage limit: bytes that may still arrive count, and
 * unreferenced objects are removed. The tests run twice, like the tests in `s3-store.test.ts`.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { checkStore } from '../admin/check-store.ts';
import { removeOrphanedObjects, requeuePurges, settleUploads } from '../jobs/collect-garbage.ts';
import { purgeKnowledgeBase } from '../jobs/purge-knowledge-base.ts';
import { GARBAGE_QUEUE } from '../jobs/queue-policies.ts';
import { put, startBucketService, type Ticket, uploadNameOf } from '../serve/testing/bucket-service.ts';

let started: Awaited<ReturnType<typeof startBucketService>>;
let knowledgeBaseId: string;
beforeAll(async () => {
  started = await startBucketService();
  await vi.waitUntil(hasCollectedGarbage, { timeout: 60_000 });
});
afterAll(() => started.close());
beforeEach(async () => {
  const { database } = started.suite.service;
  await sql`UPDATE files SET reserved_until = expires_at WHERE reserved_until IS NULL`.execute(database);
  await database.updateTable('accounts').set({ storage_limit_bytes: null }).execute();
  await expireTickets(60);
  const { body } = await started.suite.call('createKnowledgeBase', { name: 'in a bucket' });
  knowledgeBaseId = String(body.data.id);
});

/** Whether the service has done its first garbage collection, which could otherwise remove what a test has just put. */
async function hasCollectedGarbage(): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM knowledge_jobs WHERE queue = ${GARBAGE_QUEUE} AND due_at > now() + interval '5 minutes'`.execute(
    started.suite.service.database,
  );
  return rows.length > 0;
}

const requestTicket = (size: number) =>
  started.suite.call('presignUploadUrl', { knowledgeBaseId, fileName: 'a.txt', size });

async function newTicket(size: number): Promise<Ticket> {
  const { status, body } = await requestTicket(size);
  expect(status).toBe(200);
  return body.data as Ticket;
}

const importFile = ({ fileId }: Ticket) => started.suite.call('importFile', { fileId });

/** Sets the expiry of all tickets to this many minutes ago. */
async function expireTickets(minutes: number): Promise<void> {
  await sql`UPDATE files SET expires_at = least(expires_at, now() - make_interval(mins => ${minutes}))`.execute(
    started.suite.service.database,
  );
}

/** Sets the account's limit this many bytes above its current usage. */
async function leaveRoom(bytes: number): Promise<void> {
  const { database } = started.suite.service;
  const limit = (storage_limit_bytes: number) =>
    database.updateTable('accounts').set({ storage_limit_bytes }).execute();
  await limit(0);
  const { body } = await requestTicket(1);
  await limit(Number(body.data.used) + bytes);
}

const { signal } = new AbortController();
const settle = () => settleUploads(started.suite.service, signal);
const namesOf = () => started.store.namesBelow(knowledgeBaseId);

async function problemsFound(): Promise<string[]> {
  const problems: string[] = [];
  const check = {
    ...started.suite.service,
    importTimeoutSeconds: 600,
    importWaitSeconds: 600,
    repair: false,
  };
  for await (const line of checkStore(check)) if (line.includes(knowledgeBaseId)) problems.push(line);
  return problems;
}

test('the console may send files to the store, and to no other server but its own', async () => {
  const { uploadUrl } = await newTicket(9);
  const page = await fetch(started.suite.address, { headers: { accept: 'text/html' } });
  expect(page.headers.get('content-security-policy')).toContain(
    `connect-src 'self' ${new URL(uploadUrl).origin};`,
  );
});

test('an upload counts after the expiry of its address too, and can still be imported', async () => {
  await leaveRoom(10);
  const ticket = await newTicket(9);
  expect(await put(ticket.uploadUrl, 'nine byte')).toBe(200);
  await expireTickets(60);
  expect((await requestTicket(9)).body.errorCode).toBe('STORAGE_LIMIT_EXCEEDED');
  await settle();
  expect(await namesOf()).toEqual([expect.not.stringContaining(uploadNameOf(ticket))]);
  expect((await requestTicket(9)).body.errorCode).toBe('STORAGE_LIMIT_EXCEEDED');
  const { body } = await importFile(ticket);
  expect((await requestTicket(9)).body.errorCode).toBe('STORAGE_LIMIT_EXCEEDED');
  await started.suite.call('deleteDocument', { documentId: body.data.id });
  expect((await requestTicket(9)).status).toBe(200);
});

test('an unused ticket counts until garbage collection checks the store, some time after its expiry', async () => {
  await leaveRoom(10);
  const ticket = await newTicket(9);
  for (const minutesAgo of [-1, 1]) {
    await expireTickets(minutesAgo);
    await settle();
    expect((await requestTicket(9)).body.errorCode).toBe('STORAGE_LIMIT_EXCEEDED');
  }
  await expireTickets(60);
  await settle();
  expect((await requestTicket(9)).status).toBe(200);
  expect((await importFile(ticket)).body.errorCode).toBe('UPLOAD_EXPIRED');
});

test('a concurrent import and garbage collection take an upload only once', async () => {
  const ticket = await newTicket(4);
  await put(ticket.uploadUrl, 'four');
  await expireTickets(60);
  const [{ status }] = await Promise.all([importFile(ticket), settle()]);
  expect(status).toBe(200);
  const { rows } = await sql<{ name: string }>`
    SELECT object_name AS name FROM files WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(
    started.suite.service.database,
  );
  expect(await namesOf()).toContain(rows[0]?.name);
});

test('ifUnchanged compares the bytes in the store, and removes those that are there already', async () => {
  const skip = ({ fileId }: Ticket) =>
    started.suite.call('importFile', { fileId, externalId: 'a', ifUnchanged: 'skip' });
  const [first, same, changed] = [await newTicket(4), await newTicket(4), await newTicket(4)];
  for (const ticket of [first, same]) await put(ticket.uploadUrl, 'four');
  await put(changed.uploadUrl, 'five');
  const { body } = await skip(first);
  const kept = await namesOf();
  expect((await skip(same)).body.data).toMatchObject({ id: body.data.id, unchanged: true });
  expect((await namesOf()).length).toBe(kept.length - 1);
  expect((await skip(same)).body.data).toMatchObject({ id: body.data.id, unchanged: true });
  const answer = await skip(changed);
  expect(answer.body.data.id).not.toBe(body.data.id);
  expect(answer.body.data).not.toHaveProperty('unchanged');
});

test('garbage collection removes uploads that arrive after the import, the deletion or the settlement', async () => {
  const tickets = [await newTicket(4), await newTicket(4), await newTicket(4)];
  const [imported, deleted] = tickets as [Ticket, Ticket, Ticket]; // the third one is settled
  for (const ticket of [imported, deleted]) await put(ticket.uploadUrl, 'four');
  await importFile(imported);
  const { body } = await importFile(deleted);
  await started.suite.call('deleteDocument', { documentId: body.data.id });
  await expireTickets(60);
  await settle();
  const kept = await namesOf();
  expect(kept).toHaveLength(1);
  const open = await newTicket(4);
  for (const ticket of [...tickets, open]) expect(await put(ticket.uploadUrl, 'more')).toBe(200);
  expect(await problemsFound()).toHaveLength(3);
  await removeOrphanedObjects(started.suite.service, signal);
  expect((await namesOf()).toSorted()).toEqual([...kept, uploadNameOf(open)].toSorted());
  expect(await problemsFound()).toEqual([]);
});

test('a deleted knowledge base is purged again until the last of its addresses has expired', async () => {
  const { service, call } = started.suite;
  const rowExists = async () => {
    const row = service.database.selectFrom('knowledge_bases').select('name');
    return (await row.where('knowledge_base_id', '=', knowledgeBaseId).execute()).length > 0;
  };
  const age = (minutes: number) =>
    sql`UPDATE knowledge_bases SET deleted_at = now() - make_interval(mins => ${minutes})
      WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(service.database);
  const purge = () => purgeKnowledgeBase(service, { payload: { knowledgeBaseId }, signal });
  const ticket = await newTicket(4);
  await call('deleteKnowledgeBase', { knowledgeBaseId });
  await purge();
  expect(await put(ticket.uploadUrl, 'four')).toBe(200);
  expect(await namesOf()).toEqual([uploadNameOf(ticket)]);
  await age(74);
  expect(await problemsFound()).toEqual([]);
  await requeuePurges(service);
  await vi.waitUntil(async () => (await namesOf()).length === 0, { timeout: 60_000 });
  expect(await rowExists()).toBe(true);
  await age(76);
  await purge();
  expect(await rowExists()).toBe(false);
});
