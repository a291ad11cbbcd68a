/**
 * The statistics of a query whose caller sees a part of the documents, from these alone. They come from a sample,
 * which is everything where there are few passages. A lexeme that the sample lacks is counted by the index: a query
 * must know which of its words occur.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import type { DocumentFilter } from '../../database/rows/documents/document-filter.ts';
import { tsqueryOf } from '../lexeme-query.ts';
import { isVisible, readInEach, scaled, type VisiblePassages, visibleTables } from '../visible-passages.ts';
import { lookedUp, type WordsToLookUp } from './words-to-look-up.ts';

/** The passages, and the looked up lexemes among them: see `QueryStatistics`. */
export type VisibleStatistics = {
  languages: string[];
  passageCount: number;
  lengthTotal: number;
  frequencies: Map<string, number>;
  stems: string[];
};

type Row = Omit<VisibleStatistics, 'frequencies'> & { frequencies: Record<string, number> };

const VALUES = [
  ...(['ids', 'path', 'hasFields', 'lexemes', 'prefixes', 'dictionaries', 'words'] as const),
  'isCountingStems',
] as const;
type Placeholders = Record<(typeof VALUES)[number], RawBuilder<unknown>>;

/**
 * SQL for the lexemes that no sampled passage has, counted among all: up to as many as one sampled passage stands for.
 * Lexemes of impact tiers, which begin with a slash (analysis/reserved-lexemes.ts), only say which passages come first.
 * IS TRUE keeps PostgreSQL from using another index than the index of lexemes.
 */
const countedByIndex = ({ ids }: Pick<Placeholders, 'ids'>) => sql`
      SELECT lexeme, (
        SELECT count(*) FROM (
          SELECT FROM passage_lexemes
          WHERE passage_lexemes.lexemes @@ ${tsqueryOf(sql.ref('query_lexemes.lexeme'))}
            AND (passage_lexemes.knowledge_base_id = ANY(${ids}::uuid[])) IS TRUE AND ${isVisible('passage_lexemes')}
          LIMIT (SELECT passages / sampled + 1 FROM extent)) AS found) AS passage_count
      FROM query_lexemes
      WHERE (SELECT passages > sampled FROM extent) AND lexeme NOT LIKE '/%'
        AND NOT EXISTS (SELECT FROM sampled_lexemes WHERE sampled_lexemes.lexeme = query_lexemes.lexeme)`;

const statistics = (values: Placeholders) => sql<Row>`
    WITH ${visibleTables(values)},
    ${lookedUp(values)},
    sampled_lexemes AS MATERIALIZED (
      SELECT lexeme, ${scaled(sql`count(*)`)} AS passage_count
      FROM (SELECT word.lexeme FROM sample, unnest(lexemes) AS word) AS words JOIN query_lexemes USING (lexeme)
      GROUP BY lexeme)
    SELECT
      ARRAY(SELECT DISTINCT language FROM sample ORDER BY language) AS languages,
      passages AS "passageCount",
      (SELECT round(coalesce(sum(length), 0)::numeric * passages / sampled)::bigint FROM sample) AS "lengthTotal",
      (SELECT coalesce(json_object_agg(lexeme, passage_count), '{}') FROM (
        SELECT * FROM sampled_lexemes UNION ALL (${countedByIndex(values)})) AS counted
        WHERE passage_count > 0) AS frequencies,
      (SELECT coalesce(array_agg(stem ORDER BY ordinal), '{}') FROM stemmed) AS stems
    FROM extent`;

const readStatistics = prepare('visible_statistics', VALUES, statistics, { build: statistics, ids: 'ids' });

const NOTHING_VISIBLE: VisibleStatistics = {
  languages: [],
  passageCount: 0,
  lengthTotal: 0,
  frequencies: new Map(),
  stems: [],
};

function add(left: VisibleStatistics, { frequencies, ...right }: Row): VisibleStatistics {
  for (const [lexeme, count] of Object.entries(frequencies))
    left.frequencies.set(lexeme, (left.frequencies.get(lexeme) ?? 0) + count);
  return {
    languages: [...new Set([...left.languages, ...right.languages])].sort(),
    passageCount: left.passageCount + right.passageCount,
    lengthTotal: left.lengthTotal + right.lengthTotal,
    frequencies: left.frequencies,
    stems: right.stems,
  };
}

/** Statistics of the visible passages, and of these words among them. */
export async function readVisibleStatistics(
  database: Queryable,
  { ids, restriction }: VisiblePassages,
  { lexemes, prefixes, toStem, isCountingStems }: Omit<WordsToLookUp, 'isFindingSynonyms'>,
): Promise<VisibleStatistics> {
  const given = {
    ...restriction,
    ...{ lexemes, prefixes, isCountingStems },
    dictionaries: toStem.flatMap(({ dictionary, words }) => words.map(() => dictionary)),
    words: toStem.flatMap(({ words }) => words),
  };
  const parts = await readInEach(database, ids, (some) =>
    readStatistics(database, { ...given, ids: `{${some}}` }),
  );
  return parts.flat().reduce(add, { ...NOTHING_VISIBLE, frequencies: new Map() });
}

/** Document frequencies of distinct lexemes in the visible passages; those that occur nowhere are missing. */
export async function readVisibleFrequencies(
  database: Queryable,
  passages: { ids: string[]; restriction: DocumentFilter },
  lexemes: string[],
): Promise<Map<string, number>> {
  const words = { lexemes, prefixes: [''], toStem: [], isCountingStems: false };
  return (await readVisibleStatistics(database, passages, words)).frequencies;
}
