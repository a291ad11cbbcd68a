/** Small files that are taken together: each is stored as if it were alone, and fails alone. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { DeletionAnnounced } from '../../database/rows/deletion-lock.ts';
import { importUnattended, useUnattendedImports } from '../../serve/testing/unattended-imports.ts';
import { parseDocumentId } from '../../terms/ids.ts';
import type { JobContext } from '../job-context.ts';
import { attempt } from '../testing/attempt.ts';
import { importFile } from './import-file.ts';
import { importSmallFiles } from './import-together.ts';

const suite = useUnattendedImports();
const { call, importPending, search, statusOf } = suite;

/** One try of these documents together. Returns the reason of each that has to be tried again. */
async function runTogether(documentIds: string[], service: JobContext = suite.service): Promise<unknown[]> {
  const results = await Promise.allSettled(importSmallFiles(service, documentIds.map(attempt)));
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
}

const statusesOf = async (documentIds: string[]) => {
  const reports = await Promise.all(documentIds.map(statusOf));
  return reports.map(({ status }) => status);
};

/** How many transactions have published these documents. */
async function countTransactions(documentIds: string[]): Promise<number> {
  const ids = documentIds.map((id) => parseDocumentId(id, undefined).id);
  const { rows } = await sql<{ count: number }>`
    SELECT count(DISTINCT xmin::text) FROM documents WHERE id = ANY(${ids}::uuid[])`.execute(
    suite.service.database,
  );
  return rows[0]?.count ?? 0;
}

/** All that is stored of a document, without its ids and times. */
async function readStored(documentId: string) {
  const { knowledgeBaseId, id } = parseDocumentId(documentId, undefined);
  const { rows } = await sql`
    SELECT title, type, status, size_bytes, passage_count, warnings, page_count,
      (SELECT jsonb_agg(to_jsonb(passage) - 'knowledge_base_id' - 'document_id' - 'account_id' ORDER BY position)
        FROM passages AS passage WHERE document_id = ${id}) AS passages,
      (SELECT jsonb_agg(jsonb_build_array(length, replace(lexemes::text, ${knowledgeBaseId}, 'own'))
        ORDER BY position) FROM passage_lexemes WHERE document_id = ${id}) AS lexemes
    FROM documents WHERE knowledge_base_id = ${knowledgeBaseId} AND id = ${id}`.execute(
    suite.service.database,
  );
  return rows[0];
}

