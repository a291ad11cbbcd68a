/**
 * SQL for the proximity of a query's words: it puts full matches first, passages with the words side by side. Those
 * with all words, apart, keep their place before what feedback lifts.
 *
 * nDCG@10, mean of the ratios to BM25 over 20 open collections, up to 120 queries of each:
 *
 *   no feedback                                        1.0555
 *   feedback                                           1.0697
 *   and full matches first                             1.0693
 *   and passages with all words keep their place       1.0686
 *   instead of feedback, pairs of words near each other:
 *     weight .1                                        1.0528
 *     weight .25                                       1.0564
 *
 * So feedback stays, without its harm. Such pairs (the sequential dependence model, Metzler and Croft 2005) gain .013
 * for cacm and .006 for msmarco-sub, and lose .015 for scifact, .018 for checkthat20 and up to .014 in scripts without
 * spaces, where neighbouring bigrams are one word.
 */
import { type RawBuilder, sql } from 'kysely';
import { type MeaningValues, withMeaning } from '../meaning.ts';
import type { FullMatchValue } from './full-match-values.ts';

/** The least difference of two scores, which have 6 decimals, as a part of the upper bound. */
const STEP = 0.000_002;

/**
 * Of what feedback adds to the score of a passage with all words or takes from it, this part counts: it orders equals.
 */
const FEEDBACK_SHARE = 0.1;

/**
 * SQL for the columns of `reranked` that say what a passage has of the query: `has_all`, and its `level`, 3 for the
 * whole query, 2 for it with synonyms, or for what it is about in a heading, of a question a part of that and all of it
 * in any place, and 1 for its words side by side.
 */
export function matchColumns({
  wholeQuery,
  nearlyWhole,
  wordsInOrder,
  allWords,
}: Record<FullMatchValue, RawBuilder<unknown>>) {
  const has = (query: RawBuilder<unknown>) => sql`coalesce(lexemes @@ ${query}::tsquery, false)`;
  const [isWhole, isNearlyWhole, isInOrder] = [wholeQuery, nearlyWhole, wordsInOrder].map(has);
  return {
    columns: sql`has_all, level`,
    computed: sql`${has(allWords)} AS has_all,
        CASE WHEN ${isWhole} THEN 3 WHEN ${isNearlyWhole} THEN 2 WHEN ${isInOrder} THEN 1 ELSE 0 END AS level`,
  };
}

/**
 * `reranked`, `cosines` → `ordered`, with the score before this step as `relevant`, and with its part for the meaning
 * as `unlifted`. Without `meaning` there are no cosines.
 *
 * Feedback changes the order of the passages that lack a word of the query, and lifts none above a passage with all
 * words that scored as much without it. Of passages with all words it changes the order of equals. Then the scores of
 * each level are moved into the range above all of the levels below.
 */
export function fullMatchesFirst({
  upperBound,
  meaning,
}: Record<'upperBound', RawBuilder<unknown>> & { meaning?: MeaningValues }) {
  const most = sql`${upperBound}::float8`;
  const [unlifted, joined] =
    meaning === undefined
      ? [sql`relevant AS unlifted, NULL::float8 AS cosine`, sql``]
      : [
          sql`${withMeaning(sql.ref('relevant'), meaning, most)} AS unlifted`,
          sql` LEFT JOIN cosines USING (document_id, position)`,
        ];
  const full = sql`combined + ${sql.lit(FEEDBACK_SHARE)} * (score - combined)`;
  const leastFull = sql`min(full_score) FILTER (WHERE has_all) OVER (ORDER BY combined DESC)`;
  return sql`
    WITH kept AS MATERIALIZED (
      SELECT *, ${unlifted}
      FROM (
        SELECT *, CASE WHEN has_all THEN full_score
            ELSE least(score, ${leastFull} - ${sql.lit(STEP)} * ${most})
            END AS relevant
        FROM (SELECT *, ${full} AS full_score FROM reranked) AS weighed
      ) AS by_words${joined})
    SELECT knowledge_base_id, document_id, position, bm25, combined, relevant, unlifted, cosine,
      CASE WHEN level < 1 THEN unlifted ELSE ${lifted(most)} END AS score
    FROM kept`;
}

/**
 * SQL for the score of a passage above level 0. What is missing to `most` shrinks by the part of it that the best
 * passage of each level below is missing: so each level ends above the level below, and never above `most`. PostgreSQL
 * computes the best of a level once, and only where a passage is above it.
 */
function lifted(most: RawBuilder<unknown>) {
  const leastMissing = (level: number) =>
    sql`coalesce((SELECT 1 - max(unlifted) / ${most} FROM kept WHERE level = ${sql.lit(level)}), 1)`;
  const further = [1, 2].map(
    (level) => sql`CASE WHEN level > ${sql.lit(level)} THEN ${leastMissing(level)} ELSE 1 END`,
  );
  return sql`${most} * (1 - (1 - unlifted / ${most}) * ${sql.join([leastMissing(0), ...further], sql` * `)})`;
}
