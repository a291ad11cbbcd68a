/** Passages of earlier versions get the vectors that an import would give them, whatever happens meanwhile. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Queryable } from '../../../database/connection/database.ts';
import { lockDocument } from '../../../database/rows/documents/documents.ts';
import type { OwnedKnowledgeBase } from '../../../database/rows/knowledge-bases.ts';
import { createTestDatabase } from '../../../database/testing/test-database.ts';
import { analyseDocument } from '../../../indexing/analyse-document.ts';
import type { Analyse } from '../../../indexing/analysis-pool.ts';
import { deleteDocuments } from '../../../indexing/delete-documents.ts';
import { findWithoutVectors } from '../../../indexing/missing-vectors.ts';
import { createStem } from '../../../indexing/stems.ts';
import { readStoredPassages, replacePassages } from '../../../indexing/store-passages.ts';
import { WORD_VECTORS_GENERATION } from '../../../meaning/passage-vectors.ts';
import { madeUpVectors } from '../../../meaning/testing/made-up-vectors.ts';
import { importText, makeKnowledgeBase } from '../../../search/testing/imported-texts.ts';
import { createLog } from '../../../telemetry/log.ts';
import { createTelemetry, unmetered } from '../../../telemetry/telemetry.ts';
import { fillVectors } from '../fill-vectors.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
let owned: OwnedKnowledgeBase;
let ids: string[];
/** How many passages had no vectors, each time that this changed. */
let told: (number | undefined)[];

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

const TEXTS = [
  { title: 'Zebras', content: 'Zebras graze in the evening, and drink water at the river.' },
  { title: 'Das Zebra', content: '# Das Zebra\n\nDas Zebra trinkt am Abend das Wasser des Flusses.' },
  { title: '灯塔', content: '灯塔在夜里为船只指明通往港口的航线。' },
  { title: 'Signs', content: '!!!' },
  {
    title: 'A large text',
    content: '## Of zebras\n\nZebras graze in the evening by the river. '.repeat(3_000),
  },
];
const LARGE = TEXTS.length - 1;

beforeEach(async () => {
  await sql`TRUNCATE knowledge_bases CASCADE`.execute(suite.database);
  owned = await makeKnowledgeBase(suite.database);
  ids = [];
  for (const text of TEXTS) ids.push(await importText(suite.database, owned, text));
  told = [];
});

const analyse: Analyse = async (document) =>
  analyseDocument(document, createStem(suite.database), madeUpVectors);

/** Makes the missing vectors, with another analysis where one is given. */
async function fill({ analyseAs = analyse, signal = new AbortController().signal } = {}): Promise<void> {
  const telemetry = createTelemetry({
    ...unmetered,
    passagesWithoutVectors: (count) => void told.push(count),
  });
  const context = { database: suite.database, analyse: analyseAs, telemetry, log: createLog('silent') };
  await fillVectors(context, signal);
}

/** An analysis that calls `act` before the second batch of the large document. */
const interrupted =
  (act: () => Promise<unknown>): Analyse =>
  async (...given) => {
    const batches = await analyse(...given);
    return (async function* () {
      for await (const batch of batches) {
        if (batch.position > 1) await act();
        yield batch;
      }
    })();
  };

async function readVectors(): Promise<object[]> {
  const { rows } = await sql<object>`
    SELECT document_id, position, generation, account_id, vector FROM passage_vectors
    ORDER BY knowledge_base_id, document_id, position, generation`.execute(suite.database);
  return rows;
}

/** Forgets vectors, as if an earlier version had imported the documents. */
const forget = async (...documents: string[]): Promise<void> =>
  void (await sql`DELETE FROM passage_vectors WHERE document_id = ANY(${documents}::uuid[])`.execute(
    suite.database,
  ));

const inTransaction = (act: (transaction: Queryable) => Promise<unknown>) =>
  suite.database.transaction().execute(act);

const remove = (id: string) =>
  inTransaction((transaction) => deleteDocuments(transaction, { ...owned, ids: [id] }));

const retitle = async (id: string, title: string) => {
  const document = { ...owned, id };
  const passages = await readStoredPassages(suite.database, document);
  const batches = await analyse({ title, format: 'passages', passages }, owned);
  await inTransaction(async (transaction) => {
    await lockDocument(transaction, document);
    await transaction.updateTable('documents').set({ title }).where('id', '=', id).execute();
    await replacePassages(transaction, document, batches);
  });
};

