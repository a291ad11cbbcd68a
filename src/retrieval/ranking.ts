/**
 * Ranks candidates in one statement: BM25 picks the best, what stands around them and what they say alike puts those
 * in order. All in PostgreSQL, since a way there and back costs as much as the second look itself; and of one fixed
 * text, since planning one made for the query's words would cost more.
 */
import { type RawBuilder, sql } from 'kysely';
import type { DocumentType } from '../../generated/types.gen.ts';
import { insufficientCredits } from '../errors.ts';
import { takeCredits } from '../storage/accounts.ts';
import type { Database } from '../storage/database.ts';
import type { PassageRow } from '../storage/passages.ts';
import { prepare } from '../storage/prepared.ts';
import type { SearchedKnowledgeBases } from '../storage/query-statistics.ts';
import { scopeMark } from '../storage/scope-mark.ts';
import {
  askedTerms,
  passageScore,
  type ScoredTerm,
  scoreOf,
  TERM_VALUES,
  termValues,
  tsqueryOf,
} from './asked-terms.ts';
import { lengthNorm, normPerLetter, termFrequency, titleFrequency } from './bm25.ts';
import { quoteLexeme } from './lexemes.ts';

/** A passage with its score and what the contract shows of its document. */
export type FoundPassage = PassageRow & {
  title: string;
  source: string;
  type: DocumentType;
  /** In [0, 1], 6 decimals. */
  score: number;
};

/** `attainable`: the most that all terms of the query could add together, those that occur nowhere included. */
export type Scoring = { weighted: ScoredTerm[]; attainable: number };

/** What is ranked: the passages that match any of the tsqueries `queries`, and how many of them are wanted. */
export type Candidates = { searched: SearchedKnowledgeBases; queries: string[]; limit: number };

/**
 * So many passages get a second look, as many as a query may want. With thirty, the mean nDCG@10 over the open
 * collections is .0003 lower, and a query takes .7 ms of 8 less.
 */
const SECOND_LOOK = 50;
/** What a passage's surroundings count: a document that keeps to the matter is a better place for it. */
const CONTEXT_SHARE = 0.3;
/** Passages before and behind that surround one. */
const CONTEXT_REACH = 2;
/**
 * Passages whose words are taken for the matter of the query, trusted by how close they come to the best one. With
 * eight, pubmedqa falls below BM25 (.9863; .9871 with six), and the mean is the same.
 */
const FEEDBACK_PASSAGES = 6;
const FEEDBACK_POWER = 8;
/** Words that are taken, and what they count together against the query's own. */
const FEEDBACK_WORDS = 16;
const FEEDBACK_SHARE = 0.3;
/** A word that a larger share of the passages has says nothing. */
const FEEDBACK_COMMON = 0.3;

const float = (value: number) => sql`${sql.lit(value)}::float8`;

const PICKING_VALUES = ['ids', 'queries', 'perLetter', 'picked', ...TERM_VALUES] as const;
const RANKING_VALUES = [...PICKING_VALUES, 'attainable', 'limit', 'accountId', 'credits', 'isLast'] as const;
type Picking = Record<(typeof PICKING_VALUES)[number], RawBuilder<unknown>>;
type Ranking = Record<(typeof RANKING_VALUES)[number], RawBuilder<unknown>>;

/** SQL for the candidates with BM25's score, the best first; of equal ones the newest, whose ids are the highest. */
function bestByWords({ ids, queries, perLetter, picked, ...terms }: Picking) {
  const score = passageScore(terms, sql.ref('lexemes'), sql.ref('norm'));
  // IS TRUE keeps the index on knowledge bases out of it, and IN makes a hash table of many ids, where ANY compares each;
  // OFFSET 0 keeps the norm from being computed for each term.
  return sql<{ score: number }>`
    SELECT *, ${score} AS score FROM (
      SELECT knowledge_base_id, document_id, position, lexemes, ${lengthNorm(sql.ref('length'), perLetter)} AS norm
      FROM passage_lexemes
      WHERE lexemes @@ ANY(${queries}::tsquery[]) AND (knowledge_base_id IN (SELECT unnest(${ids}::uuid[]))) IS TRUE OFFSET 0
    ) AS candidate
    ORDER BY score DESC, document_id DESC, position LIMIT ${picked}`;
}

