/** Reads where the terms of a query occur in the passages that it found: for highlights and explanations. */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import { inShards } from '../../database/schema/distributed-tables.ts';
import { lexemesOfPhrases, type Phrase } from '../phrases/phrases.ts';
import type { FoundPassage } from '../ranking/statement/found-passages.ts';
import type { ScoredTerm } from '../ranking/term-scores.ts';

/**
 * The occurrences of the query's lexemes in one passage.
 *
 * - `length`: of the passage, in letters.
 * - `frequencies`: how often the passage has each lexeme, in its title, its headings and its content.
 * - `positions`: by lexeme, all of its positions there.
 * - `tokens`: by lexeme, the indices of its tokens in the content, in ascending order.
 */
export type Matches = {
  length: number;
  frequencies: ReadonlyMap<string, number>;
  positions: ReadonlyMap<string, number[]>;
  tokens: ReadonlyMap<string, number[]>;
};

/** Positions of a lexeme in the passage, from 1, and the index of the first one in the content, from 1, or null. */
type Occurrences = [positions: number[], firstInContent: number | null];
type MatchRow = {
  length: number | null;
  contentFrom: number | null;
  found: Record<string, Occurrences> | null;
};

/**
 * SQL for the occurrences in the tsvector `lexemes`. Title and headings have the labels A and B; positions of the
 * content follow theirs and have the label D.
 */
const occurrencesIn = (values: { lexemes: RawBuilder<unknown> }) => sql`
        SELECT min(positions[array_position(weights, 'D')]) AS "contentFrom",
          jsonb_object_agg(lexeme, jsonb_build_array(positions, array_position(weights, 'D')))
            FILTER (WHERE lexeme = ANY(${values.lexemes}::text[]) AND positions IS NOT NULL) AS found
        FROM unnest(lexemes)`;

const readRows = prepare(
  'read_matches',
  ['knowledgeBaseIds', 'documentIds', 'positions', 'lexemes'],
  (values) => sql<MatchRow>`
    SELECT length, "contentFrom", found
    FROM unnest(${values.knowledgeBaseIds}::uuid[], ${values.documentIds}::uuid[], ${values.positions}::integer[])
        WITH ORDINALITY AS given (knowledge_base_id, document_id, position, number)
      LEFT JOIN passage_lexemes USING (knowledge_base_id, document_id, position)
      CROSS JOIN LATERAL (${occurrencesIn(values)}) AS occurrences
    ORDER BY number`,
  {
    build: (values) => sql<MatchRow>`
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest(${values.knowledgeBaseIds}::uuid[], ${values.documentIds}::uuid[],
        ${values.positions}::integer[]) WITH ORDINALITY AS given (knowledge_base_id, document_id, position, number)),
    located AS MATERIALIZED (
      SELECT number, length, lexemes FROM given JOIN passage_lexemes USING (knowledge_base_id, document_id, position)
      WHERE ${inShards(values.knowledgeBaseIds, 'passage_lexemes')})
    SELECT length, "contentFrom", found FROM given LEFT JOIN located USING (number)
      CROSS JOIN LATERAL (${occurrencesIn(values)}) AS occurrences
    ORDER BY number`,
    ids: 'knowledgeBaseIds',
  },
);

function toMatches({ length, contentFrom, found }: MatchRow): Matches {
  const occurrences = Object.entries(found ?? {});
  return {
    length: length ?? 0,
    frequencies: new Map(occurrences.map(([lexeme, [positions]]) => [lexeme, positions.length])),
    positions: new Map(occurrences.map(([lexeme, [positions]]) => [lexeme, positions])),
    tokens: new Map(
      occurrences.map(([lexeme, [positions, first]]) => [
        lexeme,
        first === null ? [] : positions.slice(first - 1).map((position) => position - (contentFrom ?? 0)),
      ]),
    ),
  };
}

/**
 * Returns the matches of the terms and phrases in each passage, in the order of the passages. A passage that was
 * deleted meanwhile has none.
 */
export async function readMatches(
  database: Queryable,
  passages: FoundPassage[],
  { terms, phrases }: { terms: ScoredTerm[]; phrases: Phrase[] },
): Promise<Matches[]> {
  const rows = await readRows(database, {
    knowledgeBaseIds: passages.map(({ knowledge_base_id }) => knowledge_base_id),
    documentIds: passages.map(({ document_id }) => document_id),
    positions: passages.map(({ position }) => position),
    lexemes: [
      ...terms.flatMap(({ variants }) => variants.flatMap(({ sequence }) => sequence)),
      ...lexemesOfPhrases(phrases),
    ],
  });
  return rows.map(toMatches);
}

/** Where the lexemes of a variant stand side by side: the positions of the first one, of those in `at`. */
export function placesOfSequence(sequence: string[], at: ReadonlyMap<string, number[]>): number[] {
  const [first, ...others] = sequence.map((lexeme) => at.get(lexeme) ?? []);
  const sets = others.map((positions) => new Set(positions));
  return (first ?? []).filter((position) => sets.every((positions, i) => positions.has(position + i + 1)));
}