test('passages without vectors get those of an import, and nothing else changes', async () => {
  const imported = await readVectors();
  expect(imported.length).toBeGreaterThan(150);
  await forget(...ids);
  await fill();
  expect(await readVectors()).toEqual(imported);
  expect(told[0]).toBe(imported.length);
  expect(told.slice(-2)).toEqual([0, 0]);
});

test('nothing is told or written where nothing is missing', async () => {
  const imported = await readVectors();
  await fill();
  expect(told).toEqual([]);
  expect(await readVectors()).toEqual(imported);
});

test('an interrupted document is continued, and its count unknown until then', async () => {
  const imported = await readVectors();
  await forget(...ids);
  const stopping = new AbortController();
  const stop = async () => stopping.abort(new Error('the server stops'));
  const filling = fill({ analyseAs: interrupted(stop), signal: stopping.signal });
  await expect(filling).rejects.toThrow();
  expect(told.at(-1)).toBeUndefined();
  expect((await readVectors()).length).toBeLessThan(imported.length);
  await fill();
  expect(await readVectors()).toEqual(imported);
});

test('a document that is deleted meanwhile has no vectors, and the others get theirs', async () => {
  const others = (await readVectors()).length;
  await forget(...ids);
  let removed = 0;
  const large = ids[LARGE] ?? '';
  const removeOnce = async () => {
    if (removed++ === 0) await remove(large);
  };
  await fill({ analyseAs: interrupted(removeOnce) });
  const vectors = (await readVectors()) as { document_id: string }[];
  expect(vectors.filter(({ document_id }) => document_id === large)).toEqual([]);
  expect(vectors).toHaveLength(TEXTS.length - 1);
  expect(others).toBeGreaterThan(vectors.length);
});

test('a deleted knowledge base gets no vectors', async () => {
  await forget(...ids);
  await sql`UPDATE knowledge_bases SET deleted_at = now()`.execute(suite.database);
  await fill();
  expect(await readVectors()).toEqual([]);
});

test('a document that gets another title meanwhile has the vectors of that title', async () => {
  await forget(...ids);
  let changed = 0;
  const changeOnce = async () => {
    if (changed++ === 0) await retitle(ids[LARGE] ?? '', 'Lions and gazelles');
  };
  await fill({ analyseAs: interrupted(changeOnce) });
  const filled = await readVectors();
  await forget(...ids);
  await fill();
  expect(await readVectors()).toEqual(filled);
});

test('a document that a transaction has locked is not waited for, and comes next time', async () => {
  const imported = await readVectors();
  await forget(...ids);
  await inTransaction(async (transaction) => {
    await lockDocument(transaction, { ...owned, id: ids[0] ?? '' });
    await fill();
  });
  expect(await readVectors()).toHaveLength(imported.length - 1);
  await fill();
  expect(await readVectors()).toEqual(imported);
});

test('two servers at once make the same', async () => {
  const imported = await readVectors();
  await forget(...ids);
  await Promise.all([fill(), fill()]);
  expect(await readVectors()).toEqual(imported);
});

test('a document whose analysis fails does not hold up the others', async () => {
  await forget(...ids);
  const analyseAs: Analyse = async (document, options) => {
    if (document.title === 'Das Zebra') throw new Error('no such word');
    return await analyse(document, options);
  };
  await fill({ analyseAs });
  const missing: string[] = [];
  const found = findWithoutVectors(suite.database, WORD_VECTORS_GENERATION, async () => {});
  for await (const { id } of found) missing.push(id);
  expect(missing).toEqual([ids[1]]);
});

test('where the database is unreachable, the job ends', async () => {
  for (let i = 0; i < 10; i++)
    ids.push(await importText(suite.database, owned, { title: `${i}`, content: 'a' }));
  await forget(...ids);
  const analyseAs: Analyse = () => Promise.reject(new Error('away'));
  await expect(fill({ analyseAs })).rejects.toThrow('away');
});

test('what a server of an earlier version imports later is found by the next search', async () => {
  const imported = await readVectors();
  await fill();
  await forget(ids[2] ?? '');
  await fill();
  expect(await readVectors()).toEqual(imported);
  expect(told[0]).toBe(1);
});

test('a server of an earlier version deletes a document that has vectors', async () => {
  const others = (await readVectors()).length - 1;
  for (const table of ['passage_lexemes', 'passages'] as const)
    await suite.database
      .deleteFrom(table)
      .where('document_id', '=', ids[0] ?? '')
      .execute();
  await suite.database
    .deleteFrom('documents')
    .where('id', '=', ids[0] ?? '')
    .execute();
  expect(await readVectors()).toHaveLength(others);
});
