/**
 * The statistics that a query needs before it looks for passages, read in one statement: each round trip to the
 * database takes a tenth of a query's time.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import type { DocumentFilter } from '../../database/rows/documents/document-filter.ts';
import { frequencyRows, mergedInAccount } from '../../indexing/postings/document-frequencies.ts';
import { knowledgeBaseNotFound } from '../../terms/errors.ts';
import { groupsAbout, toGroups } from '../synonyms/stored-groups.ts';
import type { SynonymGroup } from '../synonyms/synonym-groups.ts';
import { findGroups } from './groups-apart.ts';
import {
  addFrequencies,
  FEW_MAX,
  type FrequencyRow,
  frequenciesIn,
  isSearchedIn,
  mergedCounts,
  searchedIds,
  type Width,
} from './lexeme-frequencies.ts';
import { readVisibleStatistics } from './visible-statistics.ts';
import { lookedUp, type WordsToLookUp, wordValues } from './words-to-look-up.ts';

/** The knowledge bases that a query covers, and their totals. */
export type SearchedKnowledgeBases = {
  ids: string[];
  /** Languages in which their passages were analysed. */
  languages: string[];
  passageCount: number;
  /** Sum of their passages' lengths in letters. */
  lengthTotal: number;
  /** Passages in the whole database by PostgreSQL's estimate; undefined before there is one. */
  storedPassages: number | undefined;
};

export type QueryStatistics = {
  searched: SearchedKnowledgeBases;
  /** Document frequencies by lexeme; lexemes that occur nowhere are missing. */
  frequencies: Map<string, number>;
  /**
   * For each entry of `toStem`, the stems in its words' order. A stop word's stem is '', and its lexeme is the word
   * itself.
   */
  stems: string[][];
  /** Groups of synonyms that may be about the looked up lexemes. */
  synonyms: SynonymGroup[];
};

const VALUES = [
  ...(['accountId', 'ids', 'lexemes', 'prefixes'] as const),
  ...(['dictionaries', 'words', 'isCountingStems', 'isFindingSynonyms'] as const),
] as const;
type Placeholders = Record<(typeof VALUES)[number], RawBuilder<unknown>>;

/** `isNamed`: the query names `ids`; otherwise it covers the whole account. */
type Scope = Width & { isNamed: boolean };

type Row = FrequencyRow &
  Omit<SearchedKnowledgeBases, 'ids' | 'storedPassages'> & {
    /**
     * Joined by commas: the driver takes longer to parse an array of a thousand ids than PostgreSQL takes to find them.
     */
    ids: string;
    estimate: number;
    stems: string[];
    /** Null: another statement has to find them. */
    synonyms: Parameters<typeof toGroups>[0] | null;
  };

/** NULL, where another statement has to find the synonyms. A statement has to use all of its values. */
const noSynonyms = ({ isFindingSynonyms }: Placeholders) =>
  sql`CASE WHEN ${isFindingSynonyms}::boolean THEN NULL::json END`;

/**
 * The tables of the searched knowledge bases that a query names: `searched`. `totals` has a row with the totals of
 * each, and `merged` the rows of the merged counts.
 */
function inNamed(scope: Width, accountId: RawBuilder<unknown>, ids: RawBuilder<unknown>) {
  return {
    tables: sql`searched AS MATERIALIZED (
      SELECT knowledge_base_id FROM knowledge_bases
      WHERE account_id = ${accountId} AND deleted_at IS NULL AND knowledge_base_id = ANY(${ids}::uuid[]))`,
    totals: sql`knowledge_base_statistics WHERE ${isSearchedIn(scope)}`,
    merged: mergedCounts(scope, accountId),
  };
}

