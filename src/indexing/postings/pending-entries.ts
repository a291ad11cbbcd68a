/**
 * The pending list of the GIN index of lexemes: bounded at all times, and moved into the index by whoever fills it.
 *
 * PostgreSQL keeps new entries on that list (manual, "GIN Fast Update Technique"), and every search reads all of it.
 * PostgreSQL moves them when the list is full, in the next import whosever it is; but while one process moves them, all
 * others go on adding. So sixteen imports of rare ideographs once made a list of 17,079 pages: searches of all accounts
 * took twenty times as long for minutes, and the next import of a sentence moved all of it, within 74 s.
 *
 * Here an import moves the entries after every CLEANED_AFTER_BYTES that its account has added, and so waits before it
 * adds more. A worker moves what small imports leave. Under attack the list then has 350 pages (95 %), 533 at most: two
 * large texts at a time are stored, of which a statement adds up to 260. What imports of texts take of PostgreSQL's
 * processor time and log, as multiples of moving at 4 MB:
 *
 *                                English        short       Chinese       rare ideographs
 *     here                      1.2   1.4     1.4   2.0    1.1   1.4         1.0   0.9
 *     `fastupdate = off`        3.0   6.5     1.6   3.2    2.2   3.7      more than a minute for each
 */
import { type RawBuilder, sql } from 'kysely';
import type { Database, Queryable } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import { isDistributed } from '../../database/distribution/distribution.ts';
import type { OwnedKnowledgeBase } from '../../database/rows/knowledge-bases.ts';
import { localShardsOf } from '../../database/schema/citus-insides.ts';

/** Bytes of binary tsvectors, of which the list takes about twice as many: 128 pages. */
const CLEANED_AFTER_BYTES = 2 ** 19;
/** An account that adds less than CLEANED_AFTER_BYTES in this time never waits: a worker moves its entries sooner. */
const OWED_FOR_MS = 10_000;

/** What an account has added since `sinceMs` and not moved, in bytes, and the knowledge bases that have it. */
type Debt = { bytes: number; sinceMs: number; knowledgeBaseIds: Set<string> };

/** Of this process, by the account's id. An account without a debt has no entry. */
const debts = new Map<string, Debt>();

function forgetOld(nowMs: number): void {
  for (const [accountId, { sinceMs }] of debts) if (nowMs - sinceMs >= OWED_FOR_MS) debts.delete(accountId);
}

/**
 * The role may be another than the index's owner, and then may not move entries. In a shard, the name of the
 * table becomes the name of its shard: see shard-statements.ts.
 */
const moveOwned = ({ knowledgeBaseIds }: Record<'knowledgeBaseIds', RawBuilder<unknown>>) => sql<{
  pages: number;
}>`
  SELECT gin_clean_pending_list(indexrelid::regclass) AS pages
  FROM pg_index JOIN pg_class AS index ON index.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
  WHERE indrelid = 'passage_lexemes'::regclass AND amname = 'gin' AND pg_has_role(relowner, 'USAGE')
    AND ${knowledgeBaseIds}::uuid[] IS NOT NULL`;

/**
 * Citus opens a connection for the command at each server, and closes it. With a command for each shard it opened 32,
 * and a move took .36 s of a core.
 */
const AT_EACH_SERVER = sql`run_command_on_all_nodes($command$
  SELECT coalesce(sum(gin_clean_pending_list(
    replace(shard, 'passage_lexemes', 'passage_lexemes_by_lexeme')::regclass)), 0)::bigint
  FROM (${sql.raw(localShardsOf('passage_lexemes'))}) AS shards $command$)`;

/** Waits for another process that moves them. `knowledgeBaseIds`: where Citus has an index for each shard. */
const moveOwn = prepare('move_own_pending_entries', ['knowledgeBaseIds'], moveOwned, {
  build: ({ knowledgeBaseIds }) => sql<{ pages: number }>`
    SELECT coalesce(sum(result::bigint), 0)::bigint AS pages FROM ${AT_EACH_SERVER}
    WHERE success AND ${knowledgeBaseIds}::uuid[] IS NOT NULL`,
  ids: 'knowledgeBaseIds',
});

/**
 * Moves entries into the index if the account has added enough since the last time, with the `bytes` of lexemes that
 * this transaction has just inserted.
 */
export async function payForEntries(
  transaction: Queryable,
  { accountId, knowledgeBaseId }: OwnedKnowledgeBase,
  bytes: number,
): Promise<void> {
  const nowMs = performance.now();
  forgetOld(nowMs);
  const debt = debts.get(accountId) ?? { bytes: 0, sinceMs: nowMs, knowledgeBaseIds: new Set() };
  debt.bytes += bytes;
  debt.knowledgeBaseIds.add(knowledgeBaseId);
  debts.set(accountId, debt);
  if (debt.bytes < CLEANED_AFTER_BYTES) return;
  debts.delete(accountId);
  await moveOwn(transaction, { knowledgeBaseIds: [...debt.knowledgeBaseIds] });
}

const moveAll = prepare(
  'move_pending_entries',
  [],
  () => sql<{ error: string | null }>`
    SELECT NULL::text AS error FROM gin_clean_pending_list('passage_lexemes_by_lexeme')`,
  {
    build: () => sql<{ error: string | null }>`
      SELECT max(result) FILTER (WHERE NOT success) AS error FROM ${AT_EACH_SERVER}`,
  },
);

/** Moves all entries into the index. @throws where the role does not own the index, or a server is unreachable */
async function movePendingEntries(database: Database): Promise<void> {
  const [state] = await moveAll(database, {});
  if (state?.error) throw new Error(state.error);
}

/** With Citus, calls between two moves while no deltas tell of imports. */
const SHARDS_UNLOOKED_MAX = 60;

/**
 * Creates the function that moves what small imports have left. It depends on no merge of deltas, which may take
 * minutes. To call it without entries costs a tenth of a millisecond. In each shard of Citus it would cost as much and
 * more, so there imports of late have to show by their deltas, or many calls have passed.
 */
export function createPendingEntriesMover(database: Database): () => Promise<void> {
  let passed = SHARDS_UNLOOKED_MAX;
  return async () => {
    if (await isDistributed(database)) {
      const found = await database.selectFrom('document_frequency_deltas').select('id').limit(1).execute();
      if (found.length === 0 && ++passed < SHARDS_UNLOOKED_MAX) return;
      passed = 0;
    }
    await movePendingEntries(database);
  };
}
