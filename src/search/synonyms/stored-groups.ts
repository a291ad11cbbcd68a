/** The groups of synonyms in the database: set, read, and found by the lexemes of a query. */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../database/connection/database.ts';
import { prepareRead } from '../../database/connection/prepared.ts';
import { keysOf } from './group-keys.ts';
import type { SynonymGroup } from './synonym-groups.ts';

/** Whose groups: a knowledge base's, or the whole account's. */
export type SynonymOwner = { accountId: string; knowledgeBaseId: string | undefined };

/** `knowledge_base_id` of an account's own groups. */
const WHOLE_ACCOUNT = '00000000-0000-0000-0000-000000000000';

/**
 * Groups that one query considers. More would be about more words than a query of ordinary length has; of a longer one,
 * the groups set first count.
 */
const FOUND_MAX = 64;

export type GroupRow = { terms: string[]; finds: string[] | null };

const toGroup = ({ terms, finds }: GroupRow): SynonymGroup => ({ terms, ...(finds && { finds }) });

const isOf = ({ accountId, knowledgeBaseId = WHOLE_ACCOUNT }: SynonymOwner) =>
  sql<boolean>`knowledge_base_id = ${knowledgeBaseId} AND account_id = ${accountId}`;

const listGroups = prepareRead(
  'list_synonym_groups',
  ['accountId', 'knowledgeBaseId'],
  ({ accountId, knowledgeBaseId }) => sql<GroupRow>`
    SELECT terms, finds FROM synonym_groups
    WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND account_id = ${accountId}::uuid ORDER BY position`,
);

/** The groups, in the order in which they were set. */
export async function readGroups(
  database: Queryable,
  { accountId, knowledgeBaseId = WHOLE_ACCOUNT }: SynonymOwner,
): Promise<SynonymGroup[]> {
  return (await listGroups(database, { accountId, knowledgeBaseId })).map(toGroup);
}

/** Makes those who set the same groups take turns, until the transaction ends. */
export async function lockGroups(
  transaction: Queryable,
  { accountId, knowledgeBaseId = WHOLE_ACCOUNT }: SynonymOwner,
): Promise<void> {
  const name = `synonyms of ${knowledgeBaseId} in ${accountId}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}

/** A key as a query looks it up: other accounts have other keys. */
const keyIn = (accountId: RawBuilder<unknown>, key: RawBuilder<unknown>) =>
  sql`${accountId}::text || '/' || ${key}`;

/** Replaces all groups by these, which are valid. */
export async function replaceGroups(
  transaction: Queryable,
  owner: SynonymOwner,
  groups: SynonymGroup[],
): Promise<void> {
  const keys = await keysOf(transaction, groups);
  await lockGroups(transaction, owner);
  await transaction.deleteFrom('synonym_groups').where(isOf(owner)).execute();
  if (groups.length === 0) return;
  const { accountId, knowledgeBaseId = WHOLE_ACCOUNT } = owner;
  const rows = groups.map(({ terms, finds = null }, i) => ({
    position: i,
    terms,
    finds,
    keys: keys[i] ?? [],
  }));
  await sql`
    INSERT INTO synonym_groups (knowledge_base_id, account_id, position, terms, finds, keys)
    SELECT ${knowledgeBaseId}, ${accountId}, position, terms, finds,
      ARRAY(SELECT ${keyIn(sql`${accountId}::uuid`, sql.ref('key'))} FROM unnest(keys) AS key)
    FROM jsonb_to_recordset(${JSON.stringify(rows)})
      AS given (position integer, terms text[], finds text[], keys text[])`.execute(transaction);
}

type Scope = Record<'accountId' | 'isSearched' | 'lexemes', RawBuilder<unknown>>;

/**
 * SQL for the groups that may be about the lexemes of a query, as JSON: the account's, and the searched
 * knowledge bases', which come first. `lexemes`: what stands after FROM for rows with a column `lexeme`. Equal groups
 * of several knowledge bases are one.
 */
export function groupsAbout({ accountId, isSearched, lexemes }: Scope) {
  const isOfAccount = sql`knowledge_base_id = ${sql.lit(WHOLE_ACCOUNT)}`;
  return sql<GroupRow[]>`
      (SELECT coalesce(json_agg(found), '[]') FROM (
        SELECT terms, finds FROM synonym_groups
        WHERE keys && ARRAY(SELECT ${keyIn(accountId, sql.ref('lexeme'))} FROM ${lexemes})
          AND account_id = ${accountId} AND (${isOfAccount} OR ${isSearched})
        GROUP BY terms, finds
        ORDER BY bool_and(${isOfAccount}), min(position), terms, finds LIMIT ${sql.lit(FOUND_MAX)}) AS found)`;
}

/** The groups that `groupsAbout` has found. */
export const toGroups = (found: GroupRow[]): SynonymGroup[] => found.map(toGroup);
