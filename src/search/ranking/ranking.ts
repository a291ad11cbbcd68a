/**
 * Ranks candidates in one statement. BM25 selects the best. Then neighbouring passages and pseudo-relevance feedback
 * rerank them (see rerank.ts). All of it happens in PostgreSQL, because a round trip costs as much as the reranking.
 * The statement has one fixed text, because planning a statement for each query would cost more.
 */
import { type RawBuilder, sql } from 'kysely';
import type { DocumentType } from '../../../generated/types.gen.ts';
import type { Queryable } from '../../database/connection/database.ts';
import { prepare } from '../../database/connection/prepared.ts';
import type { DescriptionRow } from '../../database/rows/documents/documents.ts';
import type { PassageRow } from '../../database/rows/documents/passages.ts';
import { inShards } from '../../database/schema/distributed-tables.ts';
import type { PhraseConditions } from '../phrases/phrase-conditions.ts';
import { termFrequency } from '../postgres-rank-insides.ts';
import type { SearchedKnowledgeBases } from '../query/collection-statistics.ts';
import { isByMeaning, type QueryMeaning } from '../query/query-meaning.ts';
import { BM25_VALUES, bestByBm25, bm25Values, candidate, FEW_BM25_VALUES, inMemory } from './best-by-bm25.ts';
import { distinctTables } from './distinct-passages.ts';
import { type Distribution, inEachDistribution } from './distribution.ts';
import {
  cosines,
  isNearEnough,
  MEANING_VALUES,
  type MeaningValues,
  meaningValues,
  nearestInMeaning,
} from './meaning.ts';
import {
  FULL_MATCH_VALUES,
  fullMatchesFirst,
  fullMatchValues,
  matchColumns,
  NO_FULL_MATCHES,
} from './proximity.ts';
import {
  feedbackTerms,
  joinNeighbours,
  RERANK_DEPTH,
  rerankByFeedback,
  rerankByNeighbours,
  weighFeedback,
} from './rerank.ts';
import {
  candidatesInScope,
  documentsInScope,
  isInScope,
  ofEachDocument,
  SCOPE_VALUES,
  type SearchScope,
  scopeValues,
} from './search-scope.ts';
import { areFew, passageScore, queryTermRows, scoreOf, scoreOfFewTerms } from './term-scores.ts';
import type { WeightedScoring, WeightedTerm } from './term-weights.ts';
import { sequenceQuery } from './variants.ts';

/**
 * Where a model has put a passage (see rerank-best.ts). `before`, `place`: its score and its place until then, from 1.
 * `relevance`: what the model says of it.
 */
export type Reranked = { before: number; place: number; relevance: number };

/** A passage with its score and the fields of its document that the contract shows. */
export type FoundPassage = PassageRow &
  DescriptionRow & {
    title: string;
    source: string;
    type: DocumentType;
    /** In [0, 1], 6 decimals. */
    score: number;
    /**
     * The score by BM25 alone, with the neighbouring passages, with feedback, and with the meaning; before the division
     * by the upper bound. The last step to the score puts full matches first. `cosine`: see meaning.ts; NULL without
     * one.
     */
    bm25: number;
    combined: number;
    relevant: number;
    unlifted: number;
    cosine: number | null;
    /** How many passages with the same text were left out for this one; undefined where none was to be. */
    duplicates?: number;
    /** Where a model has put it in the order; undefined where none has. */
    reranked?: Reranked;
  };

/**
 * The passages to rank: those that match any of the tsqueries `queries`, and some of those that match any of `further`
 * (see candidates.ts). In a scope: all of both that are in the scope. `limit` of them are wanted. `comparesAll`: few
 * documents fit the filter of the scope (see search-scope.ts). `phrases`: those that each of them must have.
 */
export type Candidates = {
  searched: SearchedKnowledgeBases;
  queries: string[];
  further: string[];
  limit: number;
  scope?: SearchScope | undefined;
  comparesAll: boolean;
  phrases: PhraseConditions | undefined;
  /** As its user has typed it. */
  query: string;
  /** undefined where the query has none, or is by words only. */
  meaning: QueryMeaning | undefined;
};

