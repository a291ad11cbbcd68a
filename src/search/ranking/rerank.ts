/**
 * SQL that reranks the best passages by BM25, in two steps. First, each passage gets a part of the score of its
 * neighbouring passages. Then passages gain by their similarity to the best ones (pseudo-relevance feedback: the best
 * passages are assumed to be relevant). Each step reads a CTE of the ranked statement and returns the next one (see
 * statement/final-order.ts).
 *
 * Gain of each step in nDCG@10 over the step before (up to 300 queries of a collection), and its processor time in a
 * query of the benchmark's mix among 10,000 passages, where BM25 takes 2.5 ms:
 *
 *                mean of 20 collections   most             least               time
 *   neighbours   +.0011                   finance +.007    cmrc-trial -.002    .6 ms
 *   feedback     +.0054                   msmarco +.029    checkthat20 -.001   1 ms
 *
 * "Flat" below means: within .0003 of the mean of the 20 collections.
 */
import { type RawBuilder, sql } from 'kysely';
import { inShards } from '../../database/schema/distributed-tables.ts';
import {
  distributedFrequencyRows,
  frequencyRows,
  mergedInEach,
} from '../../indexing/postings/document-frequencies.ts';
import { inverseDocumentFrequencySql, lengthNormSql, saturationSql } from '../bm25.ts';
import { tsqueryOf } from '../lexeme-query.ts';
import { termFrequency, titleFrequency } from '../postgres-rank-insides.ts';
import type { Distribution } from './distribution.ts';
import { scoreOf } from './term-scores.ts';

/**
 * Passages that are reranked; also the highest limit of a search. With thirty, the mean nDCG@10 over the open
 * collections is .0003 lower, and a query takes .7 ms of 8 less.
 */
export const RERANK_DEPTH = 50;

/**
 * Weight of a passage's neighbours, whose text shows what the document is about. At 0.2 and 0.4, the mean is .001
 * lower.
 */
const NEIGHBOURS_WEIGHT = 0.3;
/**
 * Neighbours count only for passages with at least this fraction of the best score. The others rarely rise to the top:
 * with 0.4, the mean is .0001 higher, and the ranked statement takes 1.03 times as long.
 */
export const NEIGHBOURS_FROM = 0.6;
/** Neighbouring passages on each side. With one, the mean is .0011 lower. */
const NEIGHBOURS_REACH = 2;

/** Feedback passages: the best ones. With 6 and with 12, the mean is .0016 and .0010 lower. */
const FEEDBACK_PASSAGES = 8;
/**
 * The weight of a feedback passage is its score over the best score, to this power: a passage with .9 of the best score
 * has the weight .43. Flat from 6 to 12.
 */
const FEEDBACK_WEIGHT_POWER = 8;
/**
 * A feedback passage has at least this fraction of the best score. With less, its weight is below .03. In half of the
 * queries to the open collections only the best passage reaches it: then there are no feedback terms. Flat from 0.6 to
 * 0.69.
 */
const FEEDBACK_FROM = 0.65;
/** Weight of the similarity to the feedback passages, in multiples of the best score. Flat from 3 to 5. */
const SIMILARITY_WEIGHT = 4;
/** Feedback terms: lexemes by which passages are compared. With 8 and with 24, the mean is .0009 lower. */
const FEEDBACK_TERMS = 16;
/**
 * Lexemes whose document frequencies are looked up: those with the largest elements in the feedback passages. With 50,
 * the mean is .0005 lower; 1,000 gain nothing.
 */
const SHARED_LEXEMES_MAX = 100;
/**
 * The typical inverse document frequency of a passage's lexemes, as a fraction of the highest, which a lexeme in one
 * passage only has. It stands for the exact norm of the passage's term vector, which would need the document frequency
 * of each lexeme. Flat from 0.4 to 0.5; with 0.6, the mean is .0007 lower.
 */
const TYPICAL_IDF = 0.5;

const float = (value: number) => sql`${sql.lit(value)}::float8`;

