/** Knowledge bases: their rows, their locks, and their form in the contract. */
import { type RawBuilder, sql } from 'kysely';
import type { DocumentStatus, KnowledgeBase } from '../../../generated/types.gen.ts';
import { knowledgeBaseNotFound } from '../../terms/errors.ts';
import type { AllowedKnowledgeBases } from '../../terms/ids.ts';
import type { Queryable } from '../connection/database.ts';
import { prepare, prepareRead } from '../connection/prepared.ts';
import { BEFORE_ALL, isLongPage, type RowPosition } from './row-position.ts';
import { hasWebhooks } from './webhooks/webhook-events.ts';

export type OwnedKnowledgeBase = { accountId: string; knowledgeBaseId: string };

/** Selects one row, with these columns, if the account has this knowledge base and has not deleted it. */
export const liveKnowledgeBase = (
  { accountId, knowledgeBaseId }: Record<keyof OwnedKnowledgeBase, RawBuilder<unknown>>,
  columns: RawBuilder<unknown> = sql`1`,
) => sql`
  SELECT ${columns} FROM knowledge_bases
  WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND account_id = ${accountId}::uuid AND deleted_at IS NULL`;

const find = prepareRead('find_knowledge_base', ['accountId', 'knowledgeBaseId'], (owned) =>
  liveKnowledgeBase(owned),
);
const lockWith = (
  owned: Record<keyof OwnedKnowledgeBase, RawBuilder<unknown>>,
  ofWebhooks: RawBuilder<unknown>,
) =>
  sql<{ hasWebhooks: boolean | null }>`
      ${liveKnowledgeBase(owned, sql`${ofWebhooks} AS "hasWebhooks"`)} FOR KEY SHARE`;
/** With Citus, webhooks are on another server: to look for them in the same statement takes four times as long. */
const lock = prepare(
  'lock_knowledge_base',
  ['accountId', 'knowledgeBaseId'],
  (owned) => lockWith(owned, hasWebhooks(owned.accountId)),
  { build: (owned) => lockWith(owned, sql`NULL::boolean`) },
);
const findWebhooks = prepare(
  'has_webhooks',
  ['accountId'],
  ({ accountId }) => sql<{ hasWebhooks: boolean }>`SELECT ${hasWebhooks(accountId)} AS "hasWebhooks"`,
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
  if (locked.hasWebhooks !== null) return { hasWebhooks: locked.hasWebhooks };
  const [found] = await findWebhooks(transaction, owned);
  return { hasWebhooks: found?.hasWebhooks ?? false };
}

/**
 * Locks the knowledge base for its deletion, against all that `lockKnowledgeBase` lets in.
 * @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has it.
 */
export async function lockForDeletion(transaction: Queryable, owned: OwnedKnowledgeBase): Promise<void> {
  const rows = await lockExclusively(transaction, owned);
  if (rows.length === 0) throw knowledgeBaseNotFound();
}

/** A knowledge base with its counters. `documents_without_vectors`: null where they are not counted. */
export type KnowledgeBaseRow = {
  knowledge_base_id: string;
  name: string;
  description: string;
  created_at: Date;
  updated_at: Date;
  document_count: number;
  passage_count: number;
  storage_bytes: number;
  documents_without_vectors: number | null;
} & Record<Exclude<DocumentStatus, 'processed'>, number>;

const countStatus = (status: DocumentStatus) =>
  sql`count(*) FILTER (WHERE status = ${sql.lit(status)}) AS ${sql.raw(status)}`;
const orNone = (status: DocumentStatus) =>
  sql`coalesce(unprocessed.${sql.raw(status)}, 0) AS ${sql.raw(status)}`;
const UNPROCESSED = ['pending', 'processing', 'failed', 'timeout'] as const;

/** SQL for how many documents of a knowledge base wait for vectors; NULL where they are not counted. */
const withoutVectors = (countsVectors: boolean) =>
  countsVectors
    ? sql`(SELECT count(*) FROM documents_without_vectors AS waiting
        WHERE waiting.knowledge_base_id = knowledge_bases.knowledge_base_id)`
    : sql`NULL::bigint`;

/**
 * SQL for the account's live knowledge bases with their counters, all of the same moment. `isWithin`: the condition on
 * the given id of one. Only the documents that are not processed are counted, by an index that holds just these; the
 * processed ones are the rest. They are grouped, because Citus takes no aggregate of all rows in a lateral join.
 */
