/** Garbage collection removes what clients abandon and crashes leave, and nothing else. */
import { randomUUID } from 'node:crypto';
import { access, mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Service } from '../handlers/service.ts';
import { startTestService, type TestService } from '../serve/testing/test-service.ts';
import { serviceUnavailable } from '../terms/errors.ts';
import { removeOrphanedObjects, removeUnimportedFiles, requeuePurges } from './collect-garbage.ts';
import { purgeKnowledgeBase } from './purge-knowledge-base.ts';

let suite: TestService;
let knowledgeBaseId: string;
let purged: string[];
let refusesRemovals: boolean;

beforeAll(async () => {
  const enqueuePurge = async (_: unknown, id: string) => void purged.push(id);
  const change = ({ files, jobs }: Service) => ({
    jobs: { ...jobs, enqueuePurge },
    files: {
      ...files,
      async remove(name: string) {
        if (refusesRemovals) throw serviceUnavailable();
        await files.remove(name);
      },
    },
  });
  suite = await startTestService({ change, runsWorkers: false, settings: { STORAGE_LIMIT_BYTES: '10' } });
});
afterAll(() => suite.close());
beforeEach(async () => {
  purged = [];
  refusesRemovals = false;
  const { body } = await suite.call('createKnowledgeBase', { name: 'swept' });
  knowledgeBaseId = String(body.data.id);
});

type Ticket = { fileId: string; uploadUrl: string };

async function newTicket(size: number): Promise<Ticket> {
  const { status, body } = await suite.call('presignUploadUrl', {
    knowledgeBaseId,
    fileName: 'a.txt',
    size,
  });
  expect(status).toBe(200);
  return body.data as Ticket;
}

const put = async ({ uploadUrl }: Ticket, body: string) =>
  (await fetch(uploadUrl, { method: 'PUT', body })).status;

const importFile = async ({ fileId }: Ticket) => (await suite.call('importFile', { fileId })).status;

const directory = () => join(suite.service.config.dataDir, 'files', knowledgeBaseId);

/** Makes all tickets of the knowledge base expired for this many days. */
const expire = (days: number) =>
  sql`
  UPDATE files SET expires_at = now() - make_interval(days => ${days}, mins => 1)
  WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(suite.service.database);

const sweep = () => removeOrphanedObjects(suite.service, new AbortController().signal);

/** The path on disk of the knowledge base's only object. */
async function findObject(): Promise<string> {
  const [file = ''] = await readdir(directory());
  const [name = ''] = await readdir(join(directory(), file));
  return join(directory(), file, name);
}

async function age(path: string): Promise<void> {
  const old = new Date(Date.now() - 2 * 3_600_000);
  await utimes(path, old, old);
}

test('removes an unimported ticket a week after its expiry, with object, reservation and directory', async () => {
  const [used, unused] = [await newTicket(4), await newTicket(4)];
  expect(await put(used, 'four')).toBe(200);
  await expire(6);
  expect(await removeUnimportedFiles(suite.service)).toBe(0);
  expect(await importFile(unused)).toBe(410);
  await expire(7);
  expect(await removeUnimportedFiles(suite.service)).toBe(2);
  for (const ticket of [used, unused]) expect(await importFile(ticket)).toBe(404);
  await expect(access(directory())).rejects.toThrow('ENOENT');
  await newTicket(10);
  await suite.call('deleteKnowledgeBase', { knowledgeBaseId });
});

test('keeps an imported file, however old', async () => {
  const ticket = await newTicket(4);
  await put(ticket, 'four');
  expect(await importFile(ticket)).toBe(200);
  await expire(1000);
  await age(await findObject());
  expect(await removeUnimportedFiles(suite.service)).toBe(0);
  await sweep();
  await access(await findObject());
  await suite.call('deleteKnowledgeBase', { knowledgeBaseId });
});

test('removes an object without a row when it is an hour old, whatever clock the server has', async () => {
  const ticket = await newTicket(4);
  await put(ticket, 'four');
  const object = await findObject();
  await sql`DELETE FROM files WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(suite.service.database);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7_200_000 });
  await sweep().finally(() => vi.useRealTimers());
  await access(object);
  await age(object);
  await sweep();
  await expect(access(directory())).rejects.toThrow('ENOENT');
});

test('deletions and uploads answer 200 while the store refuses removals, which happen later', async () => {
  const ticket = await newTicket(4);
  await put(ticket, 'four');
  const first = await findObject();
  const { body } = await suite.call('importFile', { fileId: ticket.fileId });
  const replaced = await newTicket(4);
  await put(replaced, 'four');
  refusesRemovals = true;
  expect(await put(replaced, 'more')).toBe(200);
  expect((await suite.call('deleteDocument', { documentId: body.data.id })).status).toBe(200);
  const [, id = ''] = replaced.fileId.split('_');
  const objects = (await readdir(join(directory(), id))).map((name) => join(directory(), id, name));
  expect(objects).toHaveLength(2);
  for (const object of [first, ...objects]) await age(object);
  refusesRemovals = false;
  await sweep();
  await expect(access(first)).rejects.toThrow('ENOENT');
  expect(await readdir(join(directory(), id))).toHaveLength(1);
  await suite.call('deleteKnowledgeBase', { knowledgeBaseId });
});

test('keeps old objects of an unknown knowledge base: they may belong to another database', async () => {
  const object = join(suite.service.config.dataDir, 'files', randomUUID(), randomUUID(), randomUUID());
  await mkdir(dirname(object), { recursive: true });
  await writeFile(object, 'theirs');
  await age(object);
  await sweep();
  await access(object);
});

test('keeps the row of an upload while the store is unavailable, so that it can be imported afterwards', async () => {
  const ticket = await newTicket(4);
  await put(ticket, 'four');
  const store = join(suite.service.config.dataDir, 'files');
  await rename(store, `${store}-away`);
  await mkdir(store);
  await sweep();
  await rm(store, { recursive: true });
  await rename(`${store}-away`, store);
  expect(await importFile(ticket)).toBe(200);
  await suite.call('deleteKnowledgeBase', { knowledgeBaseId });
});

test('a client can upload again after the object was lost', async () => {
  const ticket = await newTicket(4);
  await put(ticket, 'four');
  await suite.service.files.remove(knowledgeBaseId);
  await sweep();
  expect(await put(ticket, 'more')).toBe(200);
  expect(await importFile(ticket)).toBe(200);
  await suite.call('deleteKnowledgeBase', { knowledgeBaseId });
});

test('a purge removes all objects of its knowledge base, without garbage collection', async () => {
  const ticket = await newTicket(4);
  await put(ticket, 'four');
  await suite.call('deleteKnowledgeBase', { knowledgeBaseId });
  await access(directory());
  const { signal } = new AbortController();
  await purgeKnowledgeBase(suite.service, { payload: { knowledgeBaseId }, signal });
  await expect(access(directory())).rejects.toThrow('ENOENT');
});

test('requests a lost purge again, but none for a live or a just deleted knowledge base', async () => {
  await suite.call('deleteKnowledgeBase', { knowledgeBaseId });
  const lost = knowledgeBaseId;
  expect(purged).toEqual([lost]);
  purged = [];
  await sql`UPDATE knowledge_bases SET deleted_at = now() WHERE deleted_at IS NOT NULL`.execute(
    suite.service.database,
  );
  await requeuePurges(suite.service);
  expect(purged).toEqual([]);
  await sql`UPDATE knowledge_bases SET deleted_at = now() - interval '2 minutes'
    WHERE knowledge_base_id = ${lost}`.execute(suite.service.database);
  await requeuePurges(suite.service);
  expect(purged).toEqual([lost]);
});
