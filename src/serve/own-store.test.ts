/** A server starts only with the store that has its database's files. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../config/config.ts';
import { createEmptyDatabase } from '../database/testing/test-database.ts';
import { isForeign } from '../files/store-identity.ts';
import { openFiles } from './open-files.ts';
import { openService } from './open-service.ts';
import { requireOwnStore } from './own-store.ts';
import { startTestService, type TestService } from './testing/test-service.ts';

const log = pino({ level: 'silent' });

let folder: string;
let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
let suite: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-own-files-'));
  empty = await createEmptyDatabase();
  suite = await startTestService({ connection: empty.connection });
});
afterAll(async () => {
  await suite.close();
  await empty.drop();
  await rm(folder, { recursive: true });
});

/** Imports a file into a new knowledge base. */
async function importFile(): Promise<void> {
  const { body } = await suite.call('createKnowledgeBase', { name: 'files' });
  const path = `uploadFile?knowledgeBaseId=${body.data.id}&fileName=a.txt`;
  expect((await suite.call(path, Buffer.from('The kea plays.'))).status).toBe(200);
}

/** Starts a server on the same database with a DATA_DIR of this name, and ends it. */
async function startAt(name: string): Promise<void> {
  const config = readConfig({ DATA_DIR: join(folder, name) });
  const { close } = await openService(config, { ...empty, log, runsWorkers: false });
  await close();
}

/** Compares the files of the running server, as a start does. `change` replaces functions of its store. */
const compareOwn = (change: Partial<TestService['service']['files']> = {}, waitMs = 5_000) => {
  const { database, config, files } = suite.service;
  return requireOwnStore({ database, files: { ...files, ...change }, log }, config, waitMs);
};

const SENTENCE = new RegExp(
  String.raw`^The files in (\S+) are not those of this database: of ` +
    String.raw`(\d+) that were looked up, \2 are missing there\. All servers`,
);

test('a server with a DATA_DIR of its own starts while the database has no files, and never after', async () => {
  await startAt('other');
  await importFile();
  await expect(startAt('other')).rejects.toThrow(SENTENCE);
  await expect(startAt('other')).rejects.toThrow(`${join(folder, 'other')}/files are`);
  await compareOwn();
});

test('the mark of another database in the same store is not its own', async () => {
  const files = await openFiles(readConfig({ DATA_DIR: join(folder, 'shared') }));
  await files.put(`databases/${uuidv7()}`, Buffer.from('its own'));
  await expect(startAt('shared')).rejects.toThrow(SENTENCE);
});

test.each([
  ['fails', () => Promise.reject(new Error('no answer'))],
  ['is silent', () => new Promise<never>(() => {})],
])('a start goes on with a store that %s', async (_, exists) => {
  await compareOwn({ exists }, 10);
});

test('a start goes on with a store that takes no mark: its disk may be full', async () => {
  const files = await openFiles(suite.service.config);
  await files.remove('databases');
  await compareOwn({ put: () => Promise.reject(new Error('ENOSPC')) });
});

test('a file that is deleted while it is looked up is not missing', async () => {
  const { database, files } = suite.service;
  await files.remove('databases');
  const exists = async () => {
    await database.updateTable('knowledge_bases').set({ deleted_at: new Date() }).execute();
    return false;
  };
  await compareOwn({ exists });
});

test('a store once recognised stays so when its files are lost', async () => {
  const { files } = suite.service;
  await importFile();
  await compareOwn();
  for await (const knowledgeBaseId of files.listKnowledgeBases()) await files.remove(knowledgeBaseId);
  await compareOwn();
  await files.remove('databases');
  await expect(compareOwn()).rejects.toThrow(SENTENCE);
});

test.each([
  [0, 0, false],
  [1, 1, true],
  [3, 2, false],
  [16, 12, false],
  [16, 13, true],
])(
  'a store is foreign if it has less than a quarter: of %i files it lacks %i',
  (sampled, missing, foreign) => {
    expect(isForeign({ sampled, missing })).toBe(foreign);
  },
);
