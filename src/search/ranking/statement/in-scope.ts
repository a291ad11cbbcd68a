/**
 * The statement that ranks the passages of a search in a scope. Its forms: for all passages, for at most some of each
 * document, and for one of each text; each of them also for a caller who does not see all documents.
 */
import { type RawBuilder, sql } from 'kysely';
import { prepare } from '../../../database/connection/prepared.ts';
import { BM25_VALUES, candidate, inMemory } from '../best-by-bm25.ts';
import { distinctTables } from '../distinct-passages.ts';
import { type Distribution, inEachDistribution } from '../distribution.ts';
import { MEANING_VALUES, nearestInMeaning } from '../meaning.ts';
import { RERANK_DEPTH } from '../rerank.ts';
import {
  candidatesInScope,
  documentsInScope,
  isInScope,
  ofEachDocument,
  SCOPE_VALUES,
  type SearchScope,
} from '../search-scope.ts';
import { passageScore, queryTermRows, scoreOfFewTexts } from '../term-scores.ts';
import { RERANK_VALUES, rankedTables } from './final-order.ts';
import { type FoundPassage, foundColumns, joinedTables } from './found-passages.ts';

const SCOPED_VALUES = [...BM25_VALUES, ...RERANK_VALUES, ...MEANING_VALUES, ...SCOPE_VALUES] as const;
type ScopedValues = Record<(typeof SCOPED_VALUES)[number], RawBuilder<unknown>>;

/**
 * In a scope, a set of candidates is enough if at least this many are in the scope: with half and with a third of the
 * usual budget, the best candidates are nearly the same (see `budgetFor` in candidate-sets.ts).
 */
const ENOUGH_IN_SCOPE = 2 * RERANK_DEPTH;

/**
 * What a search in a scope does with the passages found. `isCapped`: at most `maxPerDocument` of a document, its best
 * by BM25. `isDistinct`: one of each text, and at most `maxPerDocument` where that has a value. `isRestricted`: nothing
 * of documents outside of the scope counts.
 */
type ScopedForm = { isCapped: boolean; isDistinct: boolean; isRestricted: boolean };

/** The most passages of a document, where a form says it. */
const mostPerDocument = (
  { maxPerDocument, selected }: ScopedValues,
  { isDistinct }: Pick<ScopedForm, 'isDistinct'>,
) => (isDistinct ? sql`coalesce(${maxPerDocument}::integer, ${selected})` : maxPerDocument);

/** The best of `scored`, or of `distinct_scored`. */
function bestOfScored(values: ScopedValues, form: ScopedForm) {
  const order = sql`ORDER BY score DESC, document_id DESC, position LIMIT ${values.selected}`;
  if (!form.isCapped) return sql`SELECT * FROM scored ${order}`;
  const table = form.isDistinct ? sql`distinct_scored` : sql`scored`;
  const most = mostPerDocument(values, form);
  const capped = ofEachDocument(table, { order: sql`score DESC`, most });
  const copies = form.isDistinct ? sql`, copies` : sql``;
  const columns = sql`knowledge_base_id, document_id, position, lexemes, norm, score${copies}`;
  return sql`SELECT ${columns} FROM (${capped}) AS capped ${order}`;
}

/** The tables to `best`: `by_words`, and the passages of `nearest` beside them. */
const bestInScope = (
  { ids }: ScopedValues,
  {
    nearest,
    isDistinct,
    distribution,
  }: { nearest: RawBuilder<unknown>; isDistinct: boolean; distribution: Distribution },
) =>
  isDistinct
    ? sql`
    either AS MATERIALIZED (
      SELECT * FROM by_words UNION ALL SELECT *, 1 AS copies FROM (${nearest}) AS nearest),${distinctTables(
        'best',
        { from: 'either', copies: sql`copies`, most: sql`NULL`, ids, distribution },
      )}`
    : sql`
    best AS MATERIALIZED (
      SELECT * FROM by_words UNION ALL (${nearest}))`;

/**
 * Candidates whose texts are compared before the largest set: where so many have fewer than RERANK_DEPTH different
 * texts, that set follows.
 */
const COMPARED_MAX = 4 * RERANK_DEPTH;

/** The tables to `distinct_scored`: one of each text. */
const distinctScored = ({ ids, isLast }: ScopedValues, distribution: Distribution) =>
  distinctTables('distinct_scored', {
    from: 'scored',
    copies: sql`1`,
    most: sql`CASE WHEN ${isLast}::boolean THEN NULL ELSE ${sql.lit(COMPARED_MAX)} END`,
    ids,
    distribution,
  });

