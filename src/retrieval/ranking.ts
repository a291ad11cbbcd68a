/**
 * Ranks candidates in one statement: BM25 picks the best, what stands around them and what they say alike puts those
 * in order. All in PostgreSQL, since a way there and back costs as much as the second look itself.
 */
import { type RawBuilder, sql } from 'kysely';
import type { DocumentType } from '../../generated/types.gen.ts';
import type { SearchedKnowledgeBases } from '../storage/knowledge-bases.ts';
import { scopeMark } from '../storage/scope-mark.ts';
import { lengthNorm, termFrequency, titleFrequency } from './bm25.ts';
import { quoteLexeme } from './lexemes.ts';

/** A passage with its score and what the contract shows of its document. */
export type FoundPassage = {
  knowledge_base_id: string;
  document_id: string;
  position: number;
  content: string;
  start_offset: number;
  end_offset: number;
  page: number | null;
  headings: string[];
  title: string;
  source: string;
  type: DocumentType;
  /** In [0, 1], 6 decimals. */
  score: number;
};

/** A word of the query as it is scored: its lexemes that occur, each with the most that it can add to a score. */
export type ScoredTerm = { spellings: { lexeme: string; attainable: number }[] };

/** `attainable`: the most that all terms of the query could add together, those that occur nowhere included. */
export type Scoring = { weighted: ScoredTerm[]; attainable: number };

/** What is ranked: the passages that match any of the tsqueries `queries`, and how many of them are wanted. */
export type Candidates = { searched: SearchedKnowledgeBases; queries: string[]; limit: number };

/** So many passages get a second look, as many as a query may want. */
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
const tsqueryOf = (lexeme: string) => sql`${quoteLexeme(lexeme)}::tsquery`;

/** SQL for what a term adds that occurs `frequency` times in a text of this `norm` (see `lengthNorm`). */
const saturated = (attainable: number, norm: RawBuilder<unknown>, frequency: RawBuilder<unknown>) =>
  sql`${float(attainable)} * (1 - ${norm} / (${norm} + ${frequency}))`;

/** SQL for the sum of the terms' parts; a term counts by its best spelling. `partOf` gets each spelling's number. */
function sumOf(
  terms: ScoredTerm[],
  partOf: (spelling: { lexeme: string; attainable: number }, number: number) => RawBuilder<unknown>,
): RawBuilder<number> {
  let number = 0;
  const parts = terms.map(({ spellings }) => {
    const alternatives = spellings.map((spelling) => partOf(spelling, number++));
    return alternatives.length === 1 ? alternatives[0] : sql`greatest(${sql.join(alternatives)})`;
  });
  return sql<number>`(${sql.join(parts, sql` + `)})`;
}

/**
 * tsquery text that holds the index to the searched knowledge bases; none where they are most of what there is, and
 * looking at a passage in vain is cheaper than its mark in the index.
 */
function scopeOf({ ids, passageCount, storedPassages }: SearchedKnowledgeBases): string | undefined {
  if (storedPassages !== undefined && passageCount * 2 > storedPassages) return undefined;
  return `(${ids.map((id) => quoteLexeme(scopeMark(id))).join('|')})`;
}

/** The candidates with BM25's score, the best first; of equal ones the newest, whose ids are the highest. */
export function bestByWords({ weighted }: Scoring, { searched, queries, limit }: Candidates) {
  const scope = scopeOf(searched);
  const matches = queries.map((query) => {
    const scoped = scope === undefined ? query : `(${query})&${scope}`;
    return sql`lexemes @@ ${scoped}::tsquery`;
  });
  const score = sumOf(weighted, ({ lexeme, attainable }) =>
    saturated(attainable, sql.ref('norm'), termFrequency(sql.ref('lexemes'), tsqueryOf(lexeme))),
  );
  // OFFSET 0 keeps the norm from being computed again for each term.
  return sql<{ score: number }>`
    SELECT *, ${score} AS score FROM (
      SELECT knowledge_base_id, document_id, position, lexemes, ${lengthNorm(sql.ref('length'), searched)} AS norm
      FROM passage_lexemes
      WHERE knowledge_base_id = ANY(${searched.ids}::uuid[]) AND (${sql.join(matches, sql` OR `)}) OFFSET 0
    ) AS candidate
    ORDER BY score DESC, document_id DESC, position LIMIT ${sql.lit(limit)}`;
}

