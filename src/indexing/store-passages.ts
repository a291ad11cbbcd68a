/**
 * Inserts a document's passages together with BM25's statistics, which therefore stay exact. A transaction
 * that changes a knowledge base's counters locks their row, and then only the account. So no two transactions can wait
 * for each other.
 */
import { sql } from 'kysely';
import type { Language } from '../analysis/language.ts';
import { knowledgeBaseLexeme } from '../analysis/reserved-lexemes.ts';
import { release } from '../database/connection/byte-writer.ts';
import type { Queryable } from '../database/connection/database.ts';
import { prepare } from '../database/connection/prepared.ts';
import { abortIfDeletionAnnounced } from '../database/rows/deletion-lock.ts';
import type { DocumentRow } from '../database/rows/documents/documents.ts';
import { insertTextDocuments, type NewText } from '../database/rows/documents/new-documents.ts';
import { readPassages } from '../database/rows/documents/passages.ts';
import type { OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import type { OwnedId } from '../terms/ids.ts';
import type { AnalysedTexts, PassageTotals, StoredPassage } from './analyse-document.ts';
import type { Batches } from './analysis-pool.ts';
import { deletePassages } from './delete-documents.ts';
import type { PassageColumns } from './passage-columns.ts';
import { insertDeltas } from './postings/document-frequencies.ts';
import { publishTexts } from './replace-documents.ts';

/** The columns are binary arrays (see `PassageColumns`). `ids` are those of their texts. */
const insertColumns = prepare(
  'insert_passages',
  [
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
    'headings',
    'language',
    'length',
    'lexemes',
  ],
  ({ knowledgeBaseId, accountId, ids, baseLexeme, ...columns }) => sql`
    WITH stored AS (
      INSERT INTO passages (knowledge_base_id, document_id, account_id,
        position, content, start_offset, end_offset, page, headings, language)
      SELECT ${knowledgeBaseId}::uuid, (${ids}::uuid[])[text], ${accountId}::uuid,
        position, content, start_offset, end_offset, page, headings::jsonb, language
      FROM unnest(${columns.text}::integer[], ${columns.position}::integer[], ${columns.content}::text[],
          ${columns.start_offset}::integer[], ${columns.end_offset}::integer[],
          ${columns.page}::integer[], ${columns.headings}::text[], ${columns.language}::text[])
        AS passage (text, position, content, start_offset, end_offset, page, headings, language))
    INSERT INTO passage_lexemes (knowledge_base_id, document_id, account_id, position, length, lexemes)
    SELECT ${knowledgeBaseId}::uuid, (${ids}::uuid[])[text], ${accountId}::uuid,
      position, length, lexemes || array_to_tsvector(ARRAY[${baseLexeme}::text])
    FROM unnest(${columns.text}::integer[], ${columns.position}::integer[],
        ${columns.length}::integer[], ${columns.lexemes}::tsvector[])
      AS passage (text, position, length, lexemes)`,
);

/** Inserts passages of the documents with these ids, in the order of their texts' analysis. */
const insertRows = (
  transaction: Queryable,
  owned: OwnedKnowledgeBase,
  { ids, columns }: { ids: string[]; columns: PassageColumns },
) =>
  insertColumns(transaction, {
    ...owned,
    ...columns,
    ids,
    baseLexeme: knowledgeBaseLexeme(owned.knowledgeBaseId),
  });

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
      WHERE counters.knowledge_base_id = changed.knowledge_base_id AND counters.knowledge_base_id = ${knowledgeBaseId}::uuid
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
);

/** Inserts document frequencies that do not fit into the last statement. */
const addDeltas = prepare(
  'add_frequency_deltas',
  ['knowledgeBaseId', 'accountId', 'documentFrequencies'],
  (values) => insertDeltas(values),
);

/** The part of the document that the counters lack. */
type Uncounted = { documents: number; bytes: number };

const countPassages = (
  transaction: Queryable,
  owned: OwnedKnowledgeBase & { id: string | undefined },
  { totals, ...uncounted }: { totals: PassageTotals; documentFrequencies: Uint8Array } & Uncounted,
) =>
  addToStatistics(transaction, {
    ...owned,
    ...uncounted,
    ...totals,
    languages: [...totals.languageCounts.keys()],
    languageCounts: [...totals.languageCounts.values()],
  });

/**
 * Makes an analysed document searchable, batch by batch. The document's row must exist. `documents` and `bytes` are the
 * part of the document that the counters lack. `beforeCounting` runs before the locks on the counters are taken. The
 * memory of a batch is freed after it was stored.
 * @returns the number of its passages
 * @throws DeletionAnnounced when the document or its knowledge base is about to be deleted
 */
export async function insertPassages(
  transaction: Queryable,
  document: OwnedId,
  {
    batches,
    beforeCounting = async () => {},
    ...uncounted
  }: { batches: Batches; beforeCounting?: () => Promise<void> } & Uncounted,
): Promise<number> {
  batches.stemOver?.(transaction);
  let passageCount = 0;
  for await (const batch of batches) {
    if (batch.position > 1)
      await abortIfDeletionAnnounced(transaction, [document.knowledgeBaseId, document.id]);
    await insertRows(transaction, document, { ids: [document.id], columns: batch.columns });
    const { documentFrequencies = [], totals } = batch;
    for (const [i, frequencies] of documentFrequencies.entries()) {
      if (totals === undefined || i < documentFrequencies.length - 1) {
        await addDeltas(transaction, { ...document, documentFrequencies: frequencies });
        continue;
      }
      await beforeCounting();
      await countPassages(transaction, document, { documentFrequencies: frequencies, totals, ...uncounted });
    }
    for (const column of Object.values(batch.columns)) release(column);
    passageCount = totals?.passageCount ?? 0;
  }
  return passageCount;
}

/**
 * Inserts the documents of short texts of one knowledge base with their passages, and adds them to all statistics.
 * `analysed` is the result of their analysis. They replace earlier documents with their external ids.
 * @returns the rows of the documents, in the order of the texts, and the objects that no row refers to after the commit
 */
export async function insertTexts(
  transaction: Queryable,
  owned: OwnedKnowledgeBase,
  { texts, analysed }: { texts: NewText[]; analysed: AnalysedTexts },
): Promise<{ rows: DocumentRow[]; unreferenced: string[] }> {
  const { columns, passageCounts, documentFrequencies, totals } = analysed;
  const rows = await insertTextDocuments(transaction, owned, { texts, passageCounts });
  const ids = rows.map(({ id }) => id);
  await insertRows(transaction, owned, { ids, columns });
  const published = await publishTexts(transaction, owned, rows);
  const bytes = rows.reduce((sum, { storage_bytes }) => sum + storage_bytes, 0);
  const counts = { documents: texts.length, bytes, totals };
  for (const [i, frequencies] of documentFrequencies.entries()) {
    const isLast = i === documentFrequencies.length - 1;
    if (isLast)
      await countPassages(
        transaction,
        { ...owned, id: undefined },
        { documentFrequencies: frequencies, ...counts },
      );
    else await addDeltas(transaction, { ...owned, documentFrequencies: frequencies });
  }
  return published;
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
  const uncounted = { documents: 0, bytes: 0 };
  await deletePassages(transaction, { ...document, ids: [document.id] }, uncounted);
  await insertPassages(transaction, document, { batches, ...uncounted });
}
