/** The check reports each damage and repairs what can be repaired; for a healthy store it reports nothing. */
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../database/connection/database.ts';
import type { OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { wantGeneration } from '../database/rows/vector-generations.ts';
import { createTestDatabase } from '../database/testing/test-database.ts';
import { openDiskStore } from '../files/disk-store.ts';
import type { FileStore } from '../files/file-store.ts';
import { type FileComparison, reconcileFiles } from '../files/reconcile.ts';
import { deleteDocuments } from '../indexing/delete-documents.ts';
import { importText, makeKnowledgeBase } from '../search/testing/imported-texts.ts';
import { formatScopedId } from '../terms/ids.ts';
import { checkStore } from './check-store.ts';

let database: Database;
let closeDatabase: () => Promise<void>;
let files: FileStore;
let directory: string;
let owned: OwnedKnowledgeBase;

beforeAll(async () => {
  const test = await createTestDatabase();
  ({ database, close: closeDatabase } = test);
  directory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-check-'));
  files = await openDiskStore(directory);
});
afterAll(async () => {
  await closeDatabase();
  await rm(directory, { recursive: true });
});

/** A knowledge base with two texts, one deleted text and an uploaded file. */
beforeEach(async () => {
  for (const name of await readdir(directory))
    if (name !== '.incoming') await rm(join(directory, name), { recursive: true });
  await sql`
    TRUNCATE knowledge_bases, document_frequencies, document_frequency_deltas, language_statistics
    CASCADE`.execute(database);
  owned = await makeKnowledgeBase(database);
  await importText(database, owned, { title: 'a', content: 'The zebra drinks water.' });
  await importText(database, owned, { title: 'b', content: 'Das Zebra trinkt am Abend das Wasser.' });
  const gone = await importText(database, owned, { title: 'c', content: 'gone' });
  await database
    .transaction()
    .execute((transaction) => deleteDocuments(transaction, { ...owned, ids: [gone] }));
});

async function check(repair = false, acceptLostFiles = false): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of checkStore({
    database,
    files,
    config: { importTimeoutSeconds: 600, importWaitSeconds: 600, s3: undefined, dataDir: directory },
    repair,
    acceptLostFiles,
  }))
    lines.push(line);
  return lines;
}

/** An uploaded file that is not imported; returns its object's name. */
async function addFile(): Promise<string> {
  const id = uuidv7();
  const prefix = `${owned.knowledgeBaseId}/${id}`;
  const { objectName, sha256 } = await files.write(prefix, Readable.from([Buffer.from('four')]), 4);
  const now = new Date();
  await database
    .insertInto('files')
    .values({
      knowledge_base_id: owned.knowledgeBaseId,
      account_id: owned.accountId,
      id,
      file_name: 'a.txt',
      size_bytes: 4,
      object_name: objectName,
      sha256,
      created_at: now,
      expires_at: now,
      uploaded_at: now,
    })
    .execute();
  return objectName;
}

const fileIdOf = (objectName: string): string => objectName.split('/')[1] ?? '';

/** A document of an uploaded file; returns the id that clients know, and its object's name. */
async function addImportedFile(title: string) {
  const objectName = await addFile();
  const fileId = fileIdOf(objectName);
  const id = await importText(database, owned, { title, content: 'four' });
  await sql`UPDATE files SET document_id = ${id} WHERE id = ${fileId}`.execute(database);
  await sql`UPDATE documents SET file_id = ${fileId} WHERE id = ${id}`.execute(database);
  return { documentId: formatScopedId({ ...owned, id }), objectName };
}

test('a healthy store has no problems', async () => {
  await addFile();
  expect(await check()).toEqual([]);
});

test.each([
  [
    'a document count that is too high',
    'UPDATE knowledge_base_statistics SET document_count = document_count + 1',
  ],
  ['a byte count that is too low', 'UPDATE knowledge_base_statistics SET storage_bytes = storage_bytes - 1'],
  [
    'a passage count that is too high',
    'UPDATE knowledge_base_statistics SET passage_count = passage_count + 1',
  ],
  ['a wrong total length of passages', 'UPDATE knowledge_base_statistics SET passage_length_total = 1'],
  [
    'statistics of a language that no passage has',
    "UPDATE language_statistics SET language = 'yiddish' WHERE language = 'german'",
  ],
  [
    'a lost delta of document frequencies',
    'DELETE FROM document_frequency_deltas WHERE id = (SELECT min(id::text)::uuid FROM document_frequency_deltas)',
  ],
  ['a wrong passage count of a document', "UPDATE documents SET passage_count = 7 WHERE title = 'a'"],
])('reports and repairs %s', async (_, damage) => {
  await sql.raw(damage).execute(database);
  const [line = '', ...further] = await check();
  expect(line).toMatch(/^knowledge base [\w-]{36}: .+: says .+, counted .+$/);
  expect(further.length).toBeLessThan(12);
  expect(await check(true)).toEqual([]);
  expect(await check()).toEqual([]);
});

