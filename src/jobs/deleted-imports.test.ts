/** A document deleted during its import is not searchable and not stored, and its analysis ends. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createExtractionPool } from '../extraction/sandbox/extraction-pool.ts';
import type { PassageBatch } from '../indexing/analyse-document.ts';
import { startTestService } from '../serve/testing/test-service.ts';
import { useUnattendedImports } from '../serve/testing/unattended-imports.ts';
import { importFile } from './importing/import-file.ts';
import { endOverdueImports } from './imports.ts';
import { purgeKnowledgeBase } from './purge-knowledge-base.ts';
import { attempt } from './testing/attempt.ts';

const hostile = fileURLToPath(new URL('../extraction/testing/hostile-process.ts', import.meta.url));
const suite = useUnattendedImports();
const { importPending, statusOf, search } = suite;

const NO_TIME = { importTimeoutSeconds: 0, importWaitSeconds: 0 };

async function countRows(table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) FROM ${sql.table(table)} WHERE knowledge_base_id = ${suite.knowledgeBaseId}`.execute(
    suite.service.database,
  );
  return rows[0]?.count ?? -1;
}

test('does not store a document that is deleted while its job runs', async () => {
  const id = await importPending('gone.txt', 'a gone zebra');
  const { service, call } = suite;
  const slow = {
    ...service,
    extract: async (file: Parameters<typeof service.extract>[0]) => {
      const read = await service.extract(file);
      expect((await call('deleteDocument', { documentId: id })).status).toBe(200);
      return read;
    },
  };
  await importFile(slow, attempt(id));
  expect(await search('zebra')).toEqual([]);
  expect([await countRows('documents'), await countRows('passages'), await countRows('files')]).toEqual([
    0, 0, 0,
  ]);
});

/** Batches of a document. Reading one fails the test. */
function createUnconsumedBatches() {
  const batches = {
    [Symbol.asyncIterator]: () => batches,
    next: (): Promise<IteratorResult<PassageBatch>> => Promise.reject(new Error('no batch may be read')),
    return: vi.fn(async () => ({ value: undefined, done: true as const })),
  };
  return batches;
}

test.each(['document', 'knowledge base'])(
  'ends the analysis of a file whose %s is deleted meanwhile',
  async (what) => {
    const documentId = await importPending('gone.txt', 'a gone zebra');
    const { service, call } = suite;
    const batches = createUnconsumedBatches();
    const slow = {
      ...service,
      analyse: async () => {
        if (what === 'document') await call('deleteDocument', { documentId });
        else await call('deleteKnowledgeBase', { knowledgeBaseId: suite.knowledgeBaseId });
        return batches;
      },
    };
    await importFile(slow, attempt(documentId));
    expect(batches.return).toHaveBeenCalled();
  },
);

test.each([
  ['deleted', (id: string) => suite.call('deleteDocument', { documentId: id })],
  ['overdue', () => endOverdueImports(suite.service.database, NO_TIME)],
])('ends the extraction of a file soon after its document is %s', async (_what, end) => {
  const id = await importPending('loop', 'a file that is never read to its end');
  const { extract, close } = createExtractionPool({ program: hostile });
  const reading = importFile({ ...suite.service, extract }, attempt(id));
  await vi.waitUntil(async () => (await statusOf(id)).status === 'processing');
  await end(id);
  await reading;
  close();
  expect(await countRows('passages')).toBe(0);
});

test.each(['document', 'knowledge base'])(
  'ends an import without an error when its %s is deleted before the extraction',
  async (what) => {
    const documentId = await importPending('waiting.txt', 'some text');
    const { service, call } = suite;
    const extract: typeof service.extract = async ({ readBytes, ...file }, signal) => {
      if (what === 'document') await call('deleteDocument', { documentId });
      else {
        await call('deleteKnowledgeBase', { knowledgeBaseId: suite.knowledgeBaseId });
        await purgeKnowledgeBase(service, {
          payload: { knowledgeBaseId: suite.knowledgeBaseId },
          signal: new AbortController().signal,
        });
      }
      await expect(readBytes()).rejects.toThrow('ENOENT');
      return await service.extract({ ...file, readBytes }, signal);
    };
    await importFile({ ...service, extract }, attempt(documentId));
    expect(await countRows('passages')).toBe(0);
  },
);

test('a purge removes all rows and objects of a deleted knowledge base', async () => {
  const id = await importPending('a.txt', 'some text');
  await importFile(suite.service, attempt(id));
  const directory = join(suite.service.config.dataDir, 'files', suite.knowledgeBaseId);
  await access(directory);
  await suite.call('deleteKnowledgeBase', { knowledgeBaseId: suite.knowledgeBaseId });
  const job = { payload: { knowledgeBaseId: suite.knowledgeBaseId }, signal: new AbortController().signal };
  await purgeKnowledgeBase(suite.service, job);
  await purgeKnowledgeBase(suite.service, job);
  const tables = [
    'knowledge_bases',
    'documents',
    'passages',
    'passage_lexemes',
    'passage_vectors',
    'documents_without_vectors',
    'files',
    'document_frequency_deltas',
    'document_frequencies',
    'language_statistics',
  ];
  expect(await Promise.all(tables.map(countRows))).toEqual(tables.map(() => 0));
  await expect(access(directory)).rejects.toThrow('ENOENT');
});

test('ends the analysis of a text whose knowledge base is deleted meanwhile', async () => {
  const batches = createUnconsumedBatches();
  const slow = await startTestService({
    change: () => ({
      analyse: async () => {
        await slow.call('deleteKnowledgeBase', { knowledgeBaseId: slowBase });
        return batches;
      },
    }),
  });
  const { body } = await slow.call('createKnowledgeBase', { name: 'gone soon' });
  const slowBase = String(body.data.id);
  const content = 'a gone zebra '.repeat(1_000); // a short text is not analysed by `analyse`
  const text = { knowledgeBaseId: slowBase, title: 'Text', content };
  const answer = await slow.call('importTextContent', text);
  await slow.close();
  expect(answer.body.errorCode).toBe('KNOWLEDGE_BASE_NOT_FOUND');
  expect(batches.return).toHaveBeenCalled();
});
