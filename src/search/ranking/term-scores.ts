/** SQL for the terms of a query, and for what each term adds to a passage's score. */
import { type RawBuilder, sql } from 'kysely';
import { saturationSql } from '../bm25.ts';
import { heldFrequency, termFrequency } from '../postgres-rank-insides.ts';
import type { Distribution } from './distribution.ts';
import { countableQuery, type Variant } from './variants.ts';

/**
 * A query term to score: its variants that occur in the index, each with the upper bound of what it adds to a score.
 */
export type ScoredTerm = { variants: Variant[] };

/** Slots for terms of one variant, and how many of them stand in a group. */
const [SINGLE_SLOTS, GROUP_SIZE] = [32, 16];
/** Slots for terms of two variants: of another language, notation or script, or with other accents. */
const PAIR_SLOTS = 4;

/** The names of the values of slots for one variant each. */
const slotsOf = <Kind extends string>(kind: Kind, count: number) =>
  Array.from(
    { length: count },
    (_, slot) => ({ query: `${kind}Query${slot}`, upperBound: `${kind}UpperBound${slot}` }) as const,
  );

/**
 * The statement has slots for terms of one variant and of two; few queries have other terms. Without slots it would
 * iterate over rows of terms for each of some hundred candidates, which takes half as long again as the scores
 * themselves. PostgreSQL initialises each slot at each execution, for 2 to 4 microseconds of some milliseconds.
 */
const SINGLES = slotsOf('single', SINGLE_SLOTS).map((slot) => [slot]);
const SECONDS = slotsOf('second', PAIR_SLOTS);
const PAIRS = slotsOf('first', PAIR_SLOTS).map((slot, i) => [slot, ...SECONDS.slice(i, i + 1)]);
type Slot = (typeof SINGLES)[number] | (typeof PAIRS)[number];
/**
 * Slots stand in groups, because PostgreSQL skips a group without a term at once. `filled`: the value with the number
 * of terms in slots of this kind. `first`: the slots of this kind before the group.
 */
const GROUPS: { filled: 'singles' | 'pairs'; first: number; slots: Slot[] }[] = [
  ...Array.from({ length: SINGLE_SLOTS / GROUP_SIZE }, (_, group) => {
    const first = group * GROUP_SIZE;
    return { filled: 'singles' as const, first, slots: SINGLES.slice(first, first + GROUP_SIZE) };
  }),
  { filled: 'pairs', first: 0, slots: PAIRS },
];

/**
 * Values of the statement. `variants`, `upperBounds` and `terms` are arrays with an element for each variant of each
 * term: its tsquery, its upper bound and the number of its term. Terms below the number `slotted` are in slots as well.
 */
export const TERM_VALUES = [
  ...(['variants', 'upperBounds', 'terms', 'slotted', 'singles', 'pairs'] as const),
  ...[...SINGLES, ...PAIRS].flat().flatMap(({ query, upperBound }) => [query, upperBound]),
];
type Terms = Record<(typeof TERM_VALUES)[number], RawBuilder<unknown>>;

/** The slots of a statement for few terms. */
const FEW_SLOTS = SINGLES.slice(0, GROUP_SIZE).flat();

/** The values of `TERM_VALUES` that a statement for few terms has. */
export const FEW_TERM_VALUES = [
  ...(['variants', 'upperBounds', 'terms'] as const),
  ...FEW_SLOTS.flatMap(({ query, upperBound }) => [query, upperBound]),
];

/** Whether a statement for few terms scores all of these. */
export const areFew = (terms: ScoredTerm[]): boolean =>
  terms.length <= FEW_SLOTS.length && terms.every(({ variants }) => variants.length === 1);

/** Adds the values of the slots that these terms fill, in order; an empty slot has no value. */
function fillSlots(values: Partial<Record<string, unknown>>, slots: Slot[], terms: ScoredTerm[]): void {
  for (const [i, term] of terms.entries())
    for (const [place, { query, upperBound }] of (slots[i] ?? []).entries()) {
      const variant = term.variants[place];
      if (variant === undefined) continue;
      values[query] = countableQuery(variant.sequence);
      values[upperBound] = variant.upperBound;
    }
}

/** The values of `TERM_VALUES` for these terms. */
export function termValues(scored: ScoredTerm[]): Record<(typeof TERM_VALUES)[number], unknown> {
  const singles = scored.filter(({ variants }) => variants.length === 1).slice(0, SINGLE_SLOTS);
  const pairs = scored.filter(({ variants }) => variants.length === 2).slice(0, PAIR_SLOTS);
  const inSlots = new Set([...singles, ...pairs]);
  const ordered = [...inSlots, ...scored.filter((term) => !inSlots.has(term))];
  const variants = ordered.flatMap((term, number) =>
    term.variants.map((variant) => ({ ...variant, number })),
  );
  const values = {
    variants: variants.map(({ sequence }) => countableQuery(sequence)),
    upperBounds: variants.map(({ upperBound }) => upperBound),
    terms: variants.map(({ number }) => number),
    slotted: inSlots.size,
    singles: singles.length,
    pairs: pairs.length,
  };
  fillSlots(values, SINGLES, singles);
  fillSlots(values, PAIRS, pairs);
  return values as Record<(typeof TERM_VALUES)[number], unknown>; // the names of the slots are its further keys
}

