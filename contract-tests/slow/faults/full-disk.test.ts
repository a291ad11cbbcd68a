/** On a full disk writes are refused clearly, and reads and searches work. With free space everything works again. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { UploadTicket } from '../../../generated/types.gen.ts';
import { requireContract } from '../../../src/contract-check/requests/answer-contract.ts';
import { createCaller, type RequestOperation } from '../../../src/contract-check/requests/calling.ts';
import { type Answer, exchange } from '../../../src/contract-check/requests/exchange.ts';
import { expectRefusal } from '../../harness/calls/expect-refusal.ts';
import { isFinal, pathOf } from '../../harness/calls/uploading.ts';
import { createInParallel } from '../../harness/create-in-parallel.ts';
import { runCommand } from '../../harness/service/command-line.ts';
import { withServiceDatabase } from '../../harness/service/service-database.ts';
import { type RunningService, startService, startWorker } from '../../harness/service/service-process.ts';
import { mayMount, type SmallDisk, withSmallDisk } from './small-disk.ts';

const isAllowed = await mayMount();
if (!isAllowed)
  process.stderr.write('full-disk.test.ts is skipped: only root on Linux may mount a small disk\n');

const MEBIBYTE = 1024 ** 2;
/** The database with its first write-ahead log takes 60 MiB, the reserve 256. */
const DISK_MEBIBYTES = 400;
/** Less than the reserve, but enough for all requests of this test. */
const NEARLY_FULL_BYTES = 100 * MEBIBYTE;

const TEXTS = 10;
const FILE = 'A file that tells of giraffes.';

const textOf = (index: number) => ({ title: `text ${index}`, content: `The okapi number${index} is shy.` });

async function put({ address }: RunningService, ticket: Pick<UploadTicket, 'uploadUrl'>): Promise<Answer> {
  const answer = await exchange(address, {
    method: 'PUT',
    path: pathOf(ticket.uploadUrl),
    headers: {},
    body: FILE,
  });
  requireContract(undefined, answer);
  return answer;
}

/** Creates a knowledge base with texts, a file whose import waits, an uploaded file, and a ticket without an upload. */
async function store(service: RunningService) {
  const { api } = createCaller(service);
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'okapis' });
  const texts = await createInParallel(TEXTS, (index) =>
    api.importTextContent({ knowledgeBaseId, ...textOf(index) }),
  );
  const presign = () =>
    api.presignUploadUrl({ knowledgeBaseId, fileName: 'giraffes.txt', size: FILE.length });
  const [waiting, uploaded, empty] = [await presign(), await presign(), await presign()];
  for (const ticket of [waiting, uploaded]) expect((await put(service, ticket)).status).toBe(200);
  const pending = await api.importFile(waiting.fileId);
  return { knowledgeBaseId, texts, pending, uploaded, empty };
}

type Stored = Awaited<ReturnType<typeof store>>;

/** All operations that store something new. */
const storing = ({ knowledgeBaseId, uploaded }: Stored): Parameters<RequestOperation>[] => [
  ['createKnowledgeBase', { name: 'one more' }],
  ['importTextContent', { knowledgeBaseId, ...textOf(TEXTS) }],
  ['presignUploadUrl', { knowledgeBaseId, fileName: 'more.txt', size: 1 }],
  ['importFile', { fileId: uploaded.fileId }],
];

function expectFull(answer: Answer): void {
  expectRefusal(answer, 503, 'SERVICE_UNAVAILABLE');
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
}

async function expectStoringRefused(service: RunningService, stored: Stored): Promise<void> {
  const { request } = createCaller(service);
  for (const operation of storing(stored)) expectFull(await request(...operation));
  expectFull(await put(service, stored.empty));
}

/** Asserts that all texts except the first `deleted` ones are listed, and found by their own words. */
async function expectReading(
  service: RunningService,
  { knowledgeBaseId, texts }: Stored,
  deleted: number,
): Promise<void> {
  const { api } = createCaller(service);
  const left = texts.slice(deleted);
  const { data } = await api.listDocuments({ knowledgeBaseId });
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(left.map(({ id }) => id)));
  const found = await createInParallel(left.length, async (index) => {
    const results = await api.query({ query: `number${index + deleted}` });
    const [result] = results.filter(({ content }) => content === textOf(index + deleted).content);
    return result?.document_id;
  });
  expect(found).toEqual(left.map(({ id }) => id));
}

/** Writes a checkpoint, as PostgreSQL itself does every five minutes. */
const writeCheckpoint = (service: RunningService) =>
  withServiceDatabase(service, (client) => client.query('CHECKPOINT'));

const ROUNDS = 5;

/** Asserts that reads work while PostgreSQL allocates and frees disk space. */
async function expectReadingWithoutSpace(
  disk: SmallDisk,
  service: RunningService,
  stored: Stored,
): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    disk.fill(0);
    await writeCheckpoint(service);
    await expectReading(service, stored, 1);
    await expectStoringRefused(service, stored);
  }
}

/** Asserts that the refused requests succeed now, and that the waiting import ends. */
async function expectEverything(service: RunningService, stored: Stored): Promise<void> {
  const { api, request } = createCaller(service);
  for (const operation of storing(stored)) expect((await request(...operation)).status).toBe(200);
  expect((await put(service, stored.empty)).status).toBe(200);
  expect(await api.getDocumentStatus(stored.pending.id, 30)).toMatchObject({ status: 'processed' });
  const results = await api.query({ query: 'giraffes' });
  expect(results.map((result) => result.document_id)).toContain(stored.pending.id);
}