const reach = sql.lit(NEIGHBOURS_REACH);
/** SQL for whether the passage `near` is the passage in `best`, or a neighbour of it. */
const isNear = sql`near.knowledge_base_id = best.knowledge_base_id AND near.document_id = best.document_id
        AND near.position BETWEEN best.position - ${reach} AND best.position + ${reach}`;

/** SQL for whether the neighbours of a passage in `best` count. */
const isAmongBest = sql`score >= ${float(NEIGHBOURS_FROM)} * (SELECT max(score) FROM best)`;

/**
 * `best` → `with_neighbours`: the score becomes (1 − w) × own score + w × the score of the passage and its neighbours
 * read as one passage, for passages near the best. The title counts once. BM25's score is kept as `bm25`. `perLetter`:
 * see `normPerLetter`.
 */
export function rerankByNeighbours(perLetter: RawBuilder<unknown>, distribution: Distribution) {
  // Array elements, because PostgreSQL would copy rows for each term. Missing elements are NULL.
  const vectors = Array.from(
    { length: 2 * NEIGHBOURS_REACH + 1 },
    (_, index) => sql`neighbourhood.vectors[${sql.lit(index + 1)}]`,
  );
  const score = scoreOf(sql`query_terms`, sql.ref('neighbourhood.norm'), (query) => {
    const inEach = vectors.map((vector) => termFrequency(vector, query));
    const inTitle = titleFrequency(sql.ref('best.lexemes'), query);
    // That of several words is rough: without a bound it may be negative.
    return sql`greatest(${sql.join(inEach, sql` + `)} - neighbourhood.others * ${inTitle}, 0)`;
  });
  const norm = sql`${lengthNormSql(sql`sum(length)`, perLetter)} AS norm`;
  const neighbourhood = distribution.isDistributed
    ? sql`
      SELECT vectors, ${lengthNormSql(sql`length`, perLetter)} AS norm, others FROM neighbourhoods
      WHERE document_id = best.document_id AND position = best.position`
    : sql`
      SELECT array_agg(lexemes) AS vectors, ${norm}, count(*) - 1 AS others
      FROM passage_lexemes AS near
      WHERE ${isNear}`;
  const combined = sql`
    SELECT CASE WHEN others = 0 THEN best.score
      ELSE ${float(1 - NEIGHBOURS_WEIGHT)} * best.score + ${float(NEIGHBOURS_WEIGHT)} * coalesce(${score}, 0) END
    FROM (${neighbourhood}) AS neighbourhood`;
  return sql`
    SELECT knowledge_base_id, document_id, position, lexemes, norm, score AS bm25,
      CASE WHEN ${isAmongBest} THEN (${combined}) ELSE score END
        AS score
    FROM best`;
}

/**
 * `best` → `neighbourhoods`, for tables that Citus distributes: the passages near each one of the best, read by a join,
 * since Citus answers no sub-select for each row.
 */
export const joinNeighbours = (ids: RawBuilder<unknown>) => sql`
    SELECT near.document_id, best.position, array_agg(near.lexemes) AS vectors, sum(near.length) AS length,
      count(*) - 1 AS others
    FROM best JOIN passage_lexemes AS near ON ${isNear} AND ${inShards(ids, 'near')}
    WHERE ${isAmongBest}
    GROUP BY near.knowledge_base_id, near.document_id, best.position`;

/**
 * `with_neighbours` → `feedback`: adds two columns to each passage.
 *
 * - `best_score`: the best score of all.
 * - `feedback_weight`: in [0, 1]; 0 for a passage that is not among the best.
 *
 * Passages of equal score get equal weights, so that the newest of them stays first. A join, because window functions
 * would copy all tsvectors.
 */
export const weighFeedback = () => sql`
  SELECT with_neighbours.*, best_score,
    CASE WHEN best_score > 0 AND score >= ${float(FEEDBACK_FROM)} * best_score AND score >= coalesce(last_score, 0)
      THEN (score / best_score) ^ ${sql.lit(FEEDBACK_WEIGHT_POWER)} ELSE 0 END AS feedback_weight
  FROM with_neighbours, (
    SELECT max(score) AS best_score, (array_agg(score ORDER BY score DESC))[${sql.lit(FEEDBACK_PASSAGES)}] AS last_score
    FROM with_neighbours) AS bounds`;

