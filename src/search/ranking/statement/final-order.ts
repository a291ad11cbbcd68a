/**
 * SQL for the tables that lead from the best passages by BM25, and those nearest in meaning, to the results of a search
 * in their order. All ranked statements have them.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Distribution } from '../distribution.ts';
import { FULL_MATCH_VALUES, type FullMatchValue } from '../full-matches/full-match-values.ts';
import { fullMatchesFirst, matchColumns } from '../full-matches/proximity.ts';
import { cosines, isNearEnough, type MeaningValues } from '../meaning.ts';
import {
  feedbackTerms,
  joinNeighbours,
  rerankByFeedback,
  rerankByNeighbours,
  weighFeedback,
} from '../rerank.ts';
import { ofEachDocument } from '../search-scope.ts';

/** The values of a ranked statement beside those of BM25. */
export const RERANK_VALUES = [
  ...FULL_MATCH_VALUES,
  'lexemes',
  'upperBound',
  'limit',
  'isLast',
  'least',
] as const;

/** `meaning`: further values; undefined for a form of the statement that knows no meaning. */
export type WithMeaning = { meaning?: MeaningValues };
/** The values of the last steps. */
type FinalValues = Record<FullMatchValue | 'upperBound' | 'limit', RawBuilder<unknown>> & WithMeaning;
/** The values of the steps that follow the score by BM25. */
type RerankValues = FinalValues & Record<'ids' | 'perLetter' | 'lexemes', RawBuilder<unknown>>;

/** SQL for a column of the score by words; 0 where they do not count. */
const ofWords = (column: string, { meaning }: FinalValues) =>
  meaning === undefined
    ? sql.ref(column)
    : sql`${meaning.wordsShare}::float8 * ${sql.ref(column)} AS ${sql.ref(column)}`;

/** The passages of `ordered` that are answers. `most`: the most of a document, where a query says it. */
function answers({ meaning }: FinalValues, most: RawBuilder<unknown> | undefined) {
  const near = sql`ordered WHERE ${meaning === undefined ? sql`bm25 > 0` : isNearEnough(meaning)}`;
  return most === undefined
    ? near
    : sql`(${ofEachDocument(near, { order: sql`score DESC`, most })}) AS capped`;
}

/**
 * `maxPerDocument`: the most results of a document, where a query says it. `isDistinct`: `best` has the
 * copies of each passage. `isRestricted`: the caller does not see all documents.
 */
type Ending = {
  maxPerDocument?: RawBuilder<unknown>;
  isDistinct?: boolean;
  isRestricted?: boolean;
  distribution: Distribution;
};

/** Beside the answers: of each, how many passages with its text there are. */
const WITH_COPIES = sql` JOIN (
        SELECT knowledge_base_id, document_id, position, copies FROM best) AS kept
        USING (knowledge_base_id, document_id, position)`;

/** The tables that lead from `best` to `ranked`, which has the final scores. */
export function rankedTables(values: RerankValues, ending: Ending) {
  const { isRestricted = false, distribution } = ending;
  const neighbourhoods = distribution.isDistributed
    ? sql`
    neighbourhoods AS MATERIALIZED (${joinNeighbours(values.ids)}),`
    : sql``;
  const ofMeaning =
    values.meaning === undefined
      ? sql``
      : sql`
    cosines AS MATERIALIZED (${cosines({ ...values, ...values.meaning })}),`;
  const terms = feedbackTerms(values, { distribution, isRestricted });
  return sql`${neighbourhoods}${ofMeaning}
    with_neighbours AS MATERIALIZED (${rerankByNeighbours(values.perLetter, distribution)}),
    feedback AS MATERIALIZED (${weighFeedback()}),
    feedback_terms AS MATERIALIZED (${terms}),${orderedTables(values, ending)}`;
}

/** The tables that lead from `feedback` and `feedback_terms` to `ranked`. */
export function orderedTables(
  values: FinalValues,
  { maxPerDocument, isDistinct = false }: Pick<Ending, 'maxPerDocument' | 'isDistinct'> = {},
) {
  const [duplicates, withCopies] = isDistinct
    ? [sql`, copies - 1 AS duplicates`, WITH_COPIES]
    : [sql``, sql``];
  const found = sql`${answers(values, maxPerDocument)}${withCopies}`;
  return sql`
    reranked AS MATERIALIZED (${rerankByFeedback(matchColumns(values))}),
    ordered AS MATERIALIZED (${fullMatchesFirst(values)}),
    ranked AS (
      SELECT knowledge_base_id, document_id, position, ${ofWords('bm25', values)}, ${ofWords('combined', values)},
        ${ofWords('relevant', values)}, unlifted, cosine,
        round((score / ${values.upperBound}::float8)::numeric, 6)::float8 AS score${duplicates}
      FROM ${found} ORDER BY score DESC FETCH FIRST ${values.limit} ROWS WITH TIES)`;
}