test.skipIf(!isAllowed)(
  'on a full disk writes are refused, reads and searches work, and nothing is damaged',
  async () => {
    await withSmallDisk(DISK_MEBIBYTES, async (disk) => {
      const { directory } = disk;
      const service = await startService(directory, {
        options: ['--no-worker'],
        settings: { LOG_LEVEL: 'fatal' },
      });
      const { api, request } = createCaller(service);
      const stored = await store(service);
      const key = { 'idempotency-key': randomUUID() };
      const first = await request('createKnowledgeBase', { name: 'kept' }, key);

      disk.fill(NEARLY_FULL_BYTES);
      const worker = await startWorker(directory, { settings: { LOG_LEVEL: 'fatal' } });
      await expectStoringRefused(service, stored);
      await expectReading(service, stored, 0);
      expect((await request('createKnowledgeBase', { name: 'kept' }, key)).text).toBe(first.text);
      await api.deleteDocument(stored.texts[0]?.id ?? '');
      const { status } = await api.getDocumentStatus(stored.pending.id, 2);
      expect(isFinal(status)).toBe(false);

      await expectReadingWithoutSpace(disk, service, stored);
      disk.free();
      await expectEverything(service, stored);
      await expectReading(service, stored, 1);
      expect(await runCommand(directory, 'fsck')).toBe('0 problems');
      await worker.stop();
      await service.stop();
    });
  },
  120_000,
);

/** Statements on the service's own database, as of another program there. The first that fails ends them. */
const runUntilFull = (service: RunningService, statement: string): Promise<unknown> =>
  withServiceDatabase(service, async (client) => {
    for (;;) await client.query(statement);
  }).catch((error: Error) => error.message);

/** Sorts more than fits into memory, and keeps the temporary files open until the returned function is called. */
async function keepTemporaryFiles(service: RunningService): Promise<() => Promise<unknown>> {
  const { promise: closing, resolve: close } = Promise.withResolvers<void>();
  const { promise: sorted, resolve } = Promise.withResolvers<void>();
  const sorting = withServiceDatabase(service, async (client) => {
    await client.query(
      `BEGIN; SET LOCAL work_mem = '64kB'; SET LOCAL idle_in_transaction_session_timeout = 0`,
    );
    const rows = `SELECT repeat(md5(i::text), 30) FROM generate_series(1, 100_000) AS i ORDER BY 1`;
    await client.query(`DECLARE sorted CURSOR FOR ${rows}`);
    await client.query('FETCH 1 FROM sorted');
    resolve();
    await closing;
  }).catch(() => {});
  await Promise.race([sorted, sorting]);
  return () => {
    close();
    return sorting;
  };
}

/** What fills the disk, beside another program's file, and what ends that. */
const CAUSES: Record<string, (service: RunningService) => Promise<() => Promise<unknown>>> = {
  async 'another program'() {
    return async () => {};
  },
  'temporary files': keepTemporaryFiles,
  async 'a table'(service) {
    await withServiceDatabase(service, (client) => client.query('CREATE UNLOGGED TABLE filling (text text)'));
    await runUntilFull(
      service,
      'INSERT INTO filling SELECT md5(i::text) FROM generate_series(1, 20_000) AS i',
    );
    return () => withServiceDatabase(service, (client) => client.query('DROP TABLE filling'));
  },
  async 'the write-ahead log'(service) {
    await runUntilFull(service, `SELECT pg_logical_emit_message(false, '', repeat('x', ${MEBIBYTE}))`);
    return async () => {};
  },
};

/** With the ballast of the database, which is made while 576 MiB are free. */
const LARGER_DISK_MEBIBYTES = 800;
const SOON = { timeout: 90_000, interval: 200 };

test.skipIf(!isAllowed)(
  'whatever fills the disk to its last byte, reads and searches go on, and the disk is named',
  { timeout: 400_000 },
  async () => {
    await withSmallDisk(LARGER_DISK_MEBIBYTES, async (disk) => {
      const service = await startService(disk.directory, { settings: { LOG_LEVEL: 'fatal' } });
      const { request } = createCaller(service);
      const stored = await store(service);
      const isKept = () => existsSync(join(disk.directory, 'postgres/knowledge-retrieval.ballast'));
      for (const [cause, begin] of Object.entries(CAUSES)) {
        await expect.poll(isKept, SOON).toBe(true);
        disk.fill(cause === 'another program' ? 0 : 100 * MEBIBYTE);
        const end = await begin(service);
        const search = async () => `${cause}: ${(await request('query', { query: 'number1' })).status}`;
        await expect.poll(search, SOON).toBe(`${cause}: 200`);
        await expectReading(service, stored, 0);
        await expectStoringRefused(service, stored);
        expect(await runCommand(disk.directory, 'doctor').catch(String)).toMatch(/disk/);
        disk.free();
        await end();
        const create = async () =>
          `${cause}: ${(await request('createKnowledgeBase', { name: cause })).status}`;
        await expect.poll(create, SOON).toBe(`${cause}: 200`);
      }
      await expectReading(service, stored, 0);
      expect(await runCommand(disk.directory, 'fsck')).toBe('0 problems');
      await service.stop();
    });
  },
);