async function readStatistics(knowledgeBaseId: string) {
  const { rows } = await sql`
    SELECT document_count, storage_bytes, passage_count, passage_length_total,
      (SELECT jsonb_object_agg(key, count) FROM (
        SELECT key, sum(value::integer) AS count FROM document_frequency_deltas, jsonb_each_text(passage_counts)
        WHERE knowledge_base_id = ${knowledgeBaseId} GROUP BY key) AS counted) AS lexemes
    FROM knowledge_base_statistics WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(
    suite.service.database,
  );
  return rows[0];
}

const FILES: [name: string, content: string][] = [
  ['zebra.md', '# Zebras\n\nA zebra drinks water.\n\n## Stripes\n\nNo two are the same.'],
  ['gnu.txt', 'Das Gnu zieht jedes Jahr durch die Steppe, und die anderen Tiere ziehen mit ihm.'],
  ['herd.csv', 'animal,count\nzebra,3\ngnu,5'],
  ['page.html', '<title>Savanna</title><h1>Savanna</h1><p>Where the zebra lives.</p>'],
];

test('they are published in one transaction, and all that is stored equals imports one by one', async () => {
  const other = String((await call('createKnowledgeBase', { name: 'alone' })).body.data.id);
  const alone: string[] = [];
  for (const [fileName, content] of FILES) {
    const id = await importUnattended(suite, { knowledgeBaseId: other, fileName, content });
    await importFile(suite.service, attempt(id));
    alone.push(id);
  }
  const together: string[] = [];
  for (const [name, content] of FILES) together.push(await importPending(name, content));
  expect(await runTogether(together)).toEqual([]);
  expect(await countTransactions(together)).toBe(1);
  for (const [i, id] of together.entries())
    expect(await readStored(id)).toEqual(await readStored(alone[i] ?? ''));
  expect(await readStatistics(suite.knowledgeBaseId)).toEqual(await readStatistics(other));
});

test('a file that cannot be read fails alone, with its reason and its event; the others have theirs', async () => {
  const webhook = await call('createWebhook', { url: 'https://hooks.example.org/x' });
  const [good, empty] = [await importPending('a.txt', 'An aardvark.'), await importPending('b.txt', ' ')];
  expect(await runTogether([good, empty])).toEqual([]);
  expect(await statusOf(good)).toMatchObject({ status: 'processed', passageCount: 1 });
  expect(await statusOf(empty)).toMatchObject({ status: 'failed', error: { code: 'NO_TEXT_EXTRACTED' } });
  const { rows } = await sql`
    SELECT type, data ->> 'status' AS status, data ->> 'id' AS id FROM webhook_events ORDER BY type`.execute(
    suite.service.database,
  );
  expect(rows).toEqual([
    { type: 'document.failed', status: 'failed', id: empty },
    { type: 'document.processed', status: 'processed', id: good },
  ]);
  await call('deleteWebhook', { webhookId: webhook.body.data.id });
});

test('two versions of a document: the later one is found', async () => {
  const versions = ['The first quokka.', 'The second quokka.', 'The third quokka.'];
  const ids: string[] = [];
  for (const content of versions) ids.push(await importPending('q.txt', content, { externalId: 'q' }));
  // The third aborts the second, if it comes to its end first. The queue would try the second again.
  for (const reason of await runTogether(ids)) expect(reason).toBeInstanceOf(DeletionAnnounced);
  expect(await search('quokka')).toEqual(['The third quokka.']);
});

test('a document that is deleted or gets another title meanwhile does not hold up the others', async () => {
  const ids: string[] = [];
  for (const name of ['deleted', 'retitled', 'kept'])
    ids.push(await importPending(`${name}.txt`, `The okapi is ${name}.`));
  const [deleted, retitled] = ids;
  const { service } = suite;
  let reads = 0;
  const extract: typeof service.extract = async (...file) => {
    const extraction = await service.extract(...file);
    if (++reads === 3) {
      await call('deleteDocument', { documentId: deleted });
      await call('updateDocument', { documentId: retitled, title: 'Quagga' });
    }
    return extraction;
  };
  expect(await runTogether(ids, { ...service, extract })).toEqual([]);
  expect((await search('okapi')).toSorted()).toEqual(['The okapi is kept.', 'The okapi is retitled.']);
  expect(await search('quagga')).toEqual(['The okapi is retitled.']);
});

test('a file whose process breaks is read alone in the same try; one of another kind than its name too', async () => {
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) ids.push(await importPending(`${name}.txt`, `The dodo ${name}.`));
  const { service } = suite;
  const broken = new Set(['b.txt']);
  const extract: typeof service.extract = async (file, signal) => {
    if (broken.delete(file.fileName)) throw new Error('the process has ended');
    return await service.extract(file, signal);
  };
  expect(await runTogether(ids, { ...service, extract })).toEqual([]);
  expect(await statusesOf(ids)).toEqual(['processed', 'processed', 'processed']);
  expect(await countTransactions(ids)).toBe(2);
});

test('files taken together that take too long give the rest back, and what is left is pending', async () => {
  const ids = [await importPending('slow.txt', 'The sloth.'), await importPending('next.txt', 'The snail.')];
  const { service } = suite;
  const { now } = performance;
  let passedMs = 0;
  performance.now = () => now.call(performance) + passedMs;
  const extract: typeof service.extract = async (...file) => {
    passedMs += 11_000;
    return await service.extract(...file);
  };
  const failures = await runTogether(ids, { ...service, extract }).finally(() => {
    performance.now = now;
  });
  expect(failures).toEqual([expect.objectContaining({ message: expect.stringContaining('too long') })]);
  expect(await statusesOf(ids)).toEqual(['processed', 'pending']);
});
