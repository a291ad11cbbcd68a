/**
 * SQL that reranks the best passages by BM25: by their neighbouring passages, and by the words that the best of them
 * share (pseudo-relevance feedback). Each step reads a CTE of the statement in ranking.ts and returns the next one.
 *
 * Each step's gain in nDCG@10 over the step before (first BM25 alone, then with neighbours, then with support; up to
 * 400 queries of a collection), and its share of a ranked statement's time (150 queries of cranfield):
 *
 *                mean of 19 collections   most             least               time
 *   neighbours   +.0013                   cacm +.007       scifact -.002         9 %
 *   support      +.0044                   msmarco +.029    checkthat20 -.002    28 %
 */
import { type RawBuilder, sql } from 'kysely';
import { frequencyRows } from '../indexing/postings/document-frequencies.ts';
import { lengthNorm, termFrequency, titleFrequency } from './bm25.ts';
import { scoreOf, tsqueryOf } from './term-scores.ts';

/** Weight of a passage's neighbours: the same words count for more inside a document on the subject. */
const NEIGHBOURS_WEIGHT = 0.3;
/** Neighbouring passages on each side. */
const NEIGHBOURS_REACH = 2;

/** Feedback documents: the best passages. The mean of cranfield, msmarco-sub and scifact is flat from 6 to 10. */
const FEEDBACK_PASSAGES = 8;
/**
 * Feedback weight: a passage's score over the best one's, to this power; .9 of the best score weighs .43. Flat from 6
 * to 12.
 */
const TRUST_POWER = 8;
/** Weight of full support, in scores of the best passage. Flat from 3 to 5. */
const SUPPORT_WEIGHT = 3;
/** Feedback words by which passages are compared; 24 words gain nothing. */
const FEEDBACK_WORDS = 16;
/**
 * Words whose document frequencies are looked up. Eight passages share fewer; fifty of equal score may share 30,000.
 */
const SHARED_WORDS_MAX = 1_000;
/** Words in a larger share of all passages are not compared: they tell nothing. */
const COMMON_SHARE = 0.3;
/**
 * The inverse document frequency of a passage's words as a whole, as a fraction of that of a word in no other passage.
 * It replaces the exact length of the passage's word vector, which would need each word's frequency. Flat from 0.5 to
 * 0.6.
 */
const TYPICAL_RARITY = 0.5;

const float = (value: number) => sql`${sql.lit(value)}::float8`;

/**
 * `best` → `in_context`: adds to each passage's score that of the passage and its neighbours together, as if they were
 * one passage. Its title counts once. `perLetter`: see `normPerLetter`.
 */
export function scoreInContext(perLetter: RawBuilder<unknown>) {
  // Array elements, because PostgreSQL would copy rows for each term. Missing elements are NULL.
  const vectors = Array.from(
    { length: 2 * NEIGHBOURS_REACH + 1 },
    (_, place) => sql`near.vectors[${sql.lit(place + 1)}]`,
  );
  const score = scoreOf(sql`asked`, sql.ref('near.norm'), (query) => {
    const inEach = vectors.map((vector) => termFrequency(vector, query));
    const inTitle = titleFrequency(sql.ref('best.lexemes'), query);
    return sql`(${sql.join(inEach, sql` + `)} - near.others * ${inTitle})`;
  });
  const reach = sql.lit(NEIGHBOURS_REACH);
  return sql`
    SELECT best.knowledge_base_id, best.document_id, best.position, best.lexemes, best.norm,
      ${float(1 - NEIGHBOURS_WEIGHT)} * best.score + ${float(NEIGHBOURS_WEIGHT)} * ${score} AS score
    FROM best CROSS JOIN LATERAL (
      SELECT array_agg(lexemes) AS vectors, ${lengthNorm(sql`sum(length)`, perLetter)} AS norm, count(*) - 1 AS others
      FROM passage_lexemes AS near
      WHERE near.knowledge_base_id = best.knowledge_base_id AND near.document_id = best.document_id
        AND near.position BETWEEN best.position - ${reach} AND best.position + ${reach}) AS near`;
}

/**
 * `in_context` → `trusting`: adds three columns to each passage.
 *
 * - `top`: the best score.
 * - `scale`: the weight of a word that the passage has once, over the length of the passage's word vector.
 * - `trust`: the feedback weight, in [0, 1].
 *
 * Passages of equal score get equal weight, so that the newest stays first among them.
 */