export const selectKnowledgeBases = (
  accountId: RawBuilder<unknown>,
  countsVectors: boolean,
  isWithin: (id: RawBuilder<unknown>) => RawBuilder<unknown>,
) => sql<KnowledgeBaseRow>`
  SELECT knowledge_bases.knowledge_base_id, name, description, created_at, updated_at, document_count, passage_count,
    storage_bytes, ${sql.join(UNPROCESSED.map(orNone))},
    ${withoutVectors(countsVectors)} AS documents_without_vectors
  FROM knowledge_bases
    JOIN knowledge_base_statistics AS counters ON counters.knowledge_base_id = knowledge_bases.knowledge_base_id
    LEFT JOIN LATERAL (
      SELECT ${sql.join(UNPROCESSED.map(countStatus))} FROM documents
      WHERE documents.knowledge_base_id = knowledge_bases.knowledge_base_id AND status <> 'processed'
        AND ${isWithin(sql`documents.knowledge_base_id`)}
      GROUP BY documents.knowledge_base_id) AS unprocessed ON true
  WHERE knowledge_bases.account_id = ${accountId}::uuid AND deleted_at IS NULL
    AND ${isWithin(sql`knowledge_bases.knowledge_base_id`)}`;

/** One statement with the documents that wait for vectors, and one without. */
const bothWays = <Run>(make: (countsVectors: boolean, suffix: string) => Run) => {
  const [counting, plain] = [make(true, '_and_vectors'), make(false, '')];
  return (countsVectors: boolean): Run => (countsVectors ? counting : plain);
};

const readOne = bothWays((countsVectors, suffix) =>
  prepareRead(`read_knowledge_base${suffix}`, ['accountId', 'knowledgeBaseId'], (owned) =>
    selectKnowledgeBases(owned.accountId, countsVectors, (id) => sql`${id} = ${owned.knowledgeBaseId}::uuid`),
  ),
);

type PageValue = 'accountId' | 'createdAt' | 'id' | 'limit' | 'allowedKnowledgeBases';
const PAGE_VALUES: PageValue[] = ['accountId', 'createdAt', 'id', 'limit'];

const pageOf = (
  page: Record<PageValue, RawBuilder<unknown>>,
  countsVectors: boolean,
  isWithin: (id: RawBuilder<unknown>) => RawBuilder<unknown>,
) => sql<KnowledgeBaseRow>`
  ${selectKnowledgeBases(page.accountId, countsVectors, isWithin)}
    AND (created_at, knowledge_bases.knowledge_base_id) < (${page.createdAt}::timestamptz, ${page.id}::uuid)
  ORDER BY created_at DESC, knowledge_bases.knowledge_base_id DESC LIMIT ${page.limit}::integer`;

const listAll = bothWays((countsVectors, suffix) =>
  prepareRead(`list_knowledge_bases${suffix}`, PAGE_VALUES, (page) =>
    pageOf(page, countsVectors, () => sql`true`),
  ),
);
const listWithin = bothWays((countsVectors, suffix) =>
  prepareRead(`list_knowledge_bases_within${suffix}`, [...PAGE_VALUES, 'allowedKnowledgeBases'], (page) =>
    pageOf(page, countsVectors, (id) => sql`${id} = ANY (${page.allowedKnowledgeBases}::uuid[])`),
  ),
);

/** A page of an account's allowed knowledge bases. `countsVectors`: with the documents that wait for vectors. */
type KnowledgeBasePage = {
  accountId: string;
  allowedKnowledgeBases: AllowedKnowledgeBases;
  countsVectors: boolean;
  after: RowPosition | undefined;
  limit: number;
};

/** The newest first: those created before `after`. */
export async function listKnowledgeBaseRows(
  database: Queryable,
  { accountId, allowedKnowledgeBases, countsVectors, after = BEFORE_ALL, limit }: KnowledgeBasePage,
): Promise<KnowledgeBaseRow[]> {
  const list = allowedKnowledgeBases === undefined ? listAll : listWithin;
  const page = {
    accountId,
    ...after,
    limit,
    allowedKnowledgeBases: allowedKnowledgeBases && [...allowedKnowledgeBases],
  };
  return await list(countsVectors)(database, page, isLongPage(limit));
}

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

type CountedKnowledgeBase = OwnedKnowledgeBase & { countsVectors: boolean };

/** @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has this knowledge base. */
export async function findKnowledgeBaseRow(
  database: Queryable,
  { accountId, knowledgeBaseId, countsVectors }: CountedKnowledgeBase,
): Promise<KnowledgeBaseRow> {
  const [row] = await readOne(countsVectors)(database, { accountId, knowledgeBaseId });
  if (row === undefined) throw knowledgeBaseNotFound();
  return row;
}

/** @throws KNOWLEDGE_BASE_NOT_FOUND unless the account has this knowledge base. */
export const readKnowledgeBase = async (
  database: Queryable,
  owned: CountedKnowledgeBase,
): Promise<KnowledgeBase> => toKnowledgeBase(await findKnowledgeBaseRow(database, owned));