/** SQL for the best with the score of the text around them, as if it were one passage; its title counts once. */
function inContext({ perLetter }: Ranking) {
  // Places of the array instead of its rows, which would be copied for each term; those that it lacks are NULL.
  const vectors = Array.from(
    { length: 2 * CONTEXT_REACH + 1 },
    (_, place) => sql`near.vectors[${sql.lit(place + 1)}]`,
  );
  const score = scoreOf(sql`asked`, sql.ref('near.norm'), (query) => {
    const inEach = vectors.map((vector) => termFrequency(vector, query));
    const inTitle = titleFrequency(sql.ref('best.lexemes'), query);
    return sql`(${sql.join(inEach, sql` + `)} - near.others * ${inTitle})`;
  });
  const reach = sql.lit(CONTEXT_REACH);
  return sql`
    SELECT best.knowledge_base_id, best.document_id, best.position, best.lexemes, best.norm,
      ${float(1 - CONTEXT_SHARE)} * best.score + ${float(CONTEXT_SHARE)} * ${score} AS score
    FROM best CROSS JOIN LATERAL (
      SELECT array_agg(lexemes) AS vectors, ${lengthNorm(sql`sum(length)`, perLetter)} AS norm, count(*) - 1 AS others
      FROM passage_lexemes AS near
      WHERE near.knowledge_base_id = best.knowledge_base_id AND near.document_id = best.document_id
        AND near.position BETWEEN best.position - ${reach} AND best.position + ${reach}) AS near`;
}

/**
 * SQL for the words other than the query's that the best of `in_context` have in common, with their shares of all
 * such weight (pseudo-relevance feedback, after Rocchio, 1971).
 */
const feedbackWords = ({ lexemes }: Ranking) => sql`
  WITH model AS MATERIALIZED (
    SELECT knowledge_base_id, lexemes, norm, (score / max(score) OVER ()) ^ ${sql.lit(FEEDBACK_POWER)} AS trust
    FROM in_context ORDER BY score DESC, document_id, position LIMIT ${sql.lit(FEEDBACK_PASSAGES)}),
  collection AS MATERIALIZED (
    SELECT knowledge_base_id, passage_count FROM knowledge_base_statistics
    WHERE knowledge_base_id = ANY(ARRAY(SELECT DISTINCT knowledge_base_id FROM model))),
  common AS MATERIALIZED (
    SELECT lexeme, weight FROM (
      SELECT lexeme, sum(trust * (1 - norm / (norm + cardinality(positions)))) AS weight
      FROM model, unnest(lexemes) GROUP BY lexeme HAVING count(*) > 1 OFFSET 0) AS shared
    WHERE lexeme NOT LIKE '/%' AND char_length(lexeme) > 1 AND lexeme <> ALL(${lexemes}::text[])),
  counted AS (
    SELECT common.lexeme, weight, sum(statistics.passage_count)::float8 AS frequency,
      (SELECT sum(passage_count)::float8 FROM collection) AS passages
    FROM common CROSS JOIN collection JOIN lexeme_statistics AS statistics
      ON statistics.knowledge_base_id = collection.knowledge_base_id AND statistics.lexeme = common.lexeme
    GROUP BY common.lexeme, weight),
  chosen AS (
    SELECT lexeme, weight * ln(1 + (passages - frequency + 0.5) / (frequency + 0.5)) AS weight
    FROM counted WHERE frequency BETWEEN 2 AND ${sql.lit(FEEDBACK_COMMON)} * passages
    ORDER BY weight DESC, lexeme LIMIT ${sql.lit(FEEDBACK_WORDS)})
  SELECT ${tsqueryOf(sql.ref('lexeme'))} AS query, weight / sum(weight) OVER () AS share FROM chosen`;

/**
 * The statement: candidates by the index, BM25 over them, a second look at the best, then the total order. It takes the query's credits in the end, when it has locked nothing for long.
 */
