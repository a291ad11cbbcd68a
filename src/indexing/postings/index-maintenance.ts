/** Index maintenance: work on the index after imports and deletions for which no request waits. */
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { mergeFrequencyDeltas } from './document-frequencies.ts';

/**
 * Moves the entries of new passages into the GIN index, unless another server does so or an import runs.
 *
 * PostgreSQL keeps new entries on a pending list (manual, "GIN Fast Update Technique"), so that an import need not find
 * each lexeme's place in the index. Every search reads the whole list: at its limit of 4 MB, that doubles the processor
 * time. Autovacuum moves the entries too, but only after a table has grown by a fifth.
 *
 * An import moves the entries itself when the list is full, but not while another process does. During imports the list
 * grew to 32 MB, and searches took .4 s. An import holds the lock of writers on the table until it ends.
 * @returns whether no import was running
 */
async function sortPendingEntries(database: Database): Promise<boolean> {
  const { rows } = await sql<{ isQuiet: boolean }>`
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
      THEN gin_clean_pending_list('passage_lexemes_by_lexeme')
    END
    FROM state`.execute(database);
  return rows[0]?.isQuiet ?? false;
}

/**
 * Each call merges some deltas. The first call without deltas moves the pending entries into the index.
 * @returns whether deltas are left to merge
 */
export function createIndexMaintenance(database: Database): () => Promise<boolean> {
  let isSorted = false;
  return async () => {
    const { areFound, areLeft } = await mergeFrequencyDeltas(database);
    if (areFound) isSorted = false;
    else if (!isSorted) {
      // Set first: a role that does not own the index fails here, and should fail once after each burst of imports
      // instead of four times a second.
      isSorted = true;
      isSorted = await sortPendingEntries(database);
    }
    return areLeft;
  };
}