/** The lexemes of a passage's text. The reserved lexemes have no positions, and so none of these labels. */
const textLexemes = sql`ts_filter(lexemes, '{a,b,c,d}')`;

/** SQL for the weight of a lexeme that occurs once in a passage, over the norm of the passage's term vector. */
const vectorScale = sql`((1 + norm) / sqrt(length(${textLexemes})))`;

/**
 * SQL for the element of a passage's term vector for a lexeme of this frequency, without inverse document frequency.
 * `scale`: see `vectorScale`.
 */
const vectorElement = (scale: RawBuilder<unknown>, frequency: RawBuilder<unknown>) =>
  sql`(${scale} * ${saturationSql(frequency, sql.ref('norm'))})`;

/** Whether a row is of a knowledge base in the CTE `collection`. */
const isInCollection = sql`knowledge_base_id = ANY(ARRAY(SELECT knowledge_base_id FROM collection))`;

/**
 * Passages in whose texts a restricted search counts the shared lexemes, the best candidates: counts of the index would
 * tell of documents that the caller does not see.
 */
const COUNTED_CANDIDATES_MAX = 500;

/**
 * How `feedbackTerms` counts lexemes. `tables`: `collection`, with the number of passages. `counts`: rows for each
 * lexeme.
 */
function countsOfShared(ids: RawBuilder<unknown>, { distribution, isRestricted, frequencies }: FeedbackForm) {
  if (frequencies) {
    const read = sql`json_each_text(${frequencies}::json)`;
    return {
      tables: sql`collection AS MATERIALIZED (
    SELECT DISTINCT knowledge_base_id, passage_count FROM feedback
    WHERE knowledge_base_id IN (SELECT knowledge_base_id FROM passages))`,
      counts: sql`SELECT key COLLATE "C" AS lexeme, value::bigint AS passage_count FROM ${read}`,
    };
  }
  if (isRestricted)
    return {
      tables: sql`among AS MATERIALIZED (
    SELECT ${textLexemes} AS lexemes FROM scored
    ORDER BY score DESC, document_id DESC, position LIMIT ${sql.lit(COUNTED_CANDIDATES_MAX)}),
  collection AS MATERIALIZED (SELECT count(*) AS passage_count FROM among)`,
      counts: sql`SELECT word.lexeme, 1 AS passage_count FROM among, unnest(lexemes) AS word
        WHERE word.lexeme IN (SELECT lexeme FROM shared)`,
    };
  const ofPassages = distribution.isDistributed
    ? sql`${inShards(ids)} AND knowledge_base_id IN (SELECT knowledge_base_id FROM passages)`
    : sql`knowledge_base_id = ANY(ARRAY(SELECT DISTINCT knowledge_base_id FROM passages))`;
  return {
    tables: sql`collection AS MATERIALIZED (
    SELECT knowledge_base_id, passage_count FROM knowledge_base_statistics
    WHERE ${ofPassages})`,
    counts: distribution.isDistributed
      ? distributedFrequencyRows('shared', isInCollection)
      : frequencyRows('shared', {
          merged: mergedInEach('shared', 'collection'),
          isSearched: isInCollection,
        }),
  };
}

/**
 * `isRestricted`: the caller does not see all documents. `frequencies`: an object with the document frequencies of the
 * shared lexemes, which have been read already; each passage has the numbers of its knowledge base.
 */
type FeedbackForm = { distribution: Distribution; isRestricted?: boolean; frequencies?: RawBuilder<unknown> };

/**
 * The tables `passages`, the rows of `feedback` with a weight, and `shared`, lexemes that at least two of them have.
 */
