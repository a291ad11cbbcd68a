/** Stores passages, and adds them to BM25's statistics in the same transaction, so that these stay exact. */
import { type RawBuilder, sql } from 'kysely';
import type { Language } from '../analysis/language.ts';
import { knowledgeBaseLexeme } from '../analysis/reserved-lexemes.ts';
import type { Queryable } from '../database/connection/database.ts';
import { prepare } from '../database/connection/prepared.ts';
import { abortIfDeletionAnnounced } from '../database/rows/deletion-lock.ts';
import { readPassages } from '../database/rows/documents/passages.ts';
import { enqueueStored } from '../database/rows/documents-without-vectors.ts';
import type { OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { release } from '../database/values/byte-writer.ts';
import { WORD_VECTORS_GENERATION } from '../meaning/passage-vectors.ts';
import type { OwnedId } from '../terms/ids.ts';
import type { AnalysedTexts, PassageBatch, PassageTotals, StoredPassage } from './analyse-document.ts';
import type { Batches } from './analysis-pool.ts';
import { deletePassages } from './delete-documents.ts';
import type { PassageColumns } from './passage-columns.ts';
import { insertDeltas } from './postings/document-frequencies.ts';
import { payForEntries } from './postings/pending-entries.ts';

const COLUMN_VALUES = [
  'knowledgeBaseId',
  'accountId',
  'ids',
  'baseLexeme',
  'text',
  'position',
  'content',
  'start_offset',
  'end_offset',
  'page',
  'time_ms',
  'later_starts',
  'headings',
  'language',
  'length',
  'lexemes',
  'vector',
] as const;

/** The columns are binary arrays (see `PassageColumns`). `ids`: of their texts. */
const insertionOf = (
  {
    knowledgeBaseId,
    accountId,
    ids,
    baseLexeme,
    ...columns
  }: Record<(typeof COLUMN_VALUES)[number], RawBuilder<unknown>>,
  distribution: { isDistributed: boolean },
) => sql`
    WITH stored AS (
      INSERT INTO passages (knowledge_base_id, document_id, account_id,
        position, content, start_offset, end_offset, page, time_ms, later_starts, headings, language)
      SELECT ${knowledgeBaseId}::uuid, (${ids}::uuid[])[text], ${accountId}::uuid,
        position, content, start_offset, end_offset, page, time_ms,
        nullif(later_starts, '')::jsonb, headings::jsonb, language
      FROM unnest(${columns.text}::integer[], ${columns.position}::integer[], ${columns.content}::text[],
          ${columns.start_offset}::integer[], ${columns.end_offset}::integer[],
          ${columns.page}::integer[], ${columns.time_ms}::integer[],
          ${columns.later_starts}::text[], ${columns.headings}::text[], ${columns.language}::text[])
        AS passage (text, position, content, start_offset, end_offset, page, time_ms, later_starts, headings,
          language)),
    compared AS (
      INSERT INTO passage_vectors (knowledge_base_id, document_id, account_id, position, generation, vector)
      SELECT ${knowledgeBaseId}::uuid, (${ids}::uuid[])[text], ${accountId}::uuid,
        position, ${sql.lit(WORD_VECTORS_GENERATION)}, vector
      FROM unnest(${columns.text}::integer[], ${columns.position}::integer[], ${columns.vector}::bit varying[])
        AS passage (text, position, vector)
      WHERE cardinality(${columns.vector}::bit varying[]) > 0)${
        distribution.isDistributed
          ? sql``
          : sql`,
    waiting AS (${enqueueStored({ knowledgeBaseId, accountId, ids, ...columns })})`
      }
    INSERT INTO passage_lexemes (knowledge_base_id, document_id, account_id, position, length, lexemes)
    SELECT ${knowledgeBaseId}::uuid, (${ids}::uuid[])[text], ${accountId}::uuid,
      position, length, lexemes || array_to_tsvector(ARRAY[${baseLexeme}::text])
    FROM unnest(${columns.text}::integer[], ${columns.position}::integer[],
        ${columns.length}::integer[], ${columns.lexemes}::tsvector[])
      AS passage (text, position, length, lexemes)`;

/** On Citus no model is used: nothing waits for vectors. */
const insertColumns = prepare(
  'insert_passages',
  COLUMN_VALUES,
  (values) => insertionOf(values, { isDistributed: false }),
  {
    build: (values) => insertionOf(values, { isDistributed: true }),
    buildInShard: (values) => insertionOf(values, { isDistributed: true }),
    ids: 'knowledgeBaseId',
    isWrite: true,
  },
);

/** Inserts passages of the documents with these ids, in the order of their texts' analysis. */
async function insertRows(
  transaction: Queryable,
  { knowledgeBaseId, accountId }: OwnedKnowledgeBase,
  { ids, columns }: { ids: string[]; columns: PassageColumns },
): Promise<void> {
  const owned = { knowledgeBaseId, accountId };
  const baseLexeme = knowledgeBaseLexeme(knowledgeBaseId);
  await insertColumns(transaction, { ...owned, ...columns, ids, baseLexeme });
  await payForEntries(transaction, owned, columns.lexemes.byteLength);
}

/**
 * Adds documents to all statistics of their knowledge base, in one statement. Of the document with the given id, which
 * may be NULL, it also stores the number of passages. It is the last one before the check of the limits, so that others
 * do not wait long for its locks. The deltas come first, because they lock nothing that others wait for.
 */
const addToStatistics = prepare(
  'add_to_statistics',
  [
    'knowledgeBaseId',
    'id',
    'accountId',
    'documentFrequencies',
    'documents',
    'bytes',
    'passageCount',
    'lengthTotal',
    'languages',
    'languageCounts',
  ],
  ({ knowledgeBaseId, id, accountId, documentFrequencies, ...counts }) => sql`
    WITH delta AS (
      ${insertDeltas({ knowledgeBaseId, accountId, documentFrequencies })} RETURNING knowledge_base_id),
    changed AS MATERIALIZED (SELECT DISTINCT knowledge_base_id FROM delta),
    counted AS (
      UPDATE knowledge_base_statistics AS counters SET
        document_count = document_count + ${counts.documents}::integer,
        storage_bytes = storage_bytes + ${counts.bytes}::bigint,
        passage_count = passage_count + ${counts.passageCount}::integer,
        passage_length_total = passage_length_total + ${counts.lengthTotal}::bigint
      FROM changed
      WHERE counters.knowledge_base_id = changed.knowledge_base_id
        AND counters.knowledge_base_id = ${knowledgeBaseId}::uuid
      RETURNING counters.knowledge_base_id),
    recorded AS (
      UPDATE documents SET passage_count = ${counts.passageCount}::integer
      FROM changed
      WHERE documents.knowledge_base_id = changed.knowledge_base_id
        AND documents.knowledge_base_id = ${knowledgeBaseId}::uuid AND id = ${id}::uuid)
    INSERT INTO language_statistics AS counters (knowledge_base_id, account_id, language, passage_count)
    SELECT knowledge_base_id, ${accountId}::uuid, language, passage_count
    FROM counted, unnest(${counts.languages}::text[], ${counts.languageCounts}::integer[])
      AS added (language, passage_count)
    ON CONFLICT (knowledge_base_id, language)
    DO UPDATE SET passage_count = counters.passage_count + excluded.passage_count`,
  { ids: 'knowledgeBaseId', isWrite: true },
);

/** Inserts document frequencies that do not fit into the last statement. */
const addDeltas = prepare(
  'add_frequency_deltas',
  ['knowledgeBaseId', 'accountId', 'documentFrequencies'],
  (values) => insertDeltas(values),
);

/** The statistics of stored passages that are not counted yet: the last document frequencies, and the totals. */
export type Uncounted = { documentFrequencies: Uint8Array; totals: PassageTotals };

/** Adds all document frequencies but the last, which are counted together with the totals. */
async function addAllButLast(
  transaction: Queryable,
  owned: OwnedKnowledgeBase,
  { documentFrequencies, totals }: Pick<AnalysedTexts, 'documentFrequencies' | 'totals'>,
): Promise<Uncounted> {
  const last = documentFrequencies.at(-1);
  if (last === undefined) throw new Error('passages were analysed without their document frequencies');
  for (const frequencies of documentFrequencies.slice(0, -1))
    await addDeltas(transaction, { ...owned, documentFrequencies: frequencies });
  return { documentFrequencies: last, totals };
}

/**
 * Stores the passages of an analysed document, batch by batch. The document's row must exist. The memory of a batch is
 * freed after the batch was stored, for the last batch after it was counted. The caller ends the analysis, whose permit
 * lasts until then.
 * @returns what is left for `countPassages`
 * @throws DeletionAnnounced when the document or its knowledge base is about to be deleted
 */
export async function storePassages(
  transaction: Queryable,
  document: OwnedId,
  batches: Batches,
): Promise<Uncounted> {
  batches.stemOver?.(transaction);
  const iterator: AsyncIterator<PassageBatch, undefined> = batches[Symbol.asyncIterator]();
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    const { position, columns, documentFrequencies = [], totals } = next.value;
    if (position > 1) await abortIfDeletionAnnounced(transaction, [document.knowledgeBaseId, document.id]);
    await insertRows(transaction, document, { ids: [document.id], columns });
    if (totals) return await addAllButLast(transaction, document, { documentFrequencies, totals });
    for (const frequencies of documentFrequencies)
      await addDeltas(transaction, { ...document, documentFrequencies: frequencies });
    for (const column of Object.values(columns)) release(column);
  }
  throw new Error('an analysis ended without its totals');
}

