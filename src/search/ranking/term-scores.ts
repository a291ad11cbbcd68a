/** SQL for the terms of a query, and for what each term adds to a passage's score. */
import { type RawBuilder, sql } from 'kysely';
import { saturationSql } from '../bm25.ts';
import { heldFrequency, termFrequency } from '../postgres-rank-insides.ts';
import type { Layout } from './layout.ts';
import { countableQuery, type Variant } from './variants.ts';

/**
 * A query term to score: its variants that occur in the index, each with the upper bound of what it adds to a score.
 */
export type ScoredTerm = { variants: Variant[] };

/**
 * The statement has this many slots for terms with a single variant; most queries have no other terms. Without slots it
 * would iterate over rows of terms for each of some hundred candidates, which takes half as long again as the scores
 * themselves. PostgreSQL skips an empty slot at once, but initialises it at each execution.
 */
const SLOTS = Array.from(
  { length: 16 },
  (_, slot) => ({ query: `query${slot}`, upperBound: `upperBound${slot}` }) as const,
);

/**
 * Values of the statement. `variants`, `upperBounds` and `terms` are arrays with an element for each variant of each
 * term: its tsquery, its upper bound and the number of its term. Terms below the number `slotted` are in slots as well.
 */
export const TERM_VALUES = [
  ...(['variants', 'upperBounds', 'terms', 'slotted'] as const),
  ...SLOTS.flatMap(({ query, upperBound }) => [query, upperBound]),
];
type Terms = Record<(typeof TERM_VALUES)[number], RawBuilder<unknown>>;

/** The values of `TERM_VALUES` for these terms. */
export function termValues(scored: ScoredTerm[]): Record<(typeof TERM_VALUES)[number], unknown> {
  const single = scored.filter(({ variants }) => variants.length === 1).slice(0, SLOTS.length);
  const inSlots = new Set(single);
  const ordered = [...single, ...scored.filter((term) => !inSlots.has(term))];
  const variants = ordered.flatMap((term, number) =>
    term.variants.map((variant) => ({ ...variant, number })),
  );
  const slots = SLOTS.flatMap(({ query, upperBound }, slot) => {
    const variant = single[slot]?.variants[0];
    return [
      [query, variant && countableQuery(variant.sequence)],
      [upperBound, variant?.upperBound],
    ];
  });
  return {
    variants: variants.map(({ sequence }) => countableQuery(sequence)),
    upperBounds: variants.map(({ upperBound }) => upperBound),
    terms: variants.map(({ number }) => number),
    slotted: single.length,
    ...Object.fromEntries(slots),
  };
}

/** SQL for a lexeme as a tsquery. The SQL quotes the lexeme itself (see `quoteLexeme`). */
export const tsqueryOf = (lexeme: RawBuilder<unknown>) =>
  sql`('''' || replace(replace(${lexeme}, '\\', '\\\\'), '''', '''''') || '''')::tsquery`;

/**
 * SQL for the query terms, one row each, which a statement names `query_terms`. `query` is a term's first variant. Most
 * terms have no other variant: then `variants` is NULL.
 */
export const queryTermRows = ({ variants, upperBounds, terms }: Terms) => sql`
  SELECT term, (array_agg(query))[1] AS query, (array_agg(upper_bound))[1] AS upper_bound,
    CASE WHEN count(*) > 1 THEN array_agg(query) END AS variants, array_agg(upper_bound) AS upper_bounds
  FROM (
    SELECT query::tsquery AS query, upper_bound, term
    FROM unnest(${variants}::text[], ${upperBounds}::float8[], ${terms}::integer[]) AS given (query, upper_bound, term)
  ) AS variant GROUP BY term`;

type FrequencyOf = (query: RawBuilder<unknown>) => RawBuilder<unknown>;

/**
 * SQL for a text's score: the sum over `terms` (rows of `queryTermRows`). Of a term's variants, the one that adds most
 * counts. `norm` is that of the text (see `lengthNorm`). `frequencyOf` returns SQL for the frequency of a tsquery of
 * one variant in the text.
 */
export function scoreOf(terms: RawBuilder<unknown>, norm: RawBuilder<unknown>, frequencyOf: FrequencyOf) {
  const scoreIn = (row: string) =>
    sql`${sql.ref(`${row}.upper_bound`)} * ${saturationSql(frequencyOf(sql.ref(`${row}.query`)), norm)}`;
  return sql<number>`
    (SELECT sum(CASE WHEN query_term.variants IS NULL THEN ${scoreIn('query_term')}
      ELSE (SELECT max(${scoreIn('variant')})
        FROM unnest(query_term.variants, query_term.upper_bounds) AS variant (query, upper_bound)) END)
    FROM ${terms} AS query_term)`;
}

/** SQL for a tsvector and for its length norm. */
type Scored = Record<'lexemes' | 'norm', RawBuilder<unknown>>;

/**
 * SQL for the score that `terms` without a slot add, for tables that Citus distributes. It has no sub-select in another
 * one, which the servers could not answer.
 */
function distributedScore({ variants, upperBounds, terms, slotted }: Terms, text: Scored) {
  const frequency = termFrequency(text.lexemes, sql`query::tsquery`);
  return sql<number>`
    (SELECT sum(most) FROM (
      SELECT max(upper_bound * ${saturationSql(frequency, text.norm)}) AS most
      FROM unnest(${variants}::text[], ${upperBounds}::float8[], ${terms}::integer[]) AS variant (query, upper_bound, term)
      WHERE term >= ${slotted}::integer GROUP BY term) AS scores)`;
}

/**
 * SQL for the score of a text: of the terms in slots, and of the other ones, which are the other rows of the CTE
 * `query_terms`.
 */
export function passageScore(terms: Terms, { lexemes, norm }: Scored, { isDistributed }: Layout) {
  const slotScores = SLOTS.map(({ query, upperBound }) => {
    const tsquery = sql`${terms[query]}::tsquery`;
    const part = saturationSql(heldFrequency(lexemes, tsquery), norm);
    return sql`CASE WHEN ${lexemes} @@ ${tsquery} THEN ${terms[upperBound]}::float8 * ${part} ELSE 0 END`;
  });
  const slotScore = sql.join(slotScores, sql` +\n      `); // a line for each slot, in `statements/`
  if (isDistributed) {
    const text = { lexemes, norm };
    return sql<number>`(${slotScore} + coalesce(${distributedScore(terms, text)}, 0))`;
  }
  const others = sql`(SELECT * FROM query_terms WHERE term >= ${terms.slotted}::integer)`;
  const otherScore = scoreOf(others, norm, (query) => termFrequency(lexemes, query));
  return sql<number>`(${slotScore} + CASE WHEN EXISTS ${others} THEN ${otherScore} ELSE 0 END)`;
}