test('reports a passage without its postings', async () => {
  await sql`DELETE FROM passage_lexemes WHERE document_id = (SELECT id FROM documents WHERE title = 'a')`.execute(
    database,
  );
  expect((await check()).join('\n')).toMatch(/in passage_lexemes: says 1, counted 0$/m);
  expect((await check(true)).join('\n')).toMatch(
    /counted 1\. This cannot be repaired: restore a backup, or delete/,
  );
});

test('reports vectors of no passage and vectors of a wrong length, and removes them', async () => {
  await database.deleteFrom('passage_vectors').execute();
  const model = { url: 'http://localhost', model: 'small', queryPrefix: '', passagePrefix: '' };
  await wantGeneration(database, { ...model, mean: new Float32Array(124).fill(1) }); // stored as 128 numbers
  await sql`
    INSERT INTO passage_vectors (knowledge_base_id, document_id, position, generation, account_id, vector)
    SELECT knowledge_base_id, id, position, generation, account_id, repeat('1', bits)::bit varying
    FROM documents, unnest(ARRAY[1, 1, 2], ARRAY[1, 2, 1], ARRAY[768, 384, 768]) AS made (position, generation, bits)
    WHERE title = 'a'`.execute(database);
  await sql`
    INSERT INTO passage_vectors (knowledge_base_id, document_id, position, generation, account_id, vector)
    SELECT knowledge_base_id, id, 1, generation, account_id, B'101'
    FROM documents, unnest(ARRAY[1, 2]) AS generation WHERE title = 'b'`.execute(database);
  const found = (await check()).map((line) => line.replace(/^.* document [\w-]{36} /, ''));
  expect(found.toSorted()).toEqual([
    'that are of a wrong length: says 0, counted 2',
    'that are of no passage: says 0, counted 1',
  ]);
  expect(await check(true)).toEqual([]);
  const { rows } = await sql`
    SELECT generation, length(vector) AS bits FROM passage_vectors WHERE knowledge_base_id = ${owned.knowledgeBaseId}
    ORDER BY generation`.execute(database);
  expect(rows).toEqual([
    { generation: 1, bits: 768 },
    { generation: 2, bits: 384 },
  ]);
});

test('reports vectors that a document lacks in its middle, and lets them be made', async () => {
  const id = await importText(database, owned, {
    title: 'c',
    content: '## A\n\nZebras graze.\n\n'.repeat(200),
  });
  await sql`DELETE FROM documents_without_vectors`.execute(database);
  const model = { url: 'http://localhost', model: 'middle', queryPrefix: '', passagePrefix: '' };
  await sql`TRUNCATE vector_generations`.execute(database);
  const made = await wantGeneration(database, { ...model, mean: new Float32Array(128).fill(1) });
  await sql`
    INSERT INTO passage_vectors SELECT knowledge_base_id, document_id, position, ${made?.generation}, account_id,
      repeat('1', 384)::bit varying FROM passages WHERE document_id = ${id} AND position <> 2`.execute(
    database,
  );
  expect(await check()).toEqual([
    expect.stringContaining(`vectors of document ${id} that are missing: says 0, counted 1`),
  ]);
  expect(await check(true)).toEqual([]);
  const { rows } = await sql`SELECT document_id AS id FROM documents_without_vectors`.execute(database);
  expect(rows).toEqual([{ id }]);
});

test('reports old objects without a row, and removes them with their empty directories', async () => {
  const kept = await addFile();
  const [orphan, young] = [uuidv7(), uuidv7()].map((id) => `${owned.knowledgeBaseId}/${id}/${uuidv7()}`) as [
    string,
    string,
  ];
  for (const name of [orphan, young]) {
    await mkdir(join(directory, dirname(name)));
    await writeFile(join(directory, name), 'bytes');
  }
  const old = new Date(Date.now() - 2 * 3_600_000);
  await utimes(join(directory, orphan), old, old);
  await utimes(join(directory, kept), old, old);
  expect(await check()).toEqual([
    `knowledge base ${owned.knowledgeBaseId}: stored object that no row of the database names: ${orphan}`,
  ]);
  expect(await check(true)).toEqual([]);
  expect(await check()).toEqual([]);
  expect(await readdir(join(directory, owned.knowledgeBaseId))).toHaveLength(2);
});

test('compares all files of a knowledge base that has several pages of them', async () => {
  const { knowledgeBaseId, accountId } = owned;
  const names: string[] = [];
  for (let count = 0; count < 2_500; count++) names.push(`${knowledgeBaseId}/${uuidv7()}/${uuidv7()}`);
  const [orphans, lost] = [
    [0, 1_100, 2_499].map((index) => names[index]),
    [1, 999, 2_000].map((index) => names[index]),
  ];
  const now = new Date();
  await database
    .insertInto('files')
    .values(
      names
        .filter((name) => !orphans.includes(name))
        .map((name) => ({
          knowledge_base_id: knowledgeBaseId,
          account_id: accountId,
          id: name.split('/')[1] ?? '',
          file_name: 'a.txt',
          size_bytes: 4,
          object_name: name,
          sha256: Buffer.alloc(32),
          created_at: now,
          expires_at: now,
          uploaded_at: now,
        })),
    )
    .execute();
  for (const name of names.filter((name) => !lost.includes(name))) {
    await mkdir(join(directory, dirname(name)), { recursive: true });
    await writeFile(join(directory, name), 'four');
    await utimes(join(directory, name), new Date(0), new Date(0));
  }
  const pages: FileComparison[] = [];
  for await (const page of reconcileFiles({ database, files }, knowledgeBaseId)) pages.push(page);
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.flatMap((page) => page.orphans)).toEqual(orphans);
  expect(pages.flatMap((page) => page.lost.map(({ objectName }) => objectName))).toEqual(lost);
  expect(pages.flatMap((page) => page.wrongLength)).toEqual([]);
});

