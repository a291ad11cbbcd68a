/** With pgvector, a large knowledge base has an index, by which passages without any word of the query are found. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '../../../database/connection/database.ts';
import { createPool } from '../../../database/connection/pool.ts';
import type { OwnedKnowledgeBase } from '../../../database/rows/knowledge-bases.ts';
import { type VectorGeneration, wantGeneration } from '../../../database/rows/vector-generations.ts';
import {
  createDatabaseOn,
  migrateAndDistribute,
  type NewDatabase,
} from '../../../database/testing/new-database.ts';
import { createVectorIndexes, type VectorIndexes } from '../../../database/vector-indexes/usable-indexes.ts';
import { readIndexFigures, readVectorIndexes } from '../../../database/vector-indexes/vector-indexes.ts';
import { pgvectorPrograms, startPgvector } from '../../../embedded-postgres/testing/pgvector.ts';
import { createStemMemory } from '../../../indexing/stems.ts';
import { COMPARED_MAX, noVectors } from '../../../meaning/passage-vectors.ts';
import { meaningOfModel } from '../../../search/query/query-meaning.ts';
import { findNearest } from '../../../search/ranking/nearest.ts';
import { createSearch, type SearchRequest } from '../../../search/search.ts';
import { importText, makeKnowledgeBase } from '../../../search/testing/imported-texts.ts';
import { createLog } from '../../../telemetry/log.ts';
import { keepVectorIndexes } from '../index-vectors.ts';

const DIMENSIONS = 64;
const SIZE = COMPARED_MAX + 100;
const SOON = { timeout: 170_000, interval: 500 };

/** A vector whose signs are these bits. */
const ofSigns = (signs: string) => Float32Array.from(signs, (bit) => (bit === '1' ? 1 : -1) / 8);

const randomSigns = () =>
  Array.from({ length: DIMENSIONS }, () => (Math.random() < 0.5 ? '0' : '1')).join('');
/** A near one: each tenth sign is another. */
const nearTo = (signs: string) =>
  [...signs].map((bit, i) => (i % 10 === 3 ? String(1 - Number(bit)) : bit)).join('');
/** As it is stored: the numbers are as large as the signs allow. */
const stored = (signs: string) => signs + signs + signs;

