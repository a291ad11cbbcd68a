/**
 * Looks for lexemes in the vocabularies of knowledge bases: by spelling, beginning or ending. The lexemes and their
 * document frequencies come from the index (see indexing/postings/document-frequencies.ts).
 */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import { inShards } from '../../database/schema/distributed-tables.ts';
import { dictionaryOf, stemSql } from '../../indexing/stems.ts';
import { isSearchedIn, mergedCounts } from '../query/lexeme-frequencies.ts';

/**
 * Lexemes to look for. Any of these:
 *
 * - `lexemes`: these, as they are.
 * - `words`: the stems of these words in the language of the vocabularies.
 * - `start` or `end`: all that begin or end with it. `similarTo`: of these, only words that have about as many
 *   letters as this word, and nearly the same letters.
 */
export type LexemePattern = {
  lexemes?: string[];
  words?: string[];
  start?: string;
  end?: string;
  similarTo?: string;
};

/** The knowledge bases whose vocabularies are searched, with the languages of their passages. */
export type Vocabularies = { accountId: string; ids: string[]; languages: string[] };

/** The lexemes that a pattern found, with their document frequencies, the most frequent first. */
export type Found = Map<string, number>;

/** Lexemes that a pattern finds at most: the most frequent ones. */
const FOUND_MAX = 64;
/** Rows of beginnings and endings that a look-up reads: 20 ms on a slow core. */
const SCANNED_MAX = 20_000;
/** Beginnings and endings that a look-up searches for, each in each knowledge base; further ones are left out. */
const SCANS_MAX = 8_000;
/** Size of the deltas that a look-up reads until none is left, as stored: some ten thousand lexemes. */
const UNMERGED_BYTES = 131_072;
/** Letters that a similar word may lack, or have in addition. */
const UNLIKE_MAX = 2;
/** More knowledge bases than this are looked up together, by the account's index. */
const ONE_BY_ONE_MAX = 20;

const VALUES = [
  ...(['accountId', 'ids', 'dictionaries', 'words', 'wordPatterns', 'lexemes', 'lexemePatterns'] as const),
  ...(['texts', 'textPatterns', 'areEndings', 'similarTo', 'rowsMax'] as const),
] as const;
type Placeholders = Record<(typeof VALUES)[number], RawBuilder<unknown>>;
type SpellingValue = 'dictionaries' | 'words' | 'wordPatterns' | 'lexemes' | 'lexemePatterns';

/** The highest code point: in the order of code points, all that begins with a text lies below the text and this. */
const HIGHEST = sql`chr(1114111)`;

/**
 * SQL for whether a lexeme may be found by its ending: it is no reserved lexeme, begins with no digit, and is longer
 * than the shortest ending. It is the condition of the index `document_frequencies_by_ending` (migration 0012).
 */
export const hasEnding = sql`lexeme >= 'a' AND char_length(lexeme) >= 6`;

/** SQL for whether a lexeme and a word are of similar length, and have few letters that the other lacks. */
export const isSimilar = (lexeme: RawBuilder<unknown>, word: RawBuilder<unknown>) => {
  const max = sql.lit(UNLIKE_MAX);
  return sql`
    char_length(${lexeme}) BETWEEN char_length(${word}) - 2 * ${max} AND char_length(${word}) + ${max}
    AND char_length(translate(${lexeme}, ${word}, '')) <= ${max}
    AND char_length(translate(${word}, ${lexeme}, '')) <= 2 * ${max}`;
};

export type FoundRow = { pattern: number; lexeme: string; passageCount: number };

