/** SQL for the terms of a query, and for what each term adds to a passage's score. */
import { type RawBuilder, sql } from 'kysely';
import { quoteLexeme } from '../analysis/lexemes.ts';
import { heldFrequency, termFrequency } from './bm25.ts';

/** A scored query term: its variants that occur in the index, each with the upper bound of what it adds to a score. */
export type ScoredTerm = { spellings: { lexeme: string; attainable: number }[] };

/**
 * The statement has a fixed slot for each of this many terms of one variant; most queries have fewer. Iterating over
 * rows of terms for each of some hundred candidates would take half as long again as the scores themselves. PostgreSQL
 * skips an empty slot at once, but prepares it with each execution.
 */
const SLOTS = Array.from(
  { length: 16 },
  (_, slot) => ({ query: `query${slot}`, attainable: `attainable${slot}` }) as const,
);

/**
 * The variants of all terms in one row, each with its term's number. Terms with a number below `slotted` also have
 * slots.
 */
export const TERM_VALUES = [
  ...(['lexemes', 'attainables', 'terms', 'slotted'] as const),
  ...SLOTS.flatMap(({ query, attainable }) => [query, attainable]),
];
type Terms = Record<(typeof TERM_VALUES)[number], RawBuilder<unknown>>;

/** The values of `TERM_VALUES`. */
export function termValues(weighted: ScoredTerm[]): Record<(typeof TERM_VALUES)[number], unknown> {
  const single = weighted.filter(({ spellings }) => spellings.length === 1).slice(0, SLOTS.length);
  const inSlots = new Set(single);
  const ordered = [...single, ...weighted.filter((term) => !inSlots.has(term))];
  const spellings = ordered.flatMap((term, number) =>
    term.spellings.map((spelling) => ({ ...spelling, number })),
  );
  const slots = SLOTS.flatMap(({ query, attainable }, slot) => {
    const spelling = single[slot]?.spellings[0];
    return [
      [query, spelling && quoteLexeme(spelling.lexeme)],
      [attainable, spelling?.attainable],
    ];
  });
  return {
    lexemes: spellings.map(({ lexeme }) => lexeme),
    attainables: spellings.map(({ attainable }) => attainable),
    terms: spellings.map(({ number }) => number),
    slotted: single.length,
    ...Object.fromEntries(slots),
  };
}

/** SQL for a lexeme as a tsquery. The SQL quotes the lexeme itself (see `quoteLexeme`). */
export const tsqueryOf = (lexeme: RawBuilder<unknown>) =>
  sql`('''' || replace(replace(${lexeme}, '\\', '\\\\'), '''', '''''') || '''')::tsquery`;

/**
 * SQL for the terms, one row each. `query` is the first variant. Most terms have no other: `spellings` is NULL for
 * those.
 */
export const askedTerms = ({ lexemes, attainables, terms }: Terms) => sql`
  SELECT term, (array_agg(query))[1] AS query, (array_agg(attainable))[1] AS attainable,
    CASE WHEN count(*) > 1 THEN array_agg(query) END AS spellings, array_agg(attainable) AS attainables
  FROM (
    SELECT ${tsqueryOf(sql.ref('lexeme'))} AS query, attainable, term
    FROM unnest(${lexemes}::text[], ${attainables}::float8[], ${terms}::integer[]) AS given (lexeme, attainable, term)
  ) AS spelling GROUP BY term`;

type FrequencyOf = (query: RawBuilder<unknown>) => RawBuilder<unknown>;

/** SQL for what one variant adds to the score of a text with this `norm` (see `lengthNorm`). */
const partOf = (attainable: RawBuilder<unknown>, norm: RawBuilder<unknown>, frequency: RawBuilder<unknown>) =>
  sql`${attainable} * (1 - ${norm} / (${norm} + ${frequency}))`;

/**
 * SQL for a text's score: the sum over the terms `asked` (rows of `askedTerms`). `norm` is the text's (see
 * `lengthNorm`). A term counts by its best variant. `frequencyOf` returns SQL for how often the text holds a tsquery of
 * one lexeme.
 */
export function scoreOf(asked: RawBuilder<unknown>, norm: RawBuilder<unknown>, frequencyOf: FrequencyOf) {
  const part = (of: string) => partOf(sql.ref(`${of}.attainable`), norm, frequencyOf(sql.ref(`${of}.query`)));
  return sql<number>`
    (SELECT sum(CASE WHEN asked.spellings IS NULL THEN ${part('asked')}
      ELSE (SELECT max(${part('spelling')})
        FROM unnest(asked.spellings, asked.attainables) AS spelling (query, attainable)) END)
    FROM ${asked} AS asked)`;
}

/**
 * SQL for the score of the tsvector `lexemes`: of the terms in slots, and of the other terms, which are rows of
 * `asked`.
 */
export function passageScore(terms: Terms, lexemes: RawBuilder<unknown>, norm: RawBuilder<unknown>) {
  const parts = SLOTS.map(({ query, attainable }) => {
    const tsquery = sql`${terms[query]}::tsquery`;
    const part = partOf(sql`${terms[attainable]}::float8`, norm, heldFrequency(lexemes, tsquery));
    return sql`CASE WHEN ${lexemes} @@ ${tsquery} THEN ${part} ELSE 0 END`;
  });
  const others = sql`(SELECT * FROM asked WHERE term >= ${terms.slotted}::integer)`;
  const otherParts = scoreOf(others, norm, (query) => termFrequency(lexemes, query));
  return sql<number>`(${sql.join(parts, sql` + `)} + CASE WHEN EXISTS ${others} THEN ${otherParts} ELSE 0 END)`;
}