/**
 * Stores the passages of texts that were analysed together. `ids`: of their documents, whose rows must exist.
 * @returns what is left for `countPassages`
 */
export async function storeTextPassages(
  transaction: Queryable,
  owned: OwnedKnowledgeBase,
  { ids, analysed }: { ids: string[]; analysed: AnalysedTexts },
): Promise<Uncounted> {
  await insertRows(transaction, owned, { ids, columns: analysed.columns });
  return await addAllButLast(transaction, owned, analysed);
}

/**
 * Adds stored passages to the statistics of their knowledge base, and `documents` and `bytes` to its counters. Takes
 * the lock on the counters. With an `id`, the passages belong to one document, whose row gets their number.
 */
export async function countPassages(
  transaction: Queryable,
  owned: OwnedKnowledgeBase & { id?: string },
  { totals, ...uncounted }: Uncounted & { documents: number; bytes: number },
): Promise<void> {
  await addToStatistics(transaction, {
    id: undefined,
    ...owned,
    ...uncounted,
    ...totals,
    languages: [...totals.languageCounts.keys()],
    languageCounts: [...totals.languageCounts.values()],
  });
  release(uncounted.documentFrequencies); // the columns of the last batch share their memory
}

/** All passages of a document, as their analysis with another title takes them. */
export async function readStoredPassages(database: Queryable, id: OwnedId): Promise<StoredPassage[]> {
  const rows = await readPassages(database, id, { after: 0, to: undefined, limit: undefined });
  return rows.map((row) => ({
    position: row.position,
    text: row.content,
    start: row.start_offset,
    end: row.end_offset,
    ...(row.page !== null && { page: row.page }),
    ...(row.time_ms !== null && { timeMs: row.time_ms }),
    ...(row.later_starts !== null && { later: row.later_starts }),
    headings: row.headings,
    verbatim: false, // matters for the language alone, which is known
    language: row.language as Language, // an earlier analysis wrote it
  }));
}

/**
 * Replaces the passages of a processed document by `batches`, the analysis of the same passages with a new title.
 * @throws DeletionAnnounced when the document or its knowledge base is about to be deleted
 */
export async function replacePassages(
  transaction: Queryable,
  document: OwnedId,
  batches: Batches,
): Promise<void> {
  const counted = { documents: 0, bytes: 0 };
  await deletePassages(transaction, { ...document, ids: [document.id] }, counted);
  const uncounted = await storePassages(transaction, document, batches);
  await countPassages(transaction, document, { ...uncounted, ...counted });
}
