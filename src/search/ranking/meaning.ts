/**
 * SQL for the nearness in meaning of passages to a query: the cosine of their vectors, of which passages have the signs
 * (see meaning/). It is a further part of the score, and in small knowledge bases it finds passages without any word of
 * the query.
 */
import { type RawBuilder, sql } from 'kysely';
import { inShards } from '../../database/schema/distributed-tables.ts';
import { BITS, COMPARED_MAX } from '../../meaning/passage-vectors.ts';
import { QUERY_BITS, QUERY_MIDDLE } from '../../meaning/query-vectors.ts';
import { lengthNormSql } from '../bm25.ts';
import type { SearchedKnowledgeBases } from '../query/collection-statistics.ts';
import type { QueryMeaning } from '../query/query-meaning.ts';
import { inMemory } from './best-by-bm25.ts';
import type { Distribution } from './distribution.ts';
import { ofEachDocument } from './search-scope.ts';

/**
 * The cosine's part of what is missing from a score to 1. The more passages there are, the better their words tell them
 * apart, and the more of them have a similar meaning by chance: from SHARE_MAX for a hundred passages it falls to
 * SHARE_MIN. Words of the query that no passage has raise it, less among many passages too, where such words are names
 * and numbers. Where no word of the query is known, and for a query in a language of no passage, it is
 * SHARE_OF_UNKNOWN.
 *
 * nDCG@10 against words alone, by a constant share, on collections by their number of passages:
 *
 *                        passages   .03     .05     .1      .15     .2      .3
 *   xquad-en             245        1.001   1.001   1.003   1.004   1.004   1.004
 *   pubmedqa             1,183      1.000   1.000   1.000   1.000   1.002   1.002
 *   cranfield            1,508      1.014   1.021   1.028   1.027   1.027   1.018
 *   cacm                 3,212      1.005   1.008   1.012   1.011   1.008   1.003
 *   msmarco-sub          5,000      1.003   1.003   1.006   1.004   1.004   1.009
 *   scifact              6,131      1.003   1.001   1.001   1.003   1.005   1.003
 *   checkthat20          10,375     1.003   1.003   1.005   1.009   1.008   1.007
 *   financebench-a       13,159     1.001   .998    .962    .953    .980    .971
 */
const [SHARE_MAX, SHARE_MIN] = [0.3, 0.03];
const [SHARE_MAX_UNTIL, SHARE_ZERO_FROM] = [100, 16_000];
const SHARE_OF_UNKNOWN = 0.5;
/**
 * A model compares whole texts, also among many passages. nDCG@10 against words alone, for the best 50 by words, by
 * share:
 *
 *                     all-MiniLM-L6-v2          multilingual-e5-small
 *                     .3      .4      .5        .3      .4      .5
 *   cacm              1.031   1.041   1.029     .999    1.008   1.009
 *   scifact           1.022   1.023   1.029     1.024   1.025   1.021
 *   cranfield         1.080   1.138   1.135     1.058   1.101   1.093
 *   msmarco-sub       1.018   1.024   1.027     1.020   1.023   1.028
 *   financebench-a    1.059   1.056   1.073     1.052   1.055   1.058
 *   checkthat20       1.040   1.047   1.047     1.032   1.035   1.036
 *
 * With the nearest passages beside them, a model that knows no Chinese loses .026 of .970 on xquad-zh at .5, and .003
 * at .3. What else was tried: meaning/model/README.md.
 */
const SHARE_OF_MODEL = 0.3;

/** The cosine's part for this number of passages. `unknownShare`: see `WeightedScoring`. */
function shareOfMeaning(
  passageCount: number,
  {
    unknownShare,
    trust,
    isForeign,
    isOfModel,
  }: Pick<QueryMeaning, 'trust' | 'isForeign' | 'isOfModel'> & { unknownShare: number },
): number {
  if (isOfModel) return SHARE_OF_MODEL;
  if (isForeign || unknownShare === 1) return SHARE_OF_UNKNOWN;
  const above = Math.log(passageCount / SHARE_MAX_UNTIL) / Math.log(SHARE_ZERO_FROM / SHARE_MAX_UNTIL);
  const fewness = Math.min(1, Math.max(0, 1 - above));
  const share = trust * Math.max(SHARE_MIN, SHARE_MAX * fewness);
  return share + trust * (SHARE_OF_UNKNOWN - share) * unknownShare * fewness;
}