/** The same for a query of the whole account. Few knowledge bases are deleted, so that their ids are compared. */
function inAccount(accountId: RawBuilder<unknown>, ids: RawBuilder<unknown>) {
  return {
    tables: sql`deleted AS MATERIALIZED (
      SELECT knowledge_base_id FROM knowledge_bases WHERE account_id = ${accountId} AND deleted_at IS NOT NULL),
    searched AS MATERIALIZED (
      SELECT knowledge_base_id, passage_count, passage_length_total FROM knowledge_base_statistics
      WHERE account_id = ${accountId} AND ${ids}::uuid[] IS NULL
        AND knowledge_base_id NOT IN (SELECT knowledge_base_id FROM deleted))`,
    totals: sql`searched`,
    merged: mergedInAccount('query_lexemes', accountId, 'deleted'),
  };
}

/** The looked up lexemes without lexemes of impact tiers, which begin with a slash (analysis/reserved-lexemes.ts). */
const wordLexemesIf = (isLookedUp: RawBuilder<unknown>) =>
  sql`query_lexemes WHERE ${isLookedUp}::boolean AND lexeme NOT LIKE '/%'`;

/** `isInShard`: for a server of shards, which has no synonyms. */
function statisticsOf({ isInShard, ...scope }: Scope & { isInShard: boolean }, values: Placeholders) {
  const isSearched = isSearchedIn(scope);
  const accountId = sql`${values.accountId}::uuid`;
  const synonyms = isInShard
    ? noSynonyms(values)
    : groupsAbout({ accountId, isSearched, lexemes: wordLexemesIf(values.isFindingSynonyms) });
  const { tables, totals, merged } = scope.isNamed
    ? inNamed(scope, accountId, values.ids)
    : inAccount(accountId, values.ids);
  return sql<Row>`
    WITH ${tables},
    ${lookedUp(values)}
    SELECT
      array_to_string(${searchedIds}, ',') AS ids,
      (SELECT coalesce(array_agg(DISTINCT language), '{}') FROM language_statistics WHERE ${isSearched}) AS languages,
      coalesce(sum(passage_count), 0)::bigint AS "passageCount",
      coalesce(sum(passage_length_total), 0)::bigint AS "lengthTotal",
      (SELECT reltuples::bigint FROM pg_class WHERE oid = 'passage_lexemes'::regclass) AS estimate,
      (${frequenciesIn(frequencyRows('query_lexemes', { merged, isSearched }))}) AS frequencies,
      (SELECT coalesce(array_agg(stem ORDER BY ordinal), '{}') FROM stemmed) AS stems,
      ${synonyms} AS synonyms
    FROM ${totals}`;
}

/** The statistics of all servers, where each has some of the knowledge bases. */
function addStatistics(parts: Row[][]): Row[] {
  const all = parts.flat();
  const [first] = all;
  if (first === undefined) return [];
  const sumOf = (count: (row: Row) => number) => all.reduce((sum, row) => sum + count(row), 0);
  return [
    {
      ...first,
      ids: all.flatMap(({ ids }) => ids || []).join(','),
      languages: [...new Set(all.flatMap(({ languages }) => languages))].sort(),
      passageCount: sumOf(({ passageCount }) => passageCount),
      lengthTotal: sumOf(({ lengthTotal }) => lengthTotal),
      frequencies: addFrequencies(all),
      estimate: -1,
    },
  ];
}

/**
 * An account's search: the knowledge bases with these distinct `ids`, or all of them. `restriction`: only documents
 * that fit it count.
 */
export type SearchedScope = {
  accountId: string;
  ids: string[] | undefined;
  skipsDeleted?: boolean | undefined;
  restriction?: DocumentFilter | undefined;
};

/** @throws KNOWLEDGE_BASE_NOT_FOUND unless all of `ids` are `found`, or may be missing */
function requireFound({ ids, skipsDeleted = false }: SearchedScope, found: string[]): void {
  if (ids === undefined || skipsDeleted || found.length >= ids.length) return;
  throw knowledgeBaseNotFound(
    ids.find((id) => !found.includes(id)),
    ids,
  );
}

