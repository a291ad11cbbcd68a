/** The ranks of src/database/README.md: how a session holds a lock of each, and whether a backend holds it. */
import { type RawBuilder, sql } from 'kysely';
import type { Database, Queryable } from '../../database/connection/database.ts';
import { announceDeletion } from '../../database/rows/deletion-lock.ts';
import { lockMergedCounts } from '../../indexing/postings/document-frequencies.ts';
import { lockGroups } from '../../search/synonyms/stored-groups.ts';
import { lockContents, lockExternalIds } from '../../versions/locks.ts';
import type { LockedThings } from './locked-things.ts';

/** A lock of one rank. `isHeldBy`: whether this backend holds it; `probe` holds no locks, and nothing else runs. */
export type Rank = {
  name: string;
  hold(holder: Queryable): Promise<unknown>;
  isHeldBy(pid: number, probe: Database): Promise<boolean>;
};

/** A lock on rows. Locks of foreign keys (FOR KEY SHARE) count only where `strength` conflicts with them. */
function ofRows(rows: RawBuilder<unknown>, strength = 'NO KEY UPDATE'): Omit<Rank, 'name'> {
  const lock = sql`SELECT 1 FROM ${rows} FOR ${sql.raw(strength)}`;
  return {
    hold: (holder) => lock.execute(holder),
    async isHeldBy(_pid, probe) {
      const { rows: all } = await sql`SELECT 1 FROM ${rows}`.execute(probe);
      const { rows: free } = await sql`${lock} SKIP LOCKED`.execute(probe);
      return free.length < all.length;
    },
  };
}

type Number = { classid: number; objid: number };

/** The advisory locks of a backend. */
async function advisoryLocksOf(database: Queryable, pid: RawBuilder<unknown>): Promise<Number[]> {
  const { rows } = await sql<Number>`
    SELECT classid::bigint, objid::bigint FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND pid = ${pid}`.execute(database);
  return rows;
}

/** An advisory lock, which a function of the service takes. To learn its number, `probe` takes it once. */
async function ofAdvisory(
  take: (transaction: Queryable) => Promise<unknown>,
  probe: Database,
): Promise<Omit<Rank, 'name'>> {
  const transaction = await probe.startTransaction().execute();
  await take(transaction);
  const [number] = await advisoryLocksOf(transaction, sql`pg_backend_pid()`);
  await transaction.rollback().execute();
  return {
    hold: take,
    async isHeldBy(pid, other) {
      const held = await advisoryLocksOf(other, sql`${pid}::integer`);
      return held.some(({ classid, objid }) => classid === number?.classid && objid === number.objid);
    },
  };
}

/** The key of a request that another one has claimed, and not committed. It is the first rank, before which none is. */
const ofKey = ({ accountId, idempotencyKey }: LockedThings): Omit<Rank, 'name'> => ({
  hold: (holder) =>
    sql`INSERT INTO idempotency_keys (account_id, operation, idempotency_key, request_hash, created_at)
      SELECT ${accountId}, operation, ${idempotencyKey}, '', now() FROM unnest(ARRAY[
        'createKnowledgeBase', 'presignUploadUrl', 'importTextContent', 'importUrl', 'createWebhook'])
          AS operation`.execute(holder),
  isHeldBy: async () => false,
});

/** All ranks, in the order in which a transaction takes them. */
export async function ranksOf(things: LockedThings, probe: Database): Promise<Rank[]> {
  const { accountId, knowledgeBaseId, fileId, pendingId, currentId, content } = things;
  const inside = (table: string, condition: RawBuilder<unknown>) =>
    ofRows(sql`${sql.table(table)} WHERE knowledge_base_id = ${knowledgeBaseId} AND ${condition}`);
  const ofAccount = (table: string, column: string) =>
    ofRows(sql`${sql.table(table)} WHERE ${sql.ref(column)} = ${accountId}`);
  const advisory = (take: (transaction: Queryable) => Promise<unknown>) => ofAdvisory(take, probe);
  const ranks: [string, Omit<Rank, 'name'>][] = [
    ['idempotency key', ofKey(things)],
    ['deletion of a knowledge base', await advisory((held) => announceDeletion(held, knowledgeBaseId))],
    ['knowledge base', ofRows(sql`knowledge_bases WHERE knowledge_base_id = ${knowledgeBaseId}`, 'UPDATE')],
    ['merged counts', await advisory((held) => lockMergedCounts(held, knowledgeBaseId))],
    ['uploaded file', inside('files', sql`id = ${fileId}`)],
    ['imported document', inside('documents', sql`id = ${pendingId}`)],
    ['content', await advisory((held) => lockContents(held, [{ knowledgeBaseId, ...content }]))],
    ['external id', await advisory((held) => lockExternalIds(held, things, [content.externalId]))],
    ['deletion of a document', await advisory((held) => announceDeletion(held, currentId))],
    ['document', inside('documents', sql`id = ${currentId}`)],
    ['counters', inside('knowledge_base_statistics', sql`true`)],
    ['file of a document', inside('files', sql`document_id = ${currentId}`)],
    ['job', inside('knowledge_jobs', sql`document_id = ${currentId}`)],
    ['webhook', ofAccount('webhooks', 'account_id')],
    ['synonyms', await advisory((held) => lockGroups(held, { accountId, knowledgeBaseId }))],
    ['account', ofAccount('accounts', 'id')],
    ['balance', ofAccount('account_balances', 'account_id')],
  ];
  return ranks.map(([name, rank]) => ({ name, ...rank }));
}
