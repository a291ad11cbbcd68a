/** What searches by lexemes need once passages have come or gone, and no request waits for. */
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { mergeFrequencyDeltas } from './document-frequencies.ts';

/**
 * Sorts the entries of new passages into the index of lexemes, unless another server is at it, or somebody imports.
 * PostgreSQL keeps them on a list (manual, "GIN Fast Update Technique"), so that an import need not look up each lexeme's
 * place, and every search reads the whole list: with the 4 MB that it may have, twice the processor time. Autovacuum sorts
 * it too, but only once a table has grown by a fifth.
 *
 * An import sorts the list itself when it is full, but not while somebody else sorts it: beside imports the list grew to
 * 32 MB, and searches took .4 s. Whoever imports holds the lock of writers on the table until the import ends.
 * @returns whether nobody has imported
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
 * Merges some changes of the lexemes' counts whenever it is called, and sorts the index once there were none.
 * @returns whether changes are left to merge
 */
export function createIndexMaintenance(database: Database): () => Promise<boolean> {
  let isSorted = false;
  return async () => {
    const { areFound, areLeft } = await mergeFrequencyDeltas(database);
    if (areFound) isSorted = false;
    else if (!isSorted) {
      // Once after each burst: a role that does not own the index may not, and is not told so four times a second.
      isSorted = true;
      isSorted = await sortPendingEntries(database);
    }
    return areLeft;
  };
}