/** The tables of the lexemes that are looked up as they are: `spellings` by pattern, and all `query_lexemes`. */
export const spellingTables = (values: Pick<Placeholders, SpellingValue>) => sql`spellings AS MATERIALIZED (
      SELECT pattern, coalesce(nullif(${stemSql(sql.ref('dictionary'), sql.ref('word'))}, ''), word) AS lexeme
      FROM unnest(${values.words}::text[], ${values.wordPatterns}::integer[]) AS given (word, pattern),
        (SELECT dictionary::regdictionary FROM unnest(${values.dictionaries}::text[]) AS given (dictionary)
          UNION ALL SELECT 'simple' OFFSET 0) AS languages
      UNION
      SELECT pattern, lexeme
      FROM unnest(${values.lexemes}::text[], ${values.lexemePatterns}::integer[]) AS given (lexeme, pattern)),
    query_lexemes AS MATERIALIZED (SELECT DISTINCT lexeme FROM spellings)`;

/** The end of the statement: of the rows in `found`, the most frequent lexemes of each pattern. */
export const mostFrequent = sql`ranked AS (
      SELECT pattern, lexeme, sum(passage_count)::bigint AS passage_count,
        row_number() OVER (PARTITION BY pattern ORDER BY sum(passage_count) DESC, lexeme) AS rank
      FROM found GROUP BY pattern, lexeme HAVING sum(passage_count) > 0)
    SELECT pattern, lexeme, passage_count AS "passageCount" FROM ranked
    WHERE rank <= ${sql.lit(FOUND_MAX)} ORDER BY pattern, rank`;

/** SQL for the first lexemes with each beginning or ending in each knowledge base. */
const firstOfEach = (
  values: Placeholders,
) => sql`SELECT counted.lexeme, counted.passage_count FROM searched, LATERAL (
          SELECT lexeme, passage_count FROM document_frequencies AS counted
          WHERE NOT is_ending AND counted.knowledge_base_id = searched.knowledge_base_id
            AND lexeme >= text AND lexeme < text || ${HIGHEST}
          ORDER BY lexeme LIMIT ${values.rowsMax}::integer) AS counted
        UNION ALL
        SELECT counted.lexeme, counted.passage_count FROM searched, LATERAL (
          SELECT lexeme, passage_count FROM document_frequencies AS counted
          WHERE is_ending AND counted.knowledge_base_id = searched.knowledge_base_id
            AND reverse(lexeme) >= reverse(text) AND reverse(lexeme) < reverse(text) || ${HIGHEST}
            AND ${hasEnding}
          ORDER BY reverse(lexeme) LIMIT ${values.rowsMax}::integer) AS counted`;

function lookUpIn(isNarrow: boolean, values: Placeholders) {
  const accountId = sql`${values.accountId}::uuid`;
  return sql<FoundRow>`
    WITH searched AS MATERIALIZED (
      SELECT knowledge_base_id FROM knowledge_bases
      WHERE account_id = ${accountId} AND knowledge_base_id = ANY(${values.ids}::uuid[])),
    unmerged AS MATERIALIZED (
      SELECT key COLLATE "C" AS lexeme, sum(value::bigint) AS passage_count
      FROM (
        SELECT passage_counts, pg_column_size(passage_counts) AS size,
          sum(pg_column_size(passage_counts)) OVER (ORDER BY knowledge_base_id, id) AS total
        FROM document_frequency_deltas WHERE ${isSearchedIn({ isNarrow })}) AS delta,
        jsonb_each_text(passage_counts)
      WHERE total - size < ${sql.lit(UNMERGED_BYTES)} GROUP BY key),
    ${spellingTables(values)},
    texts AS MATERIALIZED (
      SELECT text, pattern, is_ending, similar_to
      FROM unnest(${values.texts}::text[], ${values.textPatterns}::integer[], ${values.areEndings}::boolean[],
        ${values.similarTo}::text[]) AS given (text, pattern, is_ending, similar_to)),
    found AS (
      SELECT pattern, lexeme, passage_count FROM spellings JOIN (
        ${mergedCounts({ isNarrow }, accountId)}
        UNION ALL SELECT lexeme, passage_count FROM unmerged) AS counted USING (lexeme)
      UNION ALL
      SELECT pattern, lexeme, passage_count FROM texts, LATERAL (
        ${firstOfEach(values)}
        UNION ALL
        SELECT lexeme, passage_count FROM unmerged
        WHERE CASE WHEN is_ending THEN right(lexeme, char_length(text)) = text AND ${hasEnding}
          ELSE starts_with(lexeme, text) END
      ) AS counted
      WHERE similar_to IS NULL OR (${isSimilar(sql.ref('lexeme'), sql.ref('similar_to'))})),
    ${mostFrequent}`;
}