type VariantValues = Pick<Terms, 'variants' | 'upperBounds' | 'terms'>;

/** SQL for the variants of all terms, one row each. */
const variantRows = ({ variants, upperBounds, terms }: VariantValues) =>
  sql`unnest(${variants}::text[], ${upperBounds}::float8[], ${terms}::integer[])`;

/**
 * SQL for the query terms, one row each, which a statement names `query_terms`. `query` is a term's first variant. Most
 * terms have no other variant: then `variants` is NULL.
 */
export const queryTermRows = (values: VariantValues) => sql`
  SELECT term, (array_agg(query))[1] AS query, (array_agg(upper_bound))[1] AS upper_bound,
    CASE WHEN count(*) > 1 THEN array_agg(query) END AS variants, array_agg(upper_bound) AS upper_bounds
  FROM (
    SELECT query::tsquery AS query, upper_bound, term
    FROM ${variantRows(values)} AS given (query, upper_bound, term)
  ) AS variant GROUP BY term`;

type FrequencyOf = (query: RawBuilder<unknown>) => RawBuilder<unknown>;

/**
 * SQL for a text's score: the sum over `terms` (rows of `queryTermRows`). Of a term's variants, the variant that adds
 * most counts. `norm`: of the text (see `lengthNorm`). `frequencyOf` returns SQL for the frequency of a tsquery of one
 * variant in the text.
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
function distributedScore(terms: Terms, text: Scored) {
  const frequency = termFrequency(text.lexemes, sql`query::tsquery`);
  return sql<number>`
    (SELECT sum(most) FROM (
      SELECT max(upper_bound * ${saturationSql(frequency, text.norm)}) AS most
      FROM ${variantRows(terms)} AS variant (query, upper_bound, term)
      WHERE term >= ${terms.slotted}::integer GROUP BY term) AS scores)`;
}

/** SQL for what a variant in a slot adds to the score of a text. */
const slotScore =
  <Value extends string>(terms: Record<Value, RawBuilder<unknown>>, { lexemes, norm }: Scored) =>
  ({ query, upperBound }: Record<'query' | 'upperBound', Value>) => {
    const tsquery = sql`${terms[query]}::tsquery`;
    const part = saturationSql(heldFrequency(lexemes, tsquery), norm);
    return sql`CASE WHEN ${lexemes} @@ ${tsquery} THEN ${terms[upperBound]}::float8 * ${part} ELSE 0 END`;
  };

/** Between slots: a line for each, in `statements/`. */
const PLUS = sql` +\n      `;

/** SQL for the score of a text by few terms (see `areFew`). */
export const scoreOfFewTerms = (
  terms: Record<(typeof FEW_TERM_VALUES)[number], RawBuilder<unknown>>,
  text: Scored,
) => sql<number>`(${sql.join(FEW_SLOTS.map(slotScore(terms, text)), PLUS)})`;

/**
 * SQL for the score of a text: the sum over the terms in slots, plus the sum over the other rows of the CTE
 * `query_terms`.
 */
export function passageScore(terms: Terms, { lexemes, norm }: Scored, { isDistributed }: Distribution) {
  const variantScore = slotScore(terms, { lexemes, norm });
  const groupScores = GROUPS.map(({ filled, first, slots }) => {
    const scores = slots.map((slot) =>
      slot.length === 1
        ? sql.join(slot.map(variantScore))
        : sql`greatest(${sql.join(slot.map(variantScore))})`,
    );
    const sum = sql.join(scores, PLUS);
    return sql`CASE WHEN ${terms[filled]}::integer > ${sql.lit(first)} THEN ${sum} ELSE 0 END`;
  });
  const inSlots = sql.join(groupScores, PLUS);
  if (isDistributed) {
    const text = { lexemes, norm };
    return sql<number>`(${inSlots} + coalesce(${distributedScore(terms, text)}, 0))`;
  }
  const others = sql`(SELECT * FROM query_terms WHERE term >= ${terms.slotted}::integer)`;
  const otherScore = scoreOf(others, norm, (query) => termFrequency(lexemes, query));
  return sql<number>`(${inSlots} + CASE WHEN EXISTS ${others} THEN ${otherScore} ELSE 0 END)`;
}

/**
 * SQL for the score of a text where few are scored: those that meaning finds. It has no slots, since each execution
 * would initialise them again. On tables that Citus distributes it has them, since no sub-select may be in another one.
 */
export function scoreOfFewTexts(terms: Terms, text: Scored, distribution: Distribution) {
  if (distribution.isDistributed) return passageScore(terms, text, distribution);
  const score = scoreOf(sql`query_terms`, text.norm, (query) => termFrequency(text.lexemes, query));
  return sql<number>`coalesce(${score}, 0)`;
}