/**
 * A passage without any word of the query has at least this cosine, and one that is found by meaning alone too. Of
 * fifty questions about fifty rules in other words, 41 have their rule first, and with a bound of .3 still 38; without
 * their rule, 38 find another one, with .3 still 30. The deviation from the mean cosine tells no better. Of 43 single
 * words of these questions, 26 have their rule first, and with a bound of .2 one more; of 28 words that no rule is
 * about, 10 find one, with .2 already 23. Nor does the nearest word of the passage tell them apart there.
 */
const COSINE_MIN = 0.25;
/**
 * The same of a model. Of fifty questions about fifty rules in other words: whose own rule is above it, and whose best
 * other rule is where their own is left out. No bound tells them apart.
 *
 *         all-MiniLM-L6-v2   bge-small-en-v1.5   multilingual-e5-small
 *   .25   100 %, 98 %        98 %, 74 %          86 %, 50 %
 *   .3     98 %, 76 %        94 %, 42 %          72 %, 18 %
 *   .35    96 %, 44 %        86 %, 22 %          54 %,  6 %
 */
const COSINE_MIN_OF_MODEL = 0.3;
/** And at least this part of the best cosine. */
const COSINE_SHARE_MIN = 0.75;
/** Passages that are found by meaning, at most. */
const NEAREST_MAX = 50;

/** The values of the statement. Without a vector of the query, `planes` and `perUnit` are NULL. */
export const MEANING_VALUES = [
  ...(['generation', 'dimensions', 'planes', 'perUnit', 'offset'] as const),
  ...(['comparesMeaning', 'nearest', 'wordsShare', 'meaningShare', 'cosineMin'] as const),
] as const;
export type MeaningValues = Record<(typeof MEANING_VALUES)[number], RawBuilder<unknown>>;

/** `isByMeaning`: the words of the query do not count. */
type MeaningOf = {
  isByMeaning: boolean;
  unknownShare: number;
  searched: SearchedKnowledgeBases;
};

/** Whether all searched passages are compared with the meaning of a query. */
export const comparesAllMeanings = (
  meaning: QueryMeaning | undefined,
  { passageCount }: Pick<SearchedKnowledgeBases, 'passageCount'>,
): boolean => meaning !== undefined && passageCount <= COMPARED_MAX;

/** The values of `MEANING_VALUES`. `meaning` is undefined where the query has none, or is to be by words. */
export function meaningValues(
  meaning: QueryMeaning | undefined,
  { isByMeaning, unknownShare, searched }: MeaningOf,
): Record<(typeof MEANING_VALUES)[number], unknown> {
  const { isOfModel = false, trust = 0, isForeign = false, isAlone = false } = meaning ?? {};
  return {
    generation: meaning?.generation,
    dimensions: meaning?.planes.planes[0]?.length,
    planes: meaning?.planes.planes,
    perUnit: meaning?.planes.perUnit,
    offset: meaning?.planes.offset,
    comparesMeaning: comparesAllMeanings(meaning, searched),
    nearest: meaning?.nearest,
    wordsShare: isByMeaning ? 0 : 1,
    meaningShare: isAlone
      ? 1
      : shareOfMeaning(searched.passageCount, { trust, isForeign, isOfModel, unknownShare }),
    cosineMin: isOfModel ? COSINE_MIN_OF_MODEL : COSINE_MIN,
  };
}

/** SQL for the numbers from 0 to a count. */
const places = (count: number): number[] => Array.from({ length: count }, (_, place) => place);

