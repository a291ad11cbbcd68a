/**
 * Inserts and deletes a document's passages together with BM25's statistics, which therefore stay exact. A transaction
 * that changes a knowledge base's counters locks their row, and after it only the account's lock. So no two
 * transactions can wait for each other.
 */
import { sql } from 'kysely';
import { knowledgeBaseLexeme } from '../analysis/reserved-lexemes.ts';
import { release } from '../binary-array.ts';
import type { Queryable } from '../database/database.ts';
import { giveWayToDeletion } from '../database/deletion-lock.ts';
import { prepare } from '../database/prepared.ts';
import type { ScopedId } from '../ids.ts';
import type { AnalysedPart, PassageTotals } from './analyse-document.ts';
import { addLexemes, removeLexemes } from './postings/document-frequencies.ts';

type Owned = ScopedId & { accountId: string };

/** What a document adds to (or, negated, takes from) its knowledge base's counters. */
type Change = { documents: number; bytes: number; passages: number; length: number };

async function changeCounters(
  transaction: Queryable,
  knowledgeBaseId: string,
  change: Change,
): Promise<void> {
  await sql`
    UPDATE knowledge_base_statistics SET
      document_count = document_count + ${change.documents},
      storage_bytes = storage_bytes + ${change.bytes},
      passage_count = passage_count + ${change.passages},
      passage_length_total = passage_length_total + ${change.length}
    WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(transaction);
}

/** Adds a new document of `bytes` to the counters, before it has any passage. */
export const countDocument = (
  transaction: Queryable,
  knowledgeBaseId: string,
  bytes: number,
): Promise<void> =>
  changeCounters(transaction, knowledgeBaseId, { documents: 1, bytes, passages: 0, length: 0 });

/** The columns are binary arrays (see `PassageColumns`); the first passage's position is `before` + 1. */
const insertColumns = prepare(
  'insert_passages',
  [
    'knowledgeBaseId',
    'id',
    'accountId',
    'before',
    'scope',
    'content',
    'start_offset',
    'end_offset',
    'page',
    'headings',
    'language',
    'length',
    'lexemes',
  ],
  ({ knowledgeBaseId, id, accountId, before, scope, ...columns }) => sql`
    WITH shown AS (
      INSERT INTO passages (knowledge_base_id, document_id, account_id,
        position, content, start_offset, end_offset, page, headings, language)
      SELECT ${knowledgeBaseId}::uuid, ${id}::uuid, ${accountId}::uuid, ${before}::integer + place,
        content, start_offset, end_offset, page, headings::jsonb, language
      FROM unnest(${columns.content}::text[], ${columns.start_offset}::integer[], ${columns.end_offset}::integer[],
          ${columns.page}::integer[], ${columns.headings}::text[], ${columns.language}::text[])
        WITH ORDINALITY AS passage (content, start_offset, end_offset, page, headings, language, place))
    INSERT INTO passage_lexemes (knowledge_base_id, document_id, account_id, position, length, lexemes)
    SELECT ${knowledgeBaseId}::uuid, ${id}::uuid, ${accountId}::uuid, ${before}::integer + place, length,
      lexemes || array_to_tsvector(ARRAY[${scope}::text])
    FROM unnest(${columns.length}::integer[], ${columns.lexemes}::tsvector[])
      WITH ORDINALITY AS passage (length, lexemes, place)`,
);

const insertRows = (transaction: Queryable, document: Owned, { position, columns }: AnalysedPart) =>
  insertColumns(transaction, {
    ...document,
    ...columns,
    before: position - 1,
    scope: knowledgeBaseLexeme(document.knowledgeBaseId),
  });

/**
 * Adds a document to all statistics of its knowledge base and stores its number of passages, in one statement. Its
 * locks last until the commit, so others wait for one round trip. The lexemes come first, because they lock nothing
 * that others wait for.
 */
const countIn = prepare(
  'count_document_in',
  [
    'knowledgeBaseId',
    'id',
    'accountId',
    'lexemeCounts',
    'documents',
    'bytes',
    'passageCount',
    'lengthTotal',
    'languages',
    'languageCounts',
  ],
  ({ knowledgeBaseId, id, accountId, lexemeCounts, ...counts }) => sql`
    WITH change AS (
      ${addLexemes({ knowledgeBaseId, accountId, lexemeCounts })} RETURNING knowledge_base_id),
    changed AS MATERIALIZED (SELECT DISTINCT knowledge_base_id FROM change),
    counted AS (
      UPDATE knowledge_base_statistics AS counters SET
        document_count = document_count + ${counts.documents}::integer,
        storage_bytes = storage_bytes + ${counts.bytes}::bigint,
        passage_count = passage_count + ${counts.passageCount}::integer,
        passage_length_total = passage_length_total + ${counts.lengthTotal}::bigint
      FROM changed WHERE counters.knowledge_base_id = changed.knowledge_base_id
      RETURNING counters.knowledge_base_id),
    recorded AS (
      UPDATE documents SET passage_count = ${counts.passageCount}::integer
      FROM changed WHERE documents.knowledge_base_id = changed.knowledge_base_id AND id = ${id}::uuid)
    INSERT INTO language_statistics AS counters (knowledge_base_id, account_id, language, passage_count)
    SELECT knowledge_base_id, ${accountId}::uuid, language, passage_count
    FROM counted, unnest(${counts.languages}::text[], ${counts.languageCounts}::integer[])
      AS added (language, passage_count)
    ON CONFLICT (knowledge_base_id, language)
    DO UPDATE SET passage_count = counters.passage_count + excluded.passage_count`,
);

/** Adds the document frequencies that do not fit into the last statement. */
const countLexemes = prepare('count_lexemes_in', ['knowledgeBaseId', 'accountId', 'lexemeCounts'], (values) =>
  addLexemes(values),
);

type Uncounted = { documents: number; bytes: number };

const count = (
  transaction: Queryable,
  document: Owned,
  { totals, ...uncounted }: { totals: PassageTotals; lexemeCounts: Uint8Array } & Uncounted,
) =>
  countIn(transaction, {
    ...document,
    ...uncounted,
    ...totals,
    languages: [...totals.languageCounts.keys()],
    languageCounts: [...totals.languageCounts.values()],
  });

/**
 * Makes an analysed document searchable, batch by batch; the document's row must exist. `documents` and `bytes` are the
 * part of the document that the counters lack. The memory of each batch is freed after it is stored.
 * @returns the number of its passages
 * @throws DeletionAnnounced when the document or its knowledge base is about to be deleted
 */
export async function insertPassages(
  transaction: Queryable,
  document: Owned,
  { parts, ...uncounted }: { parts: AsyncIterable<AnalysedPart> } & Uncounted,
): Promise<number> {
  let passageCount = 0;
  for await (const part of parts) {
    if (part.position > 1) await giveWayToDeletion(transaction, [document.knowledgeBaseId, document.id]);
    await insertRows(transaction, document, part);
    const { lexemeCounts = [], totals } = part;
    for (const [i, counts] of lexemeCounts.entries()) {
      if (totals === undefined || i < lexemeCounts.length - 1)
        await countLexemes(transaction, { ...document, lexemeCounts: counts });
      else await count(transaction, document, { lexemeCounts: counts, totals, ...uncounted });
    }
    for (const column of Object.values(part.columns)) release(column);
    passageCount = totals?.passageCount ?? 0;
  }
  return passageCount;
}

async function uncountLanguages(transaction: Queryable, { knowledgeBaseId, id }: ScopedId): Promise<void> {
  await sql`
    MERGE INTO language_statistics AS counted USING (
      SELECT language, count(*) AS passage_count FROM passages
      WHERE knowledge_base_id = ${knowledgeBaseId} AND document_id = ${id} GROUP BY language) AS gone
    ON counted.knowledge_base_id = ${knowledgeBaseId} AND counted.language = gone.language
    WHEN MATCHED AND counted.passage_count = gone.passage_count THEN DELETE
    WHEN MATCHED THEN UPDATE SET passage_count = counted.passage_count - gone.passage_count`.execute(
    transaction,
  );
}

/** Deletes a document and its passages, and subtracts them from all statistics. */
export async function deleteDocumentRows(
  transaction: Queryable,
  document: Owned & { bytes: number },
): Promise<void> {
  const { knowledgeBaseId, id, bytes } = document;
  const { rows } = await sql<{ passages: number; length: number }>`
    SELECT count(*) AS passages, coalesce(sum(length), 0)::bigint AS length
    FROM passage_lexemes WHERE knowledge_base_id = ${knowledgeBaseId} AND document_id = ${id}`.execute(
    transaction,
  );
  const { passages, length } = rows[0] ?? { passages: 0, length: 0 };
  await changeCounters(transaction, knowledgeBaseId, {
    documents: -1,
    bytes: -bytes,
    passages: -passages,
    length: -length,
  });
  if (passages > 0) {
    await removeLexemes(transaction, document);
    await uncountLanguages(transaction, document);
  }
  for (const table of ['passage_lexemes', 'passages'] as const) {
    await transaction
      .deleteFrom(table)
      .where('knowledge_base_id', '=', knowledgeBaseId)
      .where('document_id', '=', id)
      .execute();
  }
  await transaction
    .deleteFrom('documents')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .execute();
}
