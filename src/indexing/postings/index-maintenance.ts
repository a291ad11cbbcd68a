/** Index maintenance: work on the index that imports and deletions leave, so that no request waits for it. */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import { mergeFrequencyDeltas } from './document-frequencies.ts';

/**
 * Moves the pending entries into the GIN index, unless another server does so or an import is running.
 *
 * PostgreSQL keeps new entries on a pending list (manual, "GIN Fast Update Technique"), so that an import need not
 * insert each lexeme into the index. But every search reads the whole list: at its limit of 4 MB, that doubles the
 * processor time. Autovacuum moves the entries too, but only after a table has grown by a fifth.
 *
 * An import moves the entries itself when the list is full, but not while another process moves them. So the list must
 * not be moved during imports: it grew to 32 MB then, and searches took .4 s. A running import is visible by its lock
 * on the table.
 * @returns whether no import was running
 */
async function movePendingEntries(database: Database): Promise<boolean> {
  const [state] = await moveEntries(database, {});
  if (state?.error) throw new Error(state.error);
  return state?.isQuiet ?? false;
}

type State = { isQuiet: boolean; error: string | null };

/** The statement that calls `move` while no import is running. `move` is SQL for NULL, or an error's text. */
const whileQuiet = (move: RawBuilder<unknown>) => sql<State>`
  WITH state AS MATERIALIZED (
    SELECT NOT EXISTS (
      SELECT FROM pg_locks
      WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND relation = 'passage_lexemes'::regclass
        AND mode = 'RowExclusiveLock'
    ) AS "isQuiet"
  )
  SELECT "isQuiet", CASE
    WHEN "isQuiet" AND pg_try_advisory_xact_lock(hashtextextended('entries of passage_lexemes_by_lexeme', 0))
    THEN ${move}
  END AS error
  FROM state`;

/** With Citus, the coordinator knows of all imports, and each shard has an index of its own. */
const moveEntries = prepare(
  'move_pending_entries',
  [],
  () => whileQuiet(sql`(SELECT NULL::text FROM gin_clean_pending_list('passage_lexemes_by_lexeme'))`),
  {
    build: () =>
      whileQuiet(sql`(
      SELECT max(result) FILTER (WHERE NOT success) FROM run_command_on_shards('passage_lexemes', $command$
        SELECT gin_clean_pending_list(
          replace('%s', 'passage_lexemes', 'passage_lexemes_by_lexeme')::regclass) $command$))`),
  },
);

/**
 * Each call merges some deltas. The first call without deltas moves the pending entries into the index. When `signal`
 * aborts, a call throws its reason before it begins with another knowledge base.
 * @returns the bytes of deltas that are left to merge (see `mergeFrequencyDeltas`)
 */
export function createIndexMaintenance(database: Database): (signal?: AbortSignal) => Promise<number> {
  let isDone = false;
  return async (signal) => {
    const { areFound, bytesLeft } = await mergeFrequencyDeltas(database, { signal });
    if (areFound) isDone = false;
    else if (!isDone) {
      // Set before the attempt, so that a role that does not own the index fails once after each burst of imports, and
      // not four times a second.
      isDone = true;
      isDone = await movePendingEntries(database);
    }
    return bytesLeft;
  };
}