/** Results of the statement of a scope: every row has the first two columns; a single row may have no passage. */
type ScopedRow = { isEnough: boolean; matched: number } & (FoundPassage | { document_id: null });

/**
 * The statement for candidates in a scope. It always returns a row, since none would not say what there was. Too few
 * candidates are not reranked, because another set follows.
 */
function rankedInScope(
  values: ScopedValues,
  { distribution, ...form }: ScopedForm & { distribution: Distribution },
) {
  const { isLast, least, selected, maxPerDocument } = values;
  const { isCapped, isDistinct, isRestricted } = form;
  const cap = isCapped ? { maxPerDocument: mostPerDocument(values, form) } : {};
  const nearest = nearestInMeaning(values, {
    score: scoreOfFewTexts(values, candidate, distribution),
    isInScope: isInScope(values, 'passage_vectors', distribution),
    ...cap,
    distribution,
  });
  const most = sql`coalesce(${maxPerDocument}::integer, ${selected})`;
  const attainable = sql`least(${selected}, ${most} * documents_max)`; // `selected` where documents_max is NULL
  const isEnough = sql`((SELECT ${isLast}::boolean OR is_small OR (
        (SELECT count(*) FROM scored) >= ${sql.lit(ENOUGH_IN_SCOPE)} AND (SELECT count(*) FROM first) >= ${attainable})
      FROM extent) AND (SELECT count(*) FROM scored) >= ${least}::integer)`;
  const score = passageScore(values, candidate, distribution);
  const candidates = candidatesInScope(values, inMemory, distribution);
  const distinct = isDistinct ? sql`${distinctScored(values, distribution)},` : sql``;
  const best = bestInScope(values, { nearest, isDistinct, distribution });
  const ranked = rankedTables(
    { ...values, meaning: values },
    { ...cap, isDistinct, isRestricted, distribution },
  );
  return sql<ScopedRow>`
    WITH query_terms AS MATERIALIZED (${queryTermRows(values)}),${documentsInScope(values.ids, values, distribution)},
    scored AS MATERIALIZED (
      SELECT *, ${score} AS score FROM (${candidates}) AS candidate),${distinct}
    first AS MATERIALIZED (${bestOfScored(values, form)}),
    by_words AS MATERIALIZED (SELECT * FROM first WHERE ${isEnough}),${best},${ranked}
    SELECT found.*, ${isEnough} AS "isEnough",
      (SELECT count(*) FROM scored) AS matched
    FROM (SELECT 1) AS always LEFT JOIN (
      SELECT ${foundColumns(form)}, documents.created_at FROM ${joinedTables(values, distribution)}) AS found ON true
    ORDER BY score DESC, created_at DESC, position, document_id, knowledge_base_id
    LIMIT ${values.limit}`;
}

/** The passages in the rows of the statement. */
export const passagesIn = (rows: ScopedRow[]): FoundPassage[] =>
  rows.flatMap((row) => (row.document_id === null ? [] : [row]));

/** Prepares the statements of searches in a scope. Returns the function that chooses among them. */
export function prepareScoped() {
  const prepareInScope = (name: string, form: ScopedForm) =>
    prepare(
      name,
      SCOPED_VALUES,
      ...inEachDistribution(
        (values: ScopedValues, distribution) => rankedInScope(values, { ...form, distribution }),
        'ids',
      ),
    );
  const prepareForms = (isRestricted: boolean) => {
    const prepareForm = (name: string, form: Omit<ScopedForm, 'isRestricted'>) =>
      prepareInScope(isRestricted ? `${name}_restricted` : name, { ...form, isRestricted });
    return {
      whole: prepareForm('ranked_in_scope', { isCapped: false, isDistinct: false }),
      perDocument: prepareForm('ranked_per_document', { isCapped: true, isDistinct: false }),
      distinct: prepareForm('ranked_distinct', { isCapped: true, isDistinct: true }),
    };
  };
  const inScope = prepareForms(false);
  const restricted = prepareForms(true);
  return (scope: SearchScope) => {
    const { whole, perDocument, distinct } = scope.isRestricted ? restricted : inScope;
    const ofAny = scope.maxPerDocument === undefined ? whole : perDocument;
    return scope.isDistinct ? distinct : ofAny;
  };
}