/** SQL for the plane with the highest bits of a passage's numbers, or with those that are `below` them. */
const passagePlane = ({ dimensions }: Pick<MeaningValues, 'dimensions'>, below: number) =>
  sql`substring(vector FROM ${sql.lit(below)} * ${dimensions}::integer + 1 FOR ${dimensions}::integer)`;

/** The columns `plane0`, `plane1` … of a passage's vector. */
const passagePlanes = (values: MeaningValues) =>
  sql.join(places(BITS).map((below) => sql`${passagePlane(values, below)} AS ${sql.ref(`plane${below}`)}`));

/** SQL for the cosine of the vector in the columns `passagePlanes` to the query's (see `QueryPlanes`), in [0, 1]. */
function cosine({ planes, perUnit, offset }: MeaningValues) {
  const ofQuery = (below: number) => sql`(${planes}::bit varying[])[${sql.lit(below + 1)}]`;
  const sums = places(BITS).map((below) => {
    const plane = sql.ref(`plane${below}`);
    const counts = places(QUERY_BITS).map(
      (queryBelow) =>
        sql`${sql.lit(2 ** (QUERY_BITS - 1 - queryBelow))} * bit_count(${plane} & ${ofQuery(queryBelow)})`,
    );
    const middle = sql`${sql.lit(QUERY_MIDDLE)} * bit_count(${plane})`;
    return sql`
      ${sql.lit(2 ** (BITS - 1 - below))} * (${sql.join(counts, sql` + `)} - ${middle})`;
  });
  return sql`least(greatest(${perUnit}::float8 * (${sql.join(sums, sql` + `)}
      - ${offset}::float8), 0), 1)`;
}

/** SQL for whether a row of `passage_vectors` can be compared with the query's. */
const isCurrent = ({ generation }: Pick<MeaningValues, 'generation'>) =>
  sql`generation = ${generation}::smallint`;

/**
 * - `score`: SQL for the score of a passage by BM25.
 * - `isInScope`: SQL, after other conditions, for whether a passage is in the scope; undefined without a scope.
 * - `maxPerDocument`: the most passages of a document.
 */
type Nearest = {
  score: RawBuilder<unknown>;
  isInScope?: RawBuilder<unknown> | undefined;
  maxPerDocument?: RawBuilder<unknown>;
  distribution: Distribution;
};

/** The passages that an index has found, as JSON (see nearest.ts): the columns of `comparedPassages`. */
const foundByIndex = ({ nearest }: Pick<MeaningValues, 'nearest'>) => sql`
        SELECT knowledge_base_id, document_id, position, distance FROM json_to_recordset(${nearest}::json)
          AS passage_vectors (knowledge_base_id uuid, document_id uuid, position integer, distance integer)`;

/** SQL for the passages to compare with the query, and their distances from it. None is there twice. */
function comparedPassages(
  values: MeaningValues & Record<'ids', RawBuilder<unknown>>,
  { isInScope, distribution }: Pick<Nearest, 'isInScope' | 'distribution'>,
) {
  const { ids, comparesMeaning, nearest, planes } = values;
  const distance = sql`bit_count(${passagePlane(values, 0)} # (${planes}::bit varying[])[1])`;
  const columns = sql`knowledge_base_id, document_id, position, ${distance} AS distance`;
  const current = isCurrent(values);
  const ofSearched = (compares: RawBuilder<unknown>) => sql`
        SELECT ${columns} FROM passage_vectors
        WHERE ${compares} AND ${inShards(ids)} AND ${current}${isInScope ?? sql``}`;
  // Where Citus distributes the tables, there are no such indexes.
  const comparesSearched = distribution.isDistributed
    ? sql`${comparesMeaning}::boolean AND ${nearest}::json IS NULL`
    : sql`${comparesMeaning}::boolean`;
  if (isInScope === undefined)
    return distribution.isDistributed
      ? ofSearched(comparesSearched)
      : sql`(${ofSearched(comparesSearched)})
        UNION ALL (${foundByIndex(values)})`;
  const comparesScope = sql`${planes}::bit varying[] IS NOT NULL AND (SELECT is_comparable FROM extent)`;
  if (distribution.isDistributed) return ofSearched(sql`(${comparesSearched} OR ${comparesScope})`);
  return sql`(${ofSearched(sql`${comparesMeaning}::boolean AND NOT (SELECT is_known FROM extent)`)})
        UNION ALL
        (SELECT own.* FROM scope CROSS JOIN LATERAL (
          SELECT ${columns} FROM passage_vectors
          WHERE passage_vectors.knowledge_base_id = scope.knowledge_base_id AND document_id = scope.id AND ${current}
          OFFSET 0) AS own
        WHERE ${comparesScope})
        UNION ALL
        (${foundByIndex(values)}
        WHERE NOT (SELECT is_comparable FROM extent)${isInScope})`;
}