export const sharedLexemes = (lexemes: RawBuilder<unknown>) => sql`passages AS MATERIALIZED (
    SELECT knowledge_base_id, norm, feedback_weight * ${vectorScale} AS scale, ${textLexemes} AS lexemes
    FROM feedback WHERE feedback_weight > 0 AND (SELECT count(*) FROM feedback WHERE feedback_weight > 0) > 1),
  shared AS MATERIALIZED (
    SELECT lexeme, sum(${vectorElement(sql.ref('scale'), sql`cardinality(positions)`)}) AS centroid
    FROM passages, unnest(lexemes)
    WHERE char_length(lexeme) > 1 AND lexeme <> ALL(${lexemes}::text[])
    GROUP BY lexeme HAVING count(*) > 1
    ORDER BY centroid DESC, lexeme LIMIT ${sql.lit(SHARED_LEXEMES_MAX)})`;

/**
 * `feedback` → `feedback_terms`: the most informative lexemes that at least two feedback passages share, without those
 * of the query. `centroid` is a lexeme's element in the weighted sum of the feedback passages' vectors (as in Rocchio's
 * method), and `squared_idf` the weight of the lexeme in a similarity.
 */
export const feedbackTerms = (
  { lexemes, ids }: Record<'lexemes' | 'ids', RawBuilder<unknown>>,
  form: FeedbackForm,
) => {
  const { tables, counts } = countsOfShared(ids, form);
  return sql`
  WITH ${sharedLexemes(lexemes)},
  ${tables},
  counted AS (
    SELECT lexeme, max(centroid) AS centroid, sum(passage_count)::float8 AS frequency,
      (SELECT sum(passage_count)::float8 FROM collection) AS passages
    FROM (
      SELECT lexeme, centroid, 0 AS passage_count FROM shared UNION ALL
      SELECT lexeme, NULL, passage_count
      FROM (${counts}) AS counts) AS counts
    GROUP BY lexeme)
  SELECT ${tsqueryOf(sql.ref('lexeme'))} AS query, centroid, idf ^ 2 AS squared_idf FROM (
    SELECT lexeme, centroid, ${inverseDocumentFrequencySql(sql`frequency`, sql`passages`)} /
      (${float(TYPICAL_IDF)} * ln(1 + passages)) AS idf
    FROM counted WHERE frequency BETWEEN 2 AND passages) AS informative
  ORDER BY centroid * idf DESC, lexeme LIMIT ${sql.lit(FEEDBACK_TERMS)}`;
};

/**
 * `feedback`, `feedback_terms` → `reranked`: adds to each passage's score its similarity to the feedback passages,
 * which is a mean weighted by `feedback_weight`. A passage's similarity to itself is 1; to another one it is the cosine
 * of their vectors over the feedback terms.
 *
 * A passage far ahead stays first; among nearly equal scores, the passage that resembles the others most comes first
 * (the cluster hypothesis; Diaz, Regularizing ad hoc retrieval scores, 2005). Scores are scaled so that the best score
 * stays the same. The score before this step is kept as `combined`. `matches`: what the last step has to know of the
 * tsvectors, whose way ends here (see full-matches/).
 */
export function rerankByFeedback(matches: Record<'columns' | 'computed', RawBuilder<unknown>>) {
  const element = vectorElement(sql.ref('scale'), termFrequency(sql.ref('lexemes'), sql.ref('query')));
  const toOthers = sql`CASE WHEN scale IS NULL THEN 0 ELSE coalesce(
        (SELECT sum(squared_idf * element * greatest(centroid - feedback_weight * element, 0))
        FROM (SELECT squared_idf, centroid, ${element} AS element FROM feedback_terms OFFSET 0) AS elements), 0) END`;
  const gain = sql`${float(SIMILARITY_WEIGHT)} * best_score * (feedback_weight + ${toOthers}
        ) / nullif((SELECT sum(feedback_weight) FROM feedback), 0)`;
  return sql`
    SELECT knowledge_base_id, document_id, position, bm25, combined, ${matches.columns},
      coalesce(best_score * total / nullif(max(total) OVER (), 0), combined) AS score
    FROM (
      SELECT *, score AS combined, ${matches.computed}, score + ${gain} AS total
      FROM (
        SELECT *, CASE WHEN EXISTS (SELECT FROM feedback_terms) THEN ${vectorScale} END AS scale FROM feedback OFFSET 0
      ) AS scaled OFFSET 0) AS summed`;
}
