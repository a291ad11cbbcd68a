/** What accounts use: the numbers and bytes that they are told. */
import { type RawBuilder, sql } from 'kysely';
import type { AllowedKnowledgeBases } from '../../terms/ids.ts';
import type { Queryable } from '../connection/database.ts';
import { prepareRead } from '../connection/prepared.ts';
import { type DocumentFilter, fits } from './documents/document-filter.ts';

type Usage = Record<'knowledgeBaseCount' | 'storageUsed' | 'documentCount' | 'passageCount', number>;

const usageOf = (accountId: RawBuilder<unknown>, isWithin: RawBuilder<unknown>) => sql<Usage>`
  SELECT count(*) AS "knowledgeBaseCount", coalesce(sum(storage_bytes), 0)::bigint AS "storageUsed",
    coalesce(sum(document_count), 0)::bigint AS "documentCount",
    coalesce(sum(passage_count), 0)::bigint AS "passageCount"
  FROM knowledge_bases JOIN knowledge_base_statistics AS counters
    ON counters.knowledge_base_id = knowledge_bases.knowledge_base_id
  WHERE knowledge_bases.account_id = ${accountId}::uuid AND deleted_at IS NULL AND ${isWithin}`;

const readWholeUsage = prepareRead('read_usage', ['accountId'], ({ accountId }) =>
  usageOf(accountId, sql`true`),
);
const readUsageWithin = prepareRead(
  'read_usage_within',
  ['accountId', 'allowedKnowledgeBases'],
  ({ accountId, allowedKnowledgeBases }) =>
    usageOf(accountId, sql`knowledge_bases.knowledge_base_id = ANY (${allowedKnowledgeBases}::uuid[])`),
);

/**
 * The numbers of the account's allowed knowledge bases (by default all), of their documents and passages, and
 * the bytes of the documents.
 */
export async function readUsage(
  database: Queryable,
  { accountId, allowedKnowledgeBases }: { accountId: string; allowedKnowledgeBases?: AllowedKnowledgeBases },
): Promise<Usage> {
  const [usage] = await (allowedKnowledgeBases === undefined
    ? readWholeUsage(database, { accountId })
    : readUsageWithin(database, { accountId, allowedKnowledgeBases: [...allowedKnowledgeBases] }));
  if (usage === undefined) throw new Error('sums without their row');
  return usage;
}

/** The same of the documents that fit `restriction`, in all allowed knowledge bases. */
export async function readVisibleUsage(
  database: Queryable,
  {
    accountId,
    allowedKnowledgeBases,
    restriction,
  }: { accountId: string; allowedKnowledgeBases: AllowedKnowledgeBases; restriction: DocumentFilter },
): Promise<Awaited<ReturnType<typeof readUsage>>> {
  const { knowledgeBaseCount } = await readUsage(database, { accountId, allowedKnowledgeBases });
  const ids = allowedKnowledgeBases && [...allowedKnowledgeBases];
  const isAllowed = sql`(${ids ?? null}::uuid[] IS NULL OR knowledge_base_id = ANY(${ids ?? null}::uuid[]))`;
  const { rows } = await sql<{ storageUsed: number; documentCount: number; passageCount: number }>`
    SELECT coalesce(sum(storage_bytes), 0)::bigint AS "storageUsed", count(*) AS "documentCount",
      coalesce(sum(passage_count), 0)::bigint AS "passageCount"
    FROM documents
    WHERE account_id = ${accountId}::uuid AND ${isAllowed} AND ${fits(restriction)} AND knowledge_base_id IN (
      SELECT knowledge_base_id FROM knowledge_bases
      WHERE account_id = ${accountId}::uuid AND deleted_at IS NULL AND ${isAllowed})`.execute(database);
  return { knowledgeBaseCount, ...(rows[0] ?? { storageUsed: 0, documentCount: 0, passageCount: 0 }) };
}