function rankedPassages(values: Ranking) {
  const { attainable, limit, accountId, credits, isLast } = values;
  // An answer that is too short is asked for again, and costs nothing.
  const due = sql`CASE WHEN ${isLast}::boolean OR (SELECT count(*) FROM ranked) >= ${limit}::integer
    THEN ${credits}::bigint ELSE 0 END`;
  const inFeedback = sql`coalesce(
    (SELECT sum(share * (1 - norm / (norm + ${termFrequency(sql.ref('in_context.lexemes'), sql.ref('word.query'))})))
    FROM word), 0)`;
  // Few passages may have no words in common: then the query's own are all that can be reached.
  const reachable = sql`(${attainable}::float8 * (1 + ${float(FEEDBACK_SHARE)} * EXISTS (SELECT FROM word)::integer))`;
  return sql<FoundPassage & { isPaid: boolean }>`
    WITH asked AS MATERIALIZED (${askedTerms(values)}),
    best AS MATERIALIZED (${bestByWords(values)}),
    in_context AS MATERIALIZED (${inContext(values)}),
    word AS MATERIALIZED (${feedbackWords(values)}),
    ranked AS (
      SELECT knowledge_base_id, document_id, position,
        round(((score + ${float(FEEDBACK_SHARE)} * ${attainable}::float8 * ${inFeedback}) / ${reachable})::numeric, 6)::float8
          AS score
      FROM in_context ORDER BY score DESC FETCH FIRST ${limit} ROWS WITH TIES),
    paid AS (${takeCredits(sql`${accountId}::uuid`, due)})
    SELECT passages.knowledge_base_id, passages.document_id, passages.position, content, start_offset, end_offset,
      page, headings, documents.title, documents.source, documents.type, least(ranked.score, 1) AS score,
      ${due} = 0 OR EXISTS (SELECT FROM paid) AS "isPaid"
    FROM ranked
    JOIN passages USING (knowledge_base_id, document_id, position)
    JOIN documents
      ON documents.knowledge_base_id = passages.knowledge_base_id AND documents.id = passages.document_id
    ORDER BY score DESC, documents.created_at DESC, position, document_id, knowledge_base_id
    LIMIT ${limit}`;
}

const pick = prepare(
  'best_by_words',
  PICKING_VALUES,
  (values) =>
    sql<{ score: number }>`WITH asked AS MATERIALIZED (${askedTerms(values)}) ${bestByWords(values)}`,
);
const rank = prepare('ranked_passages', RANKING_VALUES, rankedPassages);

/**
 * tsquery text that holds the index to the searched knowledge bases; none where they are most of what there is, and
 * looking at a passage in vain is cheaper than its mark in the index.
 */
function scopeOf({ ids, passageCount, storedPassages }: SearchedKnowledgeBases): string | undefined {
  if (storedPassages !== undefined && passageCount * 2 > storedPassages) return undefined;
  return `(${ids.map((id) => quoteLexeme(scopeMark(id))).join('|')})`;
}

/** The values of `PICKING_VALUES`. */
function pickingValues({ weighted }: Scoring, { searched, queries }: Omit<Candidates, 'limit'>) {
  const scope = scopeOf(searched);
  return {
    // As PostgreSQL writes arrays; the driver would look at each of a thousand for what has to be quoted.
    ids: `{${searched.ids}}`,
    queries: scope === undefined ? queries : queries.map((query) => `(${query})&${scope}`),
    ...termValues(weighted),
    perLetter: normPerLetter(searched),
    picked: SECOND_LOOK,
  };
}

/** The scores of the `limit` best candidates by BM25 alone, unscaled, best first. */
export async function scoreByWords(
  database: Database,
  scoring: Scoring,
  candidates: Candidates,
): Promise<number[]> {
  const rows = await pick(database, { ...pickingValues(scoring, candidates), picked: candidates.limit });
  return rows.map(({ score }) => score);
}

/**
 * The `limit` best of the candidates, for `credits` of the account's; fewer cost nothing unless this `isLast`.
 * @throws INSUFFICIENT_CREDITS when others have used up the balance meanwhile; then nothing is taken
 */
export async function rankPassages(
  database: Database,
  scoring: Scoring,
  { limit, ...candidates }: Candidates,
  charge: { accountId: string; credits: number; isLast: boolean },
): Promise<FoundPassage[]> {
  const { attainable } = scoring;
  const rows = await rank(database, { ...pickingValues(scoring, candidates), attainable, limit, ...charge });
  if (rows.some(({ isPaid }) => !isPaid)) throw insufficientCredits();
  return rows;
}
