/** Looks up documents whose ids are given, of any knowledge bases, in one statement. */
import { type RawBuilder, sql } from 'kysely';
import { documentNotFound } from '../../../terms/errors.ts';
import { formatScopedId, type ScopedId } from '../../../terms/ids.ts';
import type { Queryable } from '../../connection/database.ts';
import { prepare } from '../../connection/prepared.ts';
import { inShards } from '../../schema/distributed-tables.ts';
import { type DocumentFilter, fitsFilter } from './document-filter.ts';

/** Of the given documents in live knowledge bases, selects the ids of the documents for which `isWanted` is true. */
const selectGiven = (
  { knowledgeBaseIds, ids }: Record<'knowledgeBaseIds' | 'ids', RawBuilder<unknown>>,
  isWanted: RawBuilder<unknown>,
) => sql<ScopedId>`
  SELECT knowledge_base_id AS "knowledgeBaseId", id
  FROM unnest(${knowledgeBaseIds}::uuid[], ${ids}::uuid[]) AS given (knowledge_base_id, id)
    JOIN documents USING (knowledge_base_id, id) JOIN knowledge_bases USING (knowledge_base_id)
  WHERE ${isWanted} AND deleted_at IS NULL`;

/** SQL for what the joins imply, but Citus does not infer: which shards have the documents. */
const inShardsOf = (knowledgeBaseIds: RawBuilder<unknown>) =>
  sql`${inShards(knowledgeBaseIds, 'documents')} AND ${inShards(knowledgeBaseIds, 'knowledge_bases')}`;

const toColumnsOfIds = (documents: ScopedId[]) => ({
  knowledgeBaseIds: documents.map(({ knowledgeBaseId }) => knowledgeBaseId),
  ids: documents.map(({ id }) => id),
});

const isOfAccount = (accountId: RawBuilder<unknown>) => sql`documents.account_id = ${accountId}::uuid`;

const findOwned = prepare(
  'find_owned_documents',
  ['knowledgeBaseIds', 'ids', 'accountId'],
  ({ accountId, ...given }) => selectGiven(given, isOfAccount(accountId)),
  {
    build: ({ accountId, ...given }) =>
      selectGiven(given, sql`${isOfAccount(accountId)} AND ${inShardsOf(given.knowledgeBaseIds)}`),
    ids: 'knowledgeBaseIds',
  },
);

const VISIBLE_VALUES = ['knowledgeBaseIds', 'ids', 'path', 'hasFields'] as const;

/**
 * The documents of the table `documents` alone that fit a filter: its names would be ambiguous beside another table.
 */
const selectVisible = (
  { knowledgeBaseIds, ids, ...filter }: Record<(typeof VISIBLE_VALUES)[number], RawBuilder<unknown>>,
  isInShards: RawBuilder<unknown>,
) => sql<ScopedId>`
  SELECT knowledge_base_id AS "knowledgeBaseId", id FROM documents
  WHERE (knowledge_base_id, id) IN (SELECT * FROM unnest(${knowledgeBaseIds}::uuid[], ${ids}::uuid[]))
    AND ${isInShards} AND ${fitsFilter(filter)}`;

const findVisible = prepare(
  'find_visible_documents',
  VISIBLE_VALUES,
  (values) => selectVisible(values, sql`true`),
  {
    build: (values) => selectVisible(values, inShards(values.knowledgeBaseIds, 'documents')),
    ids: 'knowledgeBaseIds',
  },
);

/**
 * @param restriction which documents exist for the caller; undefined: all of the account
 * @throws DOCUMENT_NOT_FOUND unless the account has all of these distinct documents, and they exist for the caller; it
 * names the first unknown one.
 */
export async function requireDocuments(
  database: Queryable,
  { accountId, restriction }: { accountId: string; restriction: DocumentFilter | undefined },
  documents: ScopedId[],
): Promise<void> {
  const given = toColumnsOfIds(documents);
  const owned = await findOwned(database, { ...given, accountId });
  const visible =
    restriction && new Set((await findVisible(database, { ...given, ...restriction })).map(formatScopedId));
  const rows = visible ? owned.filter((id) => visible.has(formatScopedId(id))) : owned;
  const found = new Set(rows.map(formatScopedId));
  const ids = documents.map(formatScopedId);
  const unknown = ids.find((id) => !found.has(id));
  if (unknown !== undefined) throw documentNotFound(unknown, ids);
}

const IS_UNFINISHED = sql`status IN ('pending', 'processing')`;

const selectUnfinished = prepare(
  'find_unfinished_documents',
  ['knowledgeBaseIds', 'ids'],
  (given) => selectGiven(given, IS_UNFINISHED),
  {
    build: (given) => selectGiven(given, sql`${IS_UNFINISHED} AND ${inShardsOf(given.knowledgeBaseIds)}`),
    ids: 'knowledgeBaseIds',
  },
);

/**
 * Filters the documents that are still `pending` or `processing` in a live knowledge base, of any owner. One
 * statement, however many they are.
 */
export const findUnfinished = (database: Queryable, documents: ScopedId[]): Promise<ScopedId[]> =>
  selectUnfinished(database, toColumnsOfIds(documents));
