/** Knowledge bases: their rows, their locks, and their form in the contract. */
import { type RawBuilder, sql } from 'kysely';
import type { DocumentStatus, KnowledgeBase } from '../../../generated/types.gen.ts';
import { knowledgeBaseNotFound } from '../../terms/errors.ts';
import type { Reach } from '../../terms/ids.ts';
import type { Queryable } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';
import { hasWebhooks } from './webhook-events.ts';

export type OwnedKnowledgeBase = { accountId: string; knowledgeBaseId: string };

/** Selects one row, with these columns, if the account has this knowledge base and has not deleted it. */
export const liveKnowledgeBase = (
  { accountId, knowledgeBaseId }: Record<keyof OwnedKnowledgeBase, RawBuilder<unknown>>,
  columns: RawBuilder<unknown> = sql`1`,
) => sql`
  SELECT ${columns} FROM knowledge_bases
  WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND account_id = ${accountId}::uuid AND deleted_at IS NULL`;

const find = prepare('find_knowledge_base', ['accountId', 'knowledgeBaseId'], (owned) =>
  liveKnowledgeBase(owned),
);
const lock = prepare(
  'lock_knowledge_base',
  ['accountId', 'knowledgeBaseId'],
  (owned) =>
    sql<{ hasWebhooks: boolean }>`
      ${liveKnowledgeBase(owned, sql`${hasWebhooks(owned.accountId)} AS "hasWebhooks"`)} FOR KEY SHARE`,
);
const lockExclusively = prepare(
  'lock_knowledge_base_for_deletion',
  ['accountId', 'knowledgeBaseId'],
  (owned) => sql`${liveKnowledgeBase(owned)} FOR UPDATE`,
);

/** @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has this knowledge base. */
export async function requireKnowledgeBase(database: Queryable, owned: OwnedKnowledgeBase): Promise<void> {
  const rows = await find(database, owned);
  if (rows.length === 0) throw knowledgeBaseNotFound();
}

/** @throws KNOWLEDGE_BASE_NOT_FOUND, naming the first missing one, unless the account has all these knowledge bases. */
export async function requireKnowledgeBases(
  database: Queryable,
  accountId: string,
  ids: string[],
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    SELECT knowledge_base_id AS id FROM knowledge_bases
    WHERE knowledge_base_id = ANY (${ids}::uuid[]) AND account_id = ${accountId} AND deleted_at IS NULL`.execute(
    database,
  );
  const missing = ids.find((id) => rows.every((row) => row.id !== id));
  if (missing !== undefined) throw knowledgeBaseNotFound(missing, ids);
}

/**
 * Keeps the knowledge base from being deleted until the transaction ends (its place among the locks: ../README.md). A
 * new name or description does not wait for it: only a deletion locks the row `FOR UPDATE`.
 * @returns whether the account has webhooks: without any, no statement for events is necessary
 * @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has it.
 */
export async function lockKnowledgeBase(
  transaction: Queryable,
  owned: OwnedKnowledgeBase,
): Promise<{ hasWebhooks: boolean }> {
  const [locked] = await lock(transaction, owned);
  if (locked === undefined) throw knowledgeBaseNotFound();
  return locked;
}

/**
 * Locks the knowledge base for its deletion, against all that `lockKnowledgeBase` lets in.
 * @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has it.
 */
export async function lockForDeletion(transaction: Queryable, owned: OwnedKnowledgeBase): Promise<void> {
  const rows = await lockExclusively(transaction, owned);
  if (rows.length === 0) throw knowledgeBaseNotFound();
}

const countStatus = <Status extends DocumentStatus>(status: Status) =>
  sql<number>`count(*) FILTER (WHERE status = ${sql.lit(status)})`.as(status);
const orNone = <Status extends DocumentStatus>(status: Status) =>
  sql<number>`coalesce(${sql.ref(`unprocessed.${status}`)}, 0)`.as(status);

/** `countsVectors`: whether the documents that wait for vectors are counted too. */
type CountedKnowledgeBases = { accountId: string; reach: Reach; countsVectors: boolean };

/** SQL for how many documents of a knowledge base wait for vectors; NULL where they are not counted. */
const withoutVectors = (countsVectors: boolean) =>
  (countsVectors
    ? sql<number | null>`(SELECT count(*) FROM documents_without_vectors AS waiting
        WHERE waiting.knowledge_base_id = knowledge_bases.knowledge_base_id)`
    : sql<number | null>`NULL::bigint`
  ).as('documents_without_vectors');

/**
 * Selects the account's live knowledge bases within reach with their counters, all of the same moment. Only the
 * documents that are not processed are counted, by an index that holds just these; the processed ones are the rest.
 * They are grouped, because Citus takes no aggregate of all rows in a lateral join.
 */
export const selectKnowledgeBases = (
  database: Queryable,
  { accountId, reach, countsVectors }: CountedKnowledgeBases,
) =>
  database
    .selectFrom('knowledge_bases')
    .innerJoin('knowledge_base_statistics as counters', (join) =>
      join.onRef('counters.knowledge_base_id', '=', 'knowledge_bases.knowledge_base_id'),
    )
    .leftJoinLateral(
      ({ selectFrom }) =>
        selectFrom('documents')
          .select([
            countStatus('pending'),
            countStatus('processing'),
            countStatus('failed'),
            countStatus('timeout'),
          ])
          .whereRef('documents.knowledge_base_id', '=', 'knowledge_bases.knowledge_base_id')
          .where(sql<boolean>`status <> 'processed'`)
          .$if(reach !== undefined, (rest) =>
            rest.where('documents.knowledge_base_id', 'in', [...(reach ?? [])]),
          )
          .groupBy('documents.knowledge_base_id')
          .as('unprocessed'),
      (join) => join.onTrue(),
    )
    .select([orNone('pending'), orNone('processing'), orNone('failed'), orNone('timeout')])
    .select(withoutVectors(countsVectors))
    .select([
      'knowledge_bases.knowledge_base_id',
      'name',
      'description',
      'created_at',
      'updated_at',
      'document_count',
      'passage_count',
      'storage_bytes',
    ])
    .where('knowledge_bases.account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .$if(reach !== undefined, (rest) =>
      rest.where('knowledge_bases.knowledge_base_id', 'in', [...(reach ?? [])]),
    );

type KnowledgeBaseRow = Awaited<
  ReturnType<ReturnType<typeof selectKnowledgeBases>['executeTakeFirstOrThrow']>
>;

/** The contract's knowledge base. */
export const toKnowledgeBase = (row: KnowledgeBaseRow): KnowledgeBase => {
  const { pending, processing, failed, timeout, document_count: documentCount } = row;
  const { documents_without_vectors: documentsWithoutVectors } = row;
  const processed = documentCount - pending - processing - failed - timeout;
  return {
    id: row.knowledge_base_id,
    name: row.name,
    description: row.description,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    documentCount,
    passageCount: row.passage_count,
    storageUsed: row.storage_bytes,
    documentsByStatus: { pending, processing, processed, failed, timeout },
    ...(documentsWithoutVectors !== null && { documentsWithoutVectors }),
  };
};

/** @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has this knowledge base. */
export async function readKnowledgeBase(
  database: Queryable,
  { accountId, knowledgeBaseId, countsVectors }: OwnedKnowledgeBase & { countsVectors: boolean },
): Promise<KnowledgeBase> {
  const row = await selectKnowledgeBases(database, {
    accountId,
    reach: new Set([knowledgeBaseId]),
    countsVectors,
  }).executeTakeFirst();
  if (row === undefined) throw knowledgeBaseNotFound();
  return toKnowledgeBase(row);
}
