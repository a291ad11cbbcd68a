/**
 * Groups of synonyms about a query, where the statement that counts its lexemes finds none: a server of shards has no
 * such table, and a key with a filter has statistics of its own.
 */
import { sql } from 'kysely';
import type { Queryable } from '../../database/connection/database.ts';
import { prepareAlong } from '../../database/connection/prepared.ts';
import { type GroupRow, groupsAbout, toGroups } from '../synonyms/stored-groups.ts';
import type { SynonymGroup } from '../synonyms/synonym-groups.ts';
import { lookedUp, type WordsToLookUp, wordValues } from './words-to-look-up.ts';

const readGroupsAbout = prepareAlong(
  'synonyms_about',
  ['accountId', 'ids', 'lexemes', 'dictionaries', 'words', 'isCountingStems'],
  ({ accountId, ids, ...words }) => sql<{ synonyms: GroupRow[] }>`
    WITH ${lookedUp({ ...words, prefixes: sql`'{""}'` })}
    SELECT ${groupsAbout({
      accountId: sql`${accountId}::uuid`,
      isSearched: sql`knowledge_base_id = ANY(${ids}::uuid[])`,
      lexemes: sql`query_lexemes`,
    })} AS synonyms`,
);

/**
 * The groups of the account and of these knowledge bases. `isAlone`: they are read at once, not along with the next
 * statement of the request.
 */
export async function findGroups(
  database: Queryable,
  { accountId, ids, isAlone }: { accountId: string; ids: string[]; isAlone: boolean },
  toLookUp: WordsToLookUp,
): Promise<SynonymGroup[]> {
  const values = { accountId, ids: `{${ids}}`, ...wordValues(toLookUp) };
  const [row] = await readGroupsAbout(database, values, isAlone);
  return toGroups(row?.synonyms ?? []);
}