/** SQL for the score of the text around the passage `best`, as if it were one passage; its title counts once. */
function scoreAround({ weighted }: Scoring, searched: SearchedKnowledgeBases) {
  const spellings = weighted.flatMap((term) => term.spellings);
  const nameOf = (number: number) => sql.ref(`frequency_${number}`);
  const frequencies = spellings.map(({ lexeme }, number) => {
    const inAll = termFrequency(sql.ref('near.lexemes'), tsqueryOf(lexeme));
    const inTitle = titleFrequency(sql.ref('best.lexemes'), tsqueryOf(lexeme));
    return sql`sum(${inAll}) - (count(*) - 1) * ${inTitle} AS ${nameOf(number)}`;
  });
  const score = sumOf(weighted, ({ attainable }, number) =>
    saturated(attainable, sql.ref('norm'), nameOf(number)),
  );
  const reach = sql.lit(CONTEXT_REACH);
  return sql`
    SELECT ${score} AS score FROM (
      SELECT ${lengthNorm(sql`sum(near.length)`, searched)} AS norm, ${sql.join(frequencies)}
      FROM passage_lexemes AS near
      WHERE near.knowledge_base_id = best.knowledge_base_id AND near.document_id = best.document_id
        AND near.position BETWEEN best.position - ${reach} AND best.position + ${reach}
    ) AS near`;
}

/**
 * The words other than the query's that the best of `in_context` have in common, with their shares of all such
 * weight (pseudo-relevance feedback, after Rocchio, 1971).
 */
function feedbackWords({ weighted }: Scoring) {
  const asked = weighted.flatMap(({ spellings }) => spellings.map(({ lexeme }) => lexeme));
  return sql`
    WITH model AS MATERIALIZED (
      SELECT knowledge_base_id, lexemes, norm, (score / max(score) OVER ()) ^ ${sql.lit(FEEDBACK_POWER)} AS trust
      FROM in_context ORDER BY score DESC, document_id, position LIMIT ${sql.lit(FEEDBACK_PASSAGES)}),
    collection AS MATERIALIZED (
      SELECT knowledge_base_id, passage_count FROM knowledge_base_statistics
      WHERE knowledge_base_id IN (SELECT knowledge_base_id FROM model)),
    common AS MATERIALIZED (
      SELECT lexeme, sum(trust * (1 - norm / (norm + cardinality(positions)))) AS weight
      FROM model, unnest(lexemes)
      WHERE lexeme NOT LIKE '/%' AND char_length(lexeme) > 1 AND lexeme <> ALL(${asked}::text[])
      GROUP BY lexeme HAVING count(*) > 1),
    counted AS (
      SELECT common.lexeme, weight, sum(statistics.passage_count) AS frequency,
        (SELECT sum(passage_count) FROM collection) AS passages
      FROM common CROSS JOIN collection JOIN lexeme_statistics AS statistics
        ON statistics.knowledge_base_id = collection.knowledge_base_id AND statistics.lexeme = common.lexeme
      GROUP BY common.lexeme, weight),
    chosen AS (
      SELECT lexeme, weight * ln((1 + (passages - frequency + 0.5) / (frequency + 0.5))::float8) AS weight
      FROM counted WHERE frequency BETWEEN 2 AND ${sql.lit(FEEDBACK_COMMON)} * passages
      ORDER BY weight DESC, lexeme LIMIT ${sql.lit(FEEDBACK_WORDS)})
    SELECT ('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery AS query,
      weight / sum(weight) OVER () AS share FROM chosen`;
}

/** The statement: candidates by the index, BM25 over them, a second look at the best, then the total order. */
export function rankedPassages(scoring: Scoring, { searched, queries, limit }: Candidates) {
  const frequency = termFrequency(sql.ref('in_context.lexemes'), sql.ref('word.query'));
  const byFeedback = sql`coalesce(
    (SELECT sum(share * (1 - norm / (norm + ${frequency}))) FROM word), 0)`;
  // Few passages may have no words in common: then the query's own are all that can be reached.
  const reachable = sql`(${float(scoring.attainable)} * (1 + ${float(FEEDBACK_SHARE)} * EXISTS (SELECT FROM word)::integer))`;
  return sql<FoundPassage>`
    WITH best AS MATERIALIZED (${bestByWords(scoring, { searched, queries, limit: SECOND_LOOK })}),
    in_context AS MATERIALIZED (
      SELECT best.knowledge_base_id, best.document_id, best.position, best.lexemes, best.norm,
        ${float(1 - CONTEXT_SHARE)} * best.score + ${float(CONTEXT_SHARE)} * around.score AS score
      FROM best CROSS JOIN LATERAL (${scoreAround(scoring, searched)}) AS around),
    word AS MATERIALIZED (${feedbackWords(scoring)}),
    ranked AS (
      SELECT knowledge_base_id, document_id, position,
        round(((score + ${float(FEEDBACK_SHARE * scoring.attainable)} * ${byFeedback}) / ${reachable})::numeric, 6)::float8
          AS score
      FROM in_context ORDER BY score DESC FETCH FIRST ${sql.lit(limit)} ROWS WITH TIES)
    SELECT passages.knowledge_base_id, passages.document_id, passages.position, content, start_offset, end_offset,
      page, headings, documents.title, documents.source, documents.type, least(ranked.score, 1) AS score
    FROM ranked
    JOIN passages USING (knowledge_base_id, document_id, position)
    JOIN documents
      ON documents.knowledge_base_id = passages.knowledge_base_id AND documents.id = passages.document_id
    ORDER BY score DESC, documents.created_at DESC, position, document_id, knowledge_base_id
    LIMIT ${limit}`;
}