export const trustBest = () => sql`
  SELECT *, (1 + norm) / sqrt(length(lexemes)) AS scale, CASE WHEN rank() OVER by_score <= ${sql.lit(FEEDBACK_PASSAGES)}
    THEN (score / top) ^ ${sql.lit(TRUST_POWER)} ELSE 0 END AS trust
  FROM (SELECT *, max(score) OVER () AS top FROM in_context) AS in_context
  WINDOW by_score AS (ORDER BY score DESC)`;

/** SQL for the weight in a passage's word vector of a word with this `frequency`, before the word's rarity. */
const inVector = (frequency: RawBuilder<unknown>) => sql`(scale * (1 - norm / (norm + ${frequency})))`;

/** Whether a row is of a knowledge base in the CTE `collection`. */
const isTheirs = sql`knowledge_base_id = ANY(ARRAY(SELECT knowledge_base_id FROM collection))`;

/**
 * `trusting` → `word`: the feedback words, without the query's own. At least two of the feedback documents share each
 * of them, and they are the most informative ones. `said` is a word's sum over those passages, weighted by their trust.
 */
export const feedbackWords = (lexemes: RawBuilder<unknown>) => sql`
  WITH collection AS MATERIALIZED (
    SELECT knowledge_base_id, passage_count FROM knowledge_base_statistics
    WHERE knowledge_base_id = ANY(ARRAY(SELECT DISTINCT knowledge_base_id FROM trusting WHERE trust > 0))),
  shared AS MATERIALIZED (
    SELECT lexeme, said FROM (
      SELECT lexeme, sum(trust * ${inVector(sql`cardinality(positions)`)}) AS said
      FROM trusting, unnest(lexemes) WHERE trust > 0 GROUP BY lexeme HAVING count(*) > 1 OFFSET 0) AS by_several
    WHERE lexeme NOT LIKE '/%' AND char_length(lexeme) > 1 AND lexeme <> ALL(${lexemes}::text[])
    ORDER BY said DESC, lexeme LIMIT ${sql.lit(SHARED_WORDS_MAX)}),
  counted AS (
    SELECT lexeme, max(said) AS said, sum(passage_count)::float8 AS frequency,
      (SELECT sum(passage_count)::float8 FROM collection) AS passages
    FROM (
      SELECT lexeme, said, 0 AS passage_count FROM shared UNION ALL
      SELECT lexeme, NULL, passage_count
      FROM (${frequencyRows('shared', { isCounted: isTheirs, isSearched: isTheirs })}) AS counts) AS counts
    GROUP BY lexeme)
  SELECT ${tsqueryOf(sql.ref('lexeme'))} AS query, said, rarity ^ 2 AS weight FROM (
    SELECT lexeme, said, ln(1 + (passages - frequency + 0.5) / (frequency + 0.5)) /
      (${float(TYPICAL_RARITY)} * ln(1 + passages)) AS rarity
    FROM counted WHERE frequency BETWEEN 2 AND ${float(COMMON_SHARE)} * passages) AS telling
  ORDER BY said * rarity DESC, lexeme LIMIT ${sql.lit(FEEDBACK_WORDS)}`;

/**
 * `trusting`, `word` → `supported`: adds the support of the feedback documents to each passage's score. A passage
 * supports itself fully, and others by their similarity: the cosine of the two word vectors over the words in `word`.
 *
 * So an outstanding passage stays first, and among equals the one that agrees with the others comes first (the cluster
 * hypothesis; Diaz, Regularizing ad hoc retrieval scores, 2005). The highest score stays what it was before.
 */
export function scoreWithSupport() {
  const own = inVector(termFrequency(sql.ref('lexemes'), sql.ref('query')));
  return sql`
    SELECT knowledge_base_id, document_id, position, top * total / max(total) OVER () AS score FROM (
      SELECT *, score + ${float(SUPPORT_WEIGHT)} * top * (trust + coalesce(
        (SELECT sum(weight * own * greatest(said - trust * own, 0))
        FROM (SELECT weight, said, ${own} AS own FROM word OFFSET 0) AS held), 0)) / sum(trust) OVER () AS total
      FROM trusting) AS supported`;
}