describe.skipIf(pgvectorPrograms === undefined)('with pgvector', () => {
  let server: Awaited<ReturnType<typeof startPgvector>>;
  let created: NewDatabase;
  let database: Database;
  let owned: OwnedKnowledgeBase;
  let own: VectorGeneration;
  let worker: { stop(): Promise<void> };

  /** Many passages of one text, each with a random vector, as if a large document had been imported. */
  async function fill({ knowledgeBaseId }: OwnedKnowledgeBase, size: number): Promise<void> {
    const id = await importText(
      database,
      { ...owned, knowledgeBaseId },
      { title: 'Many', content: 'Zebras graze.' },
      noVectors,
    );
    await sql`
      INSERT INTO passages SELECT knowledge_base_id, document_id, n, account_id, content, start_offset, end_offset,
        page, headings, language, time_ms, later_starts FROM passages, generate_series(2, ${size}::integer) AS n
        WHERE document_id = ${id}`.execute(database);
    await sql`
      INSERT INTO passage_lexemes SELECT knowledge_base_id, document_id, n, account_id, length, lexemes
      FROM passage_lexemes, generate_series(2, ${size}::integer) AS n WHERE document_id = ${id}`.execute(
      database,
    );
    await sql`
      INSERT INTO passage_vectors SELECT knowledge_base_id, document_id, position, ${own.generation}, account_id,
        (bits || bits || bits)::bit varying
      FROM (SELECT *, (SELECT string_agg((random() < .5)::integer::text, '')
        FROM generate_series(1, ${DIMENSIONS}::integer)
        WHERE position > 0) AS bits FROM passages WHERE document_id = ${id}) AS passage`.execute(database);
    await sql`UPDATE documents SET passage_count = ${size} WHERE id = ${id}`.execute(database);
    await sql`
      UPDATE knowledge_base_statistics SET passage_count = passage_count + ${size - 1}
      WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(database);
  }
  /** Imports a text whose vector has these signs. */
  async function importNear(title: string, content: string, signs: string, description = {}): Promise<void> {
    const id = await importText(database, owned, { title, content, description }, noVectors);
    await sql`
      INSERT INTO passage_vectors SELECT knowledge_base_id, document_id, position, ${own.generation}, account_id,
        ${stored(signs)}::bit varying FROM passages WHERE document_id = ${id}`.execute(database);
    await sql`DELETE FROM documents_without_vectors`.execute(database); // it has its vectors
  }
  const figures = () => readIndexFigures(database, { generation: own.generation, passagesMin: COMPARED_MAX });
  const names = async () =>
    (await readVectorIndexes(database)).map(({ knowledgeBaseId, isValid }) => ({ knowledgeBaseId, isValid }));
  const untilIndexed = (...knowledgeBaseIds: string[]) =>
    expect
      .poll(names, SOON)
      .toEqual(knowledgeBaseIds.map((knowledgeBaseId) => ({ knowledgeBaseId, isValid: true })));

  function startWorker() {
    const stopping = new AbortController();
    const readGenerations = async () => [own.generation];
    const kept = keepVectorIndexes(
      { database, log: createLog('silent') },
      { own, readGenerations },
      stopping.signal,
    );
    const ended = kept.catch((error) => error);
    return {
      async stop() {
        stopping.abort(new Error('the server stops'));
        expect(await ended).toHaveProperty('message', 'the server stops');
      },
    };
  }
  /** The titles that a query finds whose vector has these signs. */
  async function titlesFor(
    query: string,
    signs: string,
    options: Partial<SearchRequest> = {},
    indexes: VectorIndexes = createVectorIndexes(database),
  ) {
    const search = createSearch(database, createStemMemory(), { indexes });
    const embed = async () => ({ generation: own.generation, vector: ofSigns(signs) });
    const request = {
      accountId: owned.accountId,
      knowledgeBaseIds: [owned.knowledgeBaseId],
      query,
      limit: 5,
    };
    const { passages } = await search({ ...request, embed, ...options });
    return passages.map(({ title }) => title);
  }

  const TARGET = randomSigns();

  beforeAll(async () => {
    server = await startPgvector();
    created = await createDatabaseOn({ connectionString: server.url });
    await migrateAndDistribute(created.connection);
    database = createDatabase(createPool(created.connection, 10, () => {}));
    const mean = new Float32Array(DIMENSIONS).fill(0.1);
    const wanted = { url: 'http://localhost', model: 'small', queryPrefix: '', passagePrefix: '', mean };
    const generation = await wantGeneration(database, wanted);
    if (generation === undefined) throw new Error('no generation');
    own = generation;
    owned = await makeKnowledgeBase(database);
    await fill(owned, SIZE);
    await importNear('Target', 'The car park is behind the building.', nearTo(TARGET), {
      attributes: { kind: 'rule' },
    });
    worker = startWorker();
  });
  afterAll(async () => {
    await worker.stop();
    await database.destroy();
    await created.drop();
    await server.remove();
  });

  const QUERY = 'vehicle of guests';

  test('until its index is built, only words find passages of a large knowledge base', async () => {
    expect(await titlesFor(QUERY, TARGET)).toEqual([]);
    expect(await names()).toEqual([]);
    expect(await figures()).toEqual({ isUsable: false, built: 0, missing: 1, builtShare: undefined });
  });

  test('in whichever schema the extension is, an index is built, and finds what has no word of the query', async () => {
    await sql`CREATE SCHEMA "With Space"`.execute(database);
    await sql`CREATE EXTENSION vector SCHEMA "With Space"`.execute(database);
    await untilIndexed(owned.knowledgeBaseId);
    expect(await figures()).toEqual({ isUsable: true, built: 1, missing: 0, builtShare: undefined });
    expect((await titlesFor(QUERY, TARGET))[0]).toBe('Target');
    expect((await titlesFor(QUERY, TARGET, { mode: 'meaning' }))[0]).toBe('Target');
    expect(await titlesFor(QUERY, TARGET, { mode: 'words', embed: undefined })).toEqual([]);
  });

  test('what is imported later is in it, and what is deleted is not', async () => {
    const signs = randomSigns();
    await importNear('Later', 'Soup is served at noon.', nearTo(signs));
    expect((await titlesFor(QUERY, signs))[0]).toBe('Later');
    await sql`DELETE FROM passage_vectors WHERE document_id IN (
      SELECT id FROM documents WHERE title = 'Later')`.execute(database);
    expect(await titlesFor(QUERY, signs)).not.toContain('Later');
  });

  test('a filter, documents and the most passages of a document hold for what it finds', async () => {
    const scoped = (scope: SearchRequest['scope']) => titlesFor(QUERY, TARGET, { scope });
    const [target] = (
      await sql<{ id: string; knowledgeBaseId: string }>`
      SELECT id, knowledge_base_id AS "knowledgeBaseId" FROM documents WHERE title = 'Target'`.execute(
        database,
      )
    ).rows;
    const [many] = (
      await sql<{ id: string; knowledgeBaseId: string }>`
      SELECT id, knowledge_base_id AS "knowledgeBaseId" FROM documents WHERE title = 'Many'`.execute(database)
    ).rows;
    expect(await scoped({ maxPerDocument: 1 })).toContain('Target');
    expect(await scoped({ documents: target ? [target] : [] })).toEqual(['Target']);
    expect(await scoped({ documents: many ? [many] : [] })).not.toContain('Target');
    expect(await scoped({ documents: target && many ? [target, many] : [] })).toContain('Target');
    const all = await titlesFor(QUERY, TARGET, { limit: 50, scope: { maxPerDocument: 1 } });
    expect(new Set(all).size).toBe(all.length);
  });

  test('beside it, a small knowledge base is compared whole; without it, nothing of others is found', async () => {
    const small = { ...owned, knowledgeBaseId: (await makeKnowledgeBase(database)).knowledgeBaseId };
    await sql`UPDATE knowledge_bases SET account_id = ${owned.accountId}
      WHERE knowledge_base_id = ${small.knowledgeBaseId}`.execute(database);
    await sql`UPDATE knowledge_base_statistics SET account_id = ${owned.accountId}
      WHERE knowledge_base_id = ${small.knowledgeBaseId}`.execute(database);
    const signs = randomSigns();
    const id = await importText(database, small, { title: 'Small', content: 'Bread.' }, noVectors);
    await sql`
      INSERT INTO passage_vectors SELECT knowledge_base_id, document_id, position, ${own.generation}, account_id,
        ${stored(nearTo(signs))}::bit varying FROM passages WHERE document_id = ${id}`.execute(database);
    const both = { knowledgeBaseIds: [small.knowledgeBaseId, owned.knowledgeBaseId] };
    expect((await titlesFor(QUERY, signs, both))[0]).toBe('Small');
    expect(await titlesFor(QUERY, signs)).not.toContain('Small');
    expect((await titlesFor(QUERY, TARGET, both))[0]).toBe('Target');
    expect(await titlesFor(QUERY, TARGET, { knowledgeBaseIds: [small.knowledgeBaseId] })).not.toContain(
      'Target',
    );
  });

  test('of the fifty nearest by comparison, it finds nine of ten', async () => {
    const indexes = createVectorIndexes(database);
    let [found, of] = [0, 0];
    for (let i = 0; i < 20; i++) {
      const signs = randomSigns();
      const meaning = meaningOfModel({ generation: own.generation, vector: ofSigns(signs) });
      const searched = {
        ids: [owned.knowledgeBaseId],
        languages: [],
        passageCount: SIZE,
        lengthTotal: SIZE,
        storedPassages: SIZE,
      };
      const near: { distance: number }[] = JSON.parse(
        (await findNearest(database, { meaning, searched }, indexes)) ?? '[]',
      );
      const { rows: exact } = await sql<{ distance: number }>`
        SELECT bit_count(substring(vector FROM 1 FOR ${sql.lit(DIMENSIONS)})
          # ${meaning.planes.planes[0]}::bit varying)::integer AS distance
        FROM passage_vectors WHERE knowledge_base_id = ${owned.knowledgeBaseId} ORDER BY distance LIMIT 50`.execute(
        database,
      );
      const furthest = exact.at(-1)?.distance ?? 0;
      of += exact.length;
      found += Math.min(50, near.filter(({ distance }) => distance <= furthest).length);
    }
    expect(found / of).toBeGreaterThan(0.9);
  });

  test('half an index is dropped, and built again', async () => {
    await sql`UPDATE pg_index SET indisvalid = false
      WHERE indexrelid::regclass::text LIKE 'passage_vectors_near%'`.execute(database);
    expect(await titlesFor(QUERY, TARGET)).toEqual([]);
    expect(await figures()).toMatchObject({ built: 0, missing: 1 });
    await untilIndexed(owned.knowledgeBaseId);
    expect((await titlesFor(QUERY, TARGET))[0]).toBe('Target');
  });

  test('where the extension is dropped, words answer, also of a server that does not know it yet', async () => {
    const known = createVectorIndexes(database);
    expect((await titlesFor(QUERY, TARGET, {}, known))[0]).toBe('Target');
    await sql`DROP EXTENSION vector CASCADE`.execute(database);
    expect(await titlesFor(QUERY, TARGET, {}, known)).toEqual([]);
    expect(await titlesFor('zebras', TARGET, {}, known)).toContain('Many');
    await sql`CREATE EXTENSION vector`.execute(database);
    await untilIndexed(owned.knowledgeBaseId);
    expect((await titlesFor(QUERY, TARGET))[0]).toBe('Target');
  });

  test('the index of a deleted knowledge base is dropped', async () => {
    await sql`UPDATE knowledge_bases SET deleted_at = now() WHERE knowledge_base_id = ${owned.knowledgeBaseId}`.execute(
      database,
    );
    await untilIndexed();
  });
});