/** The columns of `best` for the passages nearest in meaning that are not among those in `by_words`. */
export function nearestInMeaning(
  values: MeaningValues & Record<'ids' | 'perLetter', RawBuilder<unknown>>,
  { score, isInScope, maxPerDocument, distribution }: Nearest,
) {
  const { ids, perLetter } = values;
  const compared = sql`(${comparedPassages(values, { isInScope, distribution })}) AS compared`;
  const capped =
    maxPerDocument === undefined
      ? compared
      : sql`(${ofEachDocument(compared, { order: sql`distance`, most: maxPerDocument })}) AS capped`;
  return sql`
    SELECT knowledge_base_id, document_id, position, lexemes, norm, ${score} AS score FROM (
      SELECT knowledge_base_id, document_id, position, ${inMemory} AS lexemes,
        ${lengthNormSql(sql.ref('length'), perLetter)} AS norm
      FROM (
        SELECT * FROM ${capped}
        ORDER BY distance, document_id DESC, position LIMIT ${sql.lit(NEAREST_MAX)}
      ) AS nearest JOIN passage_lexemes USING (knowledge_base_id, document_id, position)
      WHERE ${distribution.isDistributed ? sql`${inShards(ids, 'passage_lexemes')} AND ` : sql``}NOT EXISTS (
        SELECT FROM by_words WHERE by_words.document_id = nearest.document_id AND by_words.position = nearest.position)
    ) AS candidate`;
}

/** The CTE `cosines`: of the passages in `best` that have a vector. */
export function cosines(values: MeaningValues & Record<'ids', RawBuilder<unknown>>) {
  const hasQueryVector = sql`${values.perUnit}::float8 IS NOT NULL`;
  return sql`
    SELECT document_id, position, ${cosine(values)} AS cosine
    FROM (
      SELECT best.document_id, best.position, ${passagePlanes(values)}
      FROM best JOIN passage_vectors USING (knowledge_base_id, document_id, position)
      WHERE ${inShards(values.ids, 'passage_vectors')} AND ${isCurrent(values)} AND ${hasQueryVector}
      OFFSET 0) AS planes`;
}

/**
 * SQL for whether a passage of `ordered` is an answer: it has a word of the query, where words count, or is near
 * enough.
 */
export const isNearEnough = ({ wordsShare, cosineMin }: MeaningValues) =>
  sql`(bm25 * ${wordsShare}::float8 > 0 OR cosine >= (
        SELECT greatest(${cosineMin}::float8, ${sql.lit(COSINE_SHARE_MIN)} * max(cosine)) FROM cosines))`;

/** SQL for a score with the part of the meaning. `most`: the upper bound of the score. */
export function withMeaning(
  score: RawBuilder<unknown>,
  { wordsShare, meaningShare }: MeaningValues,
  most: RawBuilder<unknown>,
) {
  const ofWords = sql`${wordsShare}::float8 * ${score}`;
  return sql`(${ofWords} + ${meaningShare}::float8 * coalesce(cosine, 0) * (${most} - ${ofWords}))`;
}
