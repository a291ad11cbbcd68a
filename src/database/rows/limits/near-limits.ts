/** The accounts that will soon reach one of their limits. */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../connection/database.ts';
import type { DefaultLimits } from './account-limits.ts';
import { storageUsed } from './storage-limit.ts';

type Use = { used: number; limit: number; isNear: boolean };

/** An account with less than a tenth of one of its limits left: `isNear` of that one. `storage` is in bytes. */
export type NearLimits = { name: string; storage: Use; knowledgeBases: Use };

const useOf = (used: RawBuilder<unknown>, limit: RawBuilder<unknown>) => sql`
  SELECT used, most AS "limit", (most - used) * 10 < most AS "isNear"
  FROM (SELECT ${used} AS used, ${limit}::bigint AS most) AS numbers`;

/** The accounts that have less than a tenth of their storage or of their knowledge bases left, by name. */
export async function listNearLimits(database: Queryable, defaults: DefaultLimits): Promise<NearLimits[]> {
  const storage = sql`coalesce(storage_limit_bytes, ${defaults.storageLimitBytes})`;
  const knowledgeBases = sql`coalesce(knowledge_base_limit, ${defaults.knowledgeBaseLimit})`;
  const { rows } = await sql<NearLimits>`
    SELECT name, to_json(storage) AS storage, to_json(knowledge_bases) AS "knowledgeBases"
    FROM (${storageUsed(sql`accounts.*`, () => sql`true`)}) AS account
      LEFT JOIN (
        SELECT account_id, count(*) AS count FROM knowledge_bases WHERE deleted_at IS NULL
        GROUP BY account_id) AS existing ON existing.account_id = account.id,
      LATERAL (${useOf(sql`account.used`, storage)}) AS storage,
      LATERAL (${useOf(sql`coalesce(existing.count, 0)`, knowledgeBases)}) AS knowledge_bases
    WHERE storage."isNear" OR knowledge_bases."isNear" ORDER BY name`.execute(database);
  return rows;
}