const RERANK_VALUES = [...FULL_MATCH_VALUES, 'lexemes', 'upperBound', 'limit', 'isLast', 'least'] as const;
const WORD_VALUES = [...BM25_VALUES, ...RERANK_VALUES] as const;
const FEW_WORD_VALUES = [...FEW_BM25_VALUES, ...RERANK_VALUES] as const;
const ALL_VALUES = [...WORD_VALUES, ...MEANING_VALUES] as const;
const SCOPED_VALUES = [...ALL_VALUES, ...SCOPE_VALUES] as const;
type WordValues = Record<(typeof WORD_VALUES)[number], RawBuilder<unknown>>;
/** The values of the last steps. */
type FinalValues = Pick<WordValues, (typeof FULL_MATCH_VALUES)[number] | 'upperBound' | 'limit'> & {
  meaning?: MeaningValues;
};
type FewWordValues = Record<(typeof FEW_WORD_VALUES)[number], RawBuilder<unknown>>;
/** The values of a ranking. `meaning`: further ones; undefined for a statement that knows no meaning. */
type RankingValues = WordValues & { meaning?: MeaningValues };
/** The values of the steps that follow the score by BM25. */
type RerankValues = FewWordValues & { meaning?: MeaningValues };
type ScopedValues = Record<(typeof SCOPED_VALUES)[number], RawBuilder<unknown>>;

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
function rankedTables(values: RerankValues, ending: Ending) {
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

/** The columns of `FoundPassage`, from the tables of `joinedTables`. */
export function foundColumns({ isDistinct = false } = {}) {
  const duplicates = isDistinct ? sql`, duplicates` : sql``;
  return sql`passages.knowledge_base_id, passages.document_id, passages.position, content, start_offset, end_offset,
      page, time_ms, later_starts, headings, documents.title, documents.source, documents.type, attributes, source_url,
      external_id, least(ranked.score, 1) AS score, bm25, combined, relevant, unlifted, cosine${duplicates}`;
}
// Each document exists, but LEFT keeps PostgreSQL from reading documents first, and then all passages of each.
export const joinedTables = (
  { ids }: Pick<RerankValues, 'ids'>,
  { isDistributed }: Distribution,
) => sql`ranked
    JOIN passages USING (knowledge_base_id, document_id, position)
    ${isDistributed ? sql`JOIN` : sql`LEFT JOIN`} documents
      ON documents.knowledge_base_id = passages.knowledge_base_id AND documents.id = passages.document_id${
        isDistributed
          ? sql`
      AND ${inShards(ids, 'documents')} AND ${inShards(ids, 'passages')}`
          : sql``
      }`;

/**
 * SQL for the score of the passages that meaning finds. Without slots, which each execution would initialise again; on
 * tables that Citus distributes, no sub-select may be in another one.
 */
function scoreOfFew(values: RankingValues, distribution: Distribution) {
  if (distribution.isDistributed) return passageScore(values, candidate, distribution);
  const { lexemes, norm } = candidate;
  const score = scoreOf(sql`query_terms`, norm, (query) => termFrequency(lexemes, query));
  return sql<number>`coalesce(${score}, 0)`;
}

/**
 * The tables `by_words`, the best by BM25, and `best`, with those that meaning finds. Without meaning, the first is
 * `best`.
 */
function bestPassages(values: RankingValues, distribution: Distribution) {
  const { meaning } = values;
  const byBm25 = bestByBm25(values, passageScore(values, candidate, distribution), distribution);
  if (meaning === undefined) return sql`best AS MATERIALIZED (${byBm25})`;
  const nearest = nearestInMeaning(
    { ...values, ...meaning },
    { score: scoreOfFew(values, distribution), distribution },
  );
  return sql`by_words AS MATERIALIZED (${byBm25}),
    best AS MATERIALIZED (
      SELECT * FROM by_words UNION ALL (${nearest}))`;
}

/** `best` by few terms. */
const bestByFewTerms = (values: FewWordValues, distribution: Distribution) =>
  sql`best AS MATERIALIZED (${bestByBm25(values, scoreOfFewTerms(values, candidate), distribution)})`;

/**
 * The statement: the index finds candidates, BM25 scores them, the best are reranked and sorted into the final order.
 * `best`: the tables that lead to the best by BM25.
 */
function rankedPassages(values: RerankValues, best: RawBuilder<unknown>, distribution: Distribution) {
  // Independent of the limit, so that a smaller limit returns the first results of a larger one.
  const { isLast, least, selected, meaning } = values;
  const byWords = meaning === undefined ? sql`best` : sql`by_words`;
  const enough = sql`CASE WHEN ${isLast}::boolean THEN ${least}::integer ELSE ${selected} END`;
  const isEnough = sql`(SELECT is_enough FROM counted_best)`;
  const ranked = rankedTables(values, { distribution });
  return sql<FoundPassage & { isEnough: boolean }>`
    WITH query_terms AS MATERIALIZED (${queryTermRows(values)}),
    ${best},
    counted_best AS MATERIALIZED (SELECT count(*) >= ${enough} AS is_enough FROM ${byWords}),${ranked}
    SELECT ${foundColumns()},
      ${isEnough} AS "isEnough"
    FROM ${joinedTables(values, distribution)}
    ORDER BY score DESC, documents.created_at DESC, position, document_id, knowledge_base_id
    LIMIT ${values.limit}`;
}

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
 * `rankedPassages` for candidates in a scope. It always returns a row, since none would not say what there was. Too few
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
    score: scoreOfFew(values, distribution),
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

/**
 * Returns the `limit` best candidates.
 *
 * - `isEnough`: there were enough candidates, or the call says `isLast` and there were `least`.
 * - `matched`: the number of candidates in the scope; undefined without a scope.
 */
export type RankPassages = (
  database: Queryable,
  scoring: WeightedScoring,
  candidates: Candidates,
  ending: { isLast: boolean; least: number },
) => Promise<{ found: FoundPassage[]; isEnough: boolean; matched?: number | undefined }>;

/** tsquery text for the passages with any of the terms that are not weak. */
const anyOf = (terms: WeightedTerm[]): string =>
  terms
    .filter(({ isWeak }) => !isWeak)
    .flatMap(({ variants }) => variants.map(({ sequence }) => sequenceQuery(sequence)))
    .join('|');

const passagesIn = (rows: ScopedRow[]): FoundPassage[] =>
  rows.flatMap((row) => (row.document_id === null ? [] : [row]));

const ON_ONE_SERVER = { isDistributed: false };

/**
 * Prepares the statements of searches without a scope. Most queries have few terms and no phrases: for these, a
 * statement without the other slots takes .93 of PostgreSQL's time.
 */
function prepareWhole() {
  // Of several knowledge bases on Citus: see rank-across-servers.ts.
  const rankByFewTerms = prepare(
    'ranked_by_few_terms',
    FEW_WORD_VALUES,
    (values: FewWordValues) => rankedPassages(values, bestByFewTerms(values, ON_ONE_SERVER), ON_ONE_SERVER),
    { ids: 'ids' },
  );
  const rankByWords = prepare(
    'ranked_passages',
    WORD_VALUES,
    (values: WordValues) => rankedPassages(values, bestPassages(values, ON_ONE_SERVER), ON_ONE_SERVER),
    { ids: 'ids' },
  );
  const rankWithMeaning = prepare(
    'ranked_with_meaning',
    ALL_VALUES,
    ...inEachDistribution((given: WordValues & MeaningValues, distribution) => {
      const values = { ...given, meaning: given };
      return rankedPassages(values, bestPassages(values, distribution), distribution);
    }, 'ids'),
  );
  return { rankByFewTerms, rankByWords, rankWithMeaning };
}

/** Prepares the statements of searches in a scope. Returns the function that chooses among them. */
function prepareScoped() {
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

/** The values of a ranking without a scope. */
export type WholeValues = Record<Exclude<(typeof WORD_VALUES)[number], 'lexemes' | 'limit'>, unknown> & {
  lexemes: string[];
  limit: number;
};

/** What the statements of both kinds know of a query. */
function valuesOf(scoring: WeightedScoring, { query, phrases, meaning, limit, ...candidates }: Candidates) {
  const { terms, upperBound, unknownShare } = scoring;
  const { searched } = candidates;
  const byMeaning = isByMeaning(meaning, scoring);
  return {
    ...bm25Values(scoring, { ...candidates, phrases: phrases?.phrases }),
    ...(byMeaning ? NO_FULL_MATCHES : fullMatchValues(query, scoring)),
    ...meaningValues(meaning, { isByMeaning: byMeaning, unknownShare, searched }),
    lexemes: terms.flatMap(({ variants }) => variants.flatMap(({ sequence }) => sequence)),
    upperBound,
    limit,
  };
}

/** `rankAcross`: ranks several knowledge bases by words instead, without a scope (see rank-across-servers.ts). */
export function createRanking(
  rankAcross?: (
    database: Queryable,
    values: WholeValues,
  ) => Promise<{ found: FoundPassage[]; bestCount: number }>,
): RankPassages {
  const { rankByFewTerms, rankByWords, rankWithMeaning } = prepareWhole();
  const statementFor = prepareScoped();

  return async (database, scoring, candidates, ending) => {
    const { scope, comparesAll, phrases, meaning, searched } = candidates;
    const values = { ...valuesOf(scoring, candidates), ...ending };
    if (scope === undefined && rankAcross && searched.ids.length > 1) {
      const { found, bestCount } = await rankAcross(database, values);
      return { found, isEnough: bestCount >= (ending.isLast ? ending.least : RERANK_DEPTH) };
    }
    if (scope === undefined) {
      const rankWords = phrases === undefined && areFew(scoring.terms) ? rankByFewTerms : rankByWords;
      const rank = meaning === undefined ? rankWords : rankWithMeaning;
      const rows = await rank(database, values);
      const isEnough = rows.length === 0 ? ending.isLast : rows.some((row) => row.isEnough);
      return { found: rows, isEnough };
    }
    const rows = await statementFor(scope)(database, {
      ...values,
      ...scopeValues(scope, comparesAll),
      anyTerm: phrases?.index ?? anyOf(scoring.terms),
    });
    const [first] = rows;
    if (first === undefined) throw new Error('a search in a scope returned no row');
    return { found: passagesIn(rows), isEnough: first.isEnough, matched: first.matched };
  };
}