/**
 * SQL for the first rows of each beginning or ending in each knowledge base, for tables that Citus distributes: each
 * server numbers the rows of its own knowledge bases, where LIMIT would need a sub-select for each of them.
 */
const firstRows = (
  isFound: RawBuilder<unknown>,
  { order, isSearched, rowsMax }: Record<'order' | 'isSearched' | 'rowsMax', RawBuilder<unknown>>,
) => sql`
  SELECT number, lexeme, sum(passage_count)::bigint AS passage_count FROM (
    SELECT texts.number, lexeme, passage_count,
      row_number() OVER (PARTITION BY knowledge_base_id, texts.number ORDER BY ${order}) AS row
    FROM document_frequencies AS counted JOIN texts ON ${isFound} WHERE ${isSearched}) AS numbered
  WHERE row <= ${rowsMax}::integer GROUP BY number, lexeme`;

/** SQL of two tables: the first lexemes with each beginning, and with each ending. */
const startsAndEndings = (isSearched: RawBuilder<unknown>, rowsMax: RawBuilder<unknown>) =>
  sql`starts AS MATERIALIZED (${firstRows(
    sql`NOT is_ending AND lexeme >= text AND lexeme < text || ${HIGHEST}`,
    { order: sql`lexeme`, isSearched, rowsMax },
  )}),
    endings AS MATERIALIZED (${firstRows(
      sql`is_ending AND reverse(lexeme) >= reverse(text) AND reverse(lexeme) < reverse(text) || ${HIGHEST}
        AND ${hasEnding}`,
      { order: sql`reverse(lexeme)`, isSearched, rowsMax },
    )}),`;

function lookUpInShards(isNarrow: boolean, values: Placeholders) {
  const accountId = sql`account_id = ${values.accountId}::uuid`;
  const isSearched = sql`${accountId} AND ${inShards(values.ids)}`;
  const isCounted = isNarrow ? isSearched : sql`${accountId} AND (${inShards(values.ids)}) IS TRUE`;
  const { rowsMax } = values;
  return sql<FoundRow>`
    WITH unmerged AS MATERIALIZED (
      SELECT key COLLATE "C" AS lexeme, sum(value::bigint) AS passage_count
      FROM (
        SELECT passage_counts, pg_column_size(passage_counts) AS size,
          sum(pg_column_size(passage_counts)) OVER (PARTITION BY knowledge_base_id ORDER BY id) AS total
        FROM document_frequency_deltas WHERE ${isSearched}) AS delta,
        jsonb_each_text(passage_counts)
      WHERE total - size < ${sql.lit(UNMERGED_BYTES)} GROUP BY key),
    ${spellingTables(values)},
    texts AS MATERIALIZED (
      SELECT text, pattern, is_ending, similar_to, number
      FROM unnest(${values.texts}::text[], ${values.textPatterns}::integer[], ${values.areEndings}::boolean[],
        ${values.similarTo}::text[]) WITH ORDINALITY AS given (text, pattern, is_ending, similar_to, number)),
    merged AS MATERIALIZED (
      SELECT lexeme, sum(passage_count)::bigint AS passage_count FROM document_frequencies
      WHERE ${isCounted} AND lexeme = ANY(ARRAY(SELECT lexeme FROM query_lexemes)) GROUP BY lexeme),
    ${startsAndEndings(isSearched, rowsMax)}
    found AS (
      SELECT pattern, lexeme, passage_count FROM spellings JOIN (
        SELECT lexeme, passage_count FROM merged
        UNION ALL SELECT lexeme, passage_count FROM unmerged) AS counted USING (lexeme)
      UNION ALL
      SELECT pattern, lexeme, passage_count FROM texts JOIN (
        SELECT number, lexeme, passage_count FROM starts
        UNION ALL SELECT number, lexeme, passage_count FROM endings
        UNION ALL SELECT number, lexeme, passage_count FROM unmerged, texts
        WHERE CASE WHEN is_ending THEN right(lexeme, char_length(text)) = text AND ${hasEnding}
          ELSE starts_with(lexeme, text) END) AS counted USING (number)
      WHERE similar_to IS NULL OR (${isSimilar(sql.ref('lexeme'), sql.ref('similar_to'))})),
    ${mostFrequent}`;
}