/** The same statistics of the documents that exist for a restricted caller. */
async function ofVisible(
  database: Queryable,
  { restriction, ...scope }: SearchedScope & { restriction: DocumentFilter },
  words: WordsToLookUp,
): Promise<QueryStatistics> {
  const { accountId } = scope;
  const found = await database
    .selectFrom('knowledge_bases')
    .select('knowledge_base_id')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .$if(scope.ids !== undefined, (rest) => rest.where('knowledge_base_id', 'in', scope.ids ?? []))
    .execute();
  const ids = found.map(({ knowledge_base_id }) => knowledge_base_id);
  requireFound(scope, ids);
  const { frequencies, stems, ...totals } = await readVisibleStatistics(
    database,
    { ids, restriction },
    words,
  );
  return {
    searched: { ...totals, ids, storedPassages: undefined },
    frequencies,
    stems: divide(words, stems),
    synonyms: words.isFindingSynonyms
      ? await findGroups(database, { accountId, ids, isAlone: true }, words)
      : [],
  };
}

/** The stems of each language. */
function divide({ toStem }: WordsToLookUp, stems: string[]): string[][] {
  let next = 0;
  return toStem.map(({ words }) => words.map(() => stems[next++] ?? ''));
}

/** Prepares the statements. Returns the statement for a search of these knowledge bases; undefined: of all. */
function prepareStatistics() {
  const prepareFor = (name: string, scope: Scope) =>
    prepare(name, VALUES, (values) => statisticsOf({ ...scope, isInShard: false }, values), {
      ids: 'ids',
      buildInShard: (values) => statisticsOf({ ...scope, isInShard: true }, values),
      combine: addStatistics,
    });
  const ofFew = prepareFor('statistics_of_few', { isNamed: true, isNarrow: true });
  const ofMany = prepareFor('statistics_of_many', { isNamed: true, isNarrow: false });
  const ofAll = prepareFor('statistics_of_all', { isNamed: false, isNarrow: false });
  return (ids: string[] | undefined) => {
    if (ids === undefined) return ofAll;
    return ids.length > FEW_MAX ? ofMany : ofFew;
  };
}

/**
 * Creates the function that finds the account's knowledge bases, and looks up words in them. It throws
 * KNOWLEDGE_BASE_NOT_FOUND when the account lacks one of the ids.
 */
export function createStatistics() {
  const statementFor = prepareStatistics();
  /** Whether the last query had to find groups of synonyms apart: then the next query asks for them along. */
  let areGroupsApart = false;
  return async (
    database: Queryable,
    scope: SearchedScope,
    toLookUp: WordsToLookUp,
  ): Promise<QueryStatistics> => {
    const { accountId, ids, restriction, skipsDeleted = false } = scope;
    if (restriction) return await ofVisible(database, { ...scope, restriction }, toLookUp);
    const { prefixes, isFindingSynonyms = false } = toLookUp;
    const read = statementFor(ids);
    const named = areGroupsApart && isFindingSynonyms && !skipsDeleted ? ids : undefined;
    const finding = named && findGroups(database, { accountId, ids: named, isAlone: false }, toLookUp);
    finding?.catch(() => {}); // it is waited for below
    const [row] = await read(database, {
      accountId,
      ids,
      prefixes,
      isFindingSynonyms,
      ...wordValues(toLookUp),
    });
    const found = row?.ids ? row.ids.split(',') : [];
    requireFound(scope, found);
    if (row === undefined) throw knowledgeBaseNotFound();
    const { estimate, frequencies, stems, synonyms, ...searched } = row;
    if (isFindingSynonyms) areGroupsApart = synonyms === null;
    const findApart = async () =>
      isFindingSynonyms
        ? await (finding ?? findGroups(database, { accountId, ids: found, isAlone: true }, toLookUp))
        : [];
    return {
      // -1 is PostgreSQL's estimate for a table that it has never analysed.
      searched: { ...searched, ids: found, storedPassages: estimate < 0 ? undefined : estimate },
      frequencies: new Map(Object.entries(frequencies)),
      stems: divide(toLookUp, stems),
      synonyms: synonyms === null ? await findApart() : toGroups(synonyms),
    };
  };
}