test('ignores objects with names that the service does not use', async () => {
  const foreign = join(directory, 'notes.txt');
  await writeFile(foreign, 'mine');
  await mkdir(join(directory, owned.knowledgeBaseId, 'subdirectory'), { recursive: true });
  await writeFile(join(directory, owned.knowledgeBaseId, 'subdirectory', 'x'), 'mine too');
  for (const path of [foreign, join(directory, owned.knowledgeBaseId, 'subdirectory', 'x')])
    await utimes(path, new Date(0), new Date(0));
  expect(await check(true)).toEqual([]);
  expect(await readdir(join(directory, owned.knowledgeBaseId, 'subdirectory'))).toEqual(['x']);
  await rm(foreign);
});

test('reports rows whose object is missing or has another length', async () => {
  const [gone, cut] = [await addFile(), await addFile()];
  await rm(join(directory, gone));
  await writeFile(join(directory, cut), 'abc');
  const { knowledgeBaseId } = owned;
  const upload = (objectName: string) =>
    `knowledge base ${knowledgeBaseId}: the bytes of upload ${knowledgeBaseId}_${fileIdOf(objectName)} "a.txt"`;
  const remedy = 'This cannot be repaired: restore a backup, or upload the file again.';
  expect((await check()).toSorted()).toEqual(
    [
      `${upload(gone)} are gone: ${gone}`,
      `${upload(cut)} have the wrong length: ${cut}. ${remedy}`,
    ].toSorted(),
  );
});

test('the repair clears an upload whose object is missing, and reports a remedy for documents', async () => {
  const uploaded = await addFile();
  const [gone, cut] = [
    await addImportedFile('Gone\u001b[2J “file”.pdf'),
    await addImportedFile('Cut off.pdf'),
  ];
  for (const name of [uploaded, gone.objectName]) await rm(join(directory, name));
  await writeFile(join(directory, cut.objectName), 'abc');
  const knowledgeBase = `knowledge base ${owned.knowledgeBaseId}: the bytes of document`;
  const remedy =
    'This cannot be repaired: restore a backup, or delete the document and upload the file again.';
  const lines = [
    `${knowledgeBase} ${gone.documentId} "Gone [2J “file”.pdf" are gone: ${gone.objectName}. ${remedy}`,
    `${knowledgeBase} ${cut.documentId} "Cut off.pdf" have the wrong length: ${cut.objectName}. ${remedy}`,
  ];
  expect(await check(true)).toEqual(lines);
  expect(await check()).toEqual(lines);
});

test('of a store that is not the database’s own it says only that, until the operator accepts the loss', async () => {
  const [uploaded, document] = [await addFile(), await addImportedFile('Gone.pdf')];
  for (const name of [uploaded, document.objectName]) await rm(join(directory, name));
  const foreign = expect.stringMatching(/are not those of this database: .* `.* fsck --accept-lost-files` /);
  expect(await check(true)).toEqual([foreign]);
  expect(await check(false, true)).toEqual([
    expect.stringContaining(uploaded),
    expect.stringContaining(document.documentId),
  ]);
  expect(await check()).toHaveLength(2);
});

test('reports old objects of an unknown knowledge base, which only the repair removes', async () => {
  const unknown = uuidv7();
  const orphan = `${unknown}/${uuidv7()}/${uuidv7()}`;
  await mkdir(join(directory, dirname(orphan)), { recursive: true });
  await writeFile(join(directory, orphan), 'bytes');
  await utimes(join(directory, orphan), new Date(0), new Date(0));
  expect(await check()).toEqual([
    `knowledge base ${unknown}, which this database does not know: ` +
      `stored object that no row of the database names: ${orphan}`,
  ]);
  expect(await check(true)).toEqual([]);
  expect(await readdir(directory)).not.toContain(unknown);
});

test('reports a stuck document, and a deleted knowledge base that is not purged', async () => {
  await sql`UPDATE documents SET status = 'processing', passage_count = 0, created_at = now() - interval '1 day'
    WHERE title = 'a'`.execute(database);
  const other = await makeKnowledgeBase(database);
  await sql`UPDATE knowledge_bases SET deleted_at = now() - interval '2 hours'
    WHERE knowledge_base_id = ${other.knowledgeBaseId}`.execute(database);
  const lines = await check();
  expect(lines).toContainEqual(
    expect.stringMatching(/^document .* is still processing: start a server or worker/),
  );
  expect(lines).toContainEqual(expect.stringContaining(`${other.knowledgeBaseId} was deleted`));
});