const prepareLookUp = (name: string, isNarrow: boolean) =>
  prepare(name, VALUES, (values) => lookUpIn(isNarrow, values), {
    build: (values) => lookUpInShards(isNarrow, values),
    ids: 'ids',
  });

const LOOK_UPS = {
  few: prepareLookUp('vocabulary_of_few', true),
  many: prepareLookUp('vocabulary_of_many', false),
};

/** The values of a statement for these patterns: the columns of its tables. */
export function patternValues(languages: string[], patterns: LexemePattern[]) {
  const words = patterns.flatMap(({ words = [] }, pattern) => words.map((word) => ({ word, pattern })));
  const lexemes = patterns.flatMap(({ lexemes = [] }, pattern) =>
    lexemes.map((lexeme) => ({ lexeme, pattern })),
  );
  const texts = patterns.flatMap(({ start, end, similarTo }, pattern) => {
    const text = start ?? end;
    return text === undefined ? [] : [{ text, pattern, isEnding: start === undefined, similarTo }];
  });
  return {
    dictionaries: languages.map(dictionaryOf).filter((dictionary) => dictionary !== undefined),
    words: words.map(({ word }) => word),
    wordPatterns: words.map(({ pattern }) => pattern),
    lexemes: lexemes.map(({ lexeme }) => lexeme),
    lexemePatterns: lexemes.map(({ pattern }) => pattern),
    texts,
  };
}

/** The columns of the beginnings and endings to look for. */
export const textColumns = (texts: ReturnType<typeof patternValues>['texts']) => ({
  texts: texts.map(({ text }) => text),
  textPatterns: texts.map(({ pattern }) => pattern),
  areEndings: texts.map(({ isEnding }) => isEnding),
  similarTo: texts.map(({ similarTo }) => similarTo ?? null),
});

/** What each of the patterns has found. */
export function foundBy(patterns: LexemePattern[], rows: FoundRow[]): Found[] {
  const perPattern: Found[] = patterns.map(() => new Map());
  for (const { pattern, lexeme, passageCount } of rows) perPattern[pattern]?.set(lexeme, passageCount);
  return perPattern;
}

/** Looks for the lexemes of the patterns, in their order. Bounded in time, whatever the vocabularies have. */
export async function lookUp(
  database: Queryable,
  { accountId, ids, languages }: Vocabularies,
  patterns: LexemePattern[],
): Promise<Found[]> {
  const { texts, ...values } = patternValues(languages, patterns);
  const scanned = texts.slice(0, Math.floor(SCANS_MAX / Math.max(1, ids.length)));
  const found = await (ids.length > ONE_BY_ONE_MAX ? LOOK_UPS.many : LOOK_UPS.few)(database, {
    accountId,
    ids: `{${ids}}`,
    ...values,
    ...textColumns(scanned),
    rowsMax: Math.max(1, Math.floor(SCANNED_MAX / Math.max(1, scanned.length * ids.length))),
  });
  return foundBy(patterns, found);
}
