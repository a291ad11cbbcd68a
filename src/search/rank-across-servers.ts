/**
 * Ranks the passages of several knowledge bases that Citus distributes. One statement for all of it would take a
 * sub-select of its own in each shard for each of its steps. Instead:
 *
 * 1. Each server finds its best passages by BM25 and scores their neighbours, with the statements for one server.
 * 2. The coordinator takes the best of all, and finds the lexemes that those share.
 * 3. Each server counts these lexemes.
 * 4. The coordinator reranks the passages by feedback, and puts full matches first.
 * 5. Each server reads the texts of the results.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../database/connection/database.ts';
import { prepare } from '../database/connection/prepared.ts';
import { frequencyRows, mergedInEach } from '../indexing/postings/document-frequencies.ts';
import { BM25_VALUES, bestByBm25, candidate } from './ranking/best-by-bm25.ts';
import { ON_ONE_SERVER } from './ranking/distribution.ts';
import { FULL_MATCH_VALUES } from './ranking/full-matches/full-match-values.ts';
import {
  feedbackTerms,
  NEIGHBOURS_FROM,
  RERANK_DEPTH,
  rerankByNeighbours,
  sharedLexemes,
  weighFeedback,
} from './ranking/rerank.ts';
import { orderedTables } from './ranking/statement/final-order.ts';
import { type FoundPassage, foundColumns, joinedTables } from './ranking/statement/found-passages.ts';
import type { WholeValues } from './ranking/statement/without-scope.ts';
import { passageScore, queryTermRows } from './ranking/term-scores.ts';

/** Runs at each server of shards. The result has the rows of all. */
const prepareAtServers = <Value extends string, Row>(
  name: string,
  values: readonly (Value | 'ids')[],
  build: (values: Record<Value | 'ids', RawBuilder<unknown>>) => RawBuilder<Row>,
) =>
  prepare<Value | 'ids', Row>(name, values, build, {
    ids: 'ids',
    combine: (parts) => parts.flat(),
  });

/** One of the best passages. `passage_count`: of its knowledge base. */
type Best = {
  knowledge_base_id: string;
  document_id: string;
  position: number;
  lexemes: string;
  norm: number;
  bm25: number;
  score: number;
  passage_count: number;
};

const findBest = prepareAtServers(
  'best_passages',
  BM25_VALUES,
  (values) => sql<Best>`
    WITH query_terms AS MATERIALIZED (${queryTermRows(values)}),
    best AS MATERIALIZED (${bestByBm25(values, passageScore(values, candidate, ON_ONE_SERVER), ON_ONE_SERVER)}),
    with_neighbours AS MATERIALIZED (${rerankByNeighbours(values.perLetter, ON_ONE_SERVER)})
    SELECT knowledge_base_id, document_id, position, lexemes::text, norm, bm25, score, passage_count
    FROM with_neighbours JOIN knowledge_base_statistics USING (knowledge_base_id)`,
);

/** The columns of `Best`, with their types. */
const BEST_COLUMNS = sql`knowledge_base_id uuid, document_id uuid, position integer,
        lexemes tsvector, norm float8, bm25 float8, score float8, passage_count bigint`;

/** The passages of `Best` in an array, with their weights in the feedback. */
const feedbackOf = (best: RawBuilder<unknown>) => sql`with_neighbours AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${best}::json) AS given (${BEST_COLUMNS})),
    feedback AS MATERIALIZED (${weighFeedback()})`;

const findShared = prepare(
  'shared_lexemes',
  ['best', 'lexemes'],
  ({ best, lexemes }) => sql<{ lexemes: string[]; ids: string[] }>`
    WITH ${feedbackOf(best)}, ${sharedLexemes(lexemes)}
    SELECT ARRAY(SELECT lexeme FROM shared) AS lexemes,
      ARRAY(SELECT DISTINCT knowledge_base_id::text FROM passages) AS ids`,
);

const countShared = prepareAtServers(
  'shared_frequencies',
  ['ids', 'lexemes'],
  ({ ids, lexemes }) => sql<{ lexeme: string; passage_count: number }>`
    WITH searched AS MATERIALIZED (SELECT unnest(${ids}::uuid[]) AS knowledge_base_id),
    shared AS MATERIALIZED (SELECT unnest(${lexemes}::text[]) AS lexeme)
    SELECT lexeme, sum(passage_count)::bigint AS passage_count
    FROM (${frequencyRows('shared', {
      merged: mergedInEach('shared', 'searched'),
      isSearched: sql`knowledge_base_id = ANY(${ids}::uuid[])`,
    })}) AS counts GROUP BY lexeme`,
);

const rankBest = prepare(
  'ranked_best',
  ['best', 'frequencies', 'lexemes', ...FULL_MATCH_VALUES, 'upperBound', 'limit'],
  ({ best, frequencies, lexemes, ...values }) => {
    const terms = feedbackTerms({ lexemes, ids: best }, { distribution: ON_ONE_SERVER, frequencies });
    return sql<Record<string, unknown> & { knowledge_base_id: string }>`
    WITH ${feedbackOf(best)},
    feedback_terms AS MATERIALIZED (${terms}),${orderedTables(values)}
    SELECT * FROM ranked`;
  },
);

type Read = FoundPassage & { created: number };

const readRanked = prepareAtServers(
  'read_ranked',
  ['ids', 'ranked'],
  ({ ids, ranked }) => sql<Read>`
    WITH ranked AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${ranked}::json) AS given (knowledge_base_id uuid, document_id uuid,
        position integer, bm25 float8, combined float8, relevant float8, unlifted float8, cosine float8, score float8)
      WHERE knowledge_base_id = ANY(${ids}::uuid[]))
    SELECT ${foundColumns()}, (extract(epoch FROM documents.created_at) * 1000000)::bigint AS created
    FROM ${joinedTables({ ids }, ON_ONE_SERVER)}`,
);

const compare = <T>(left: T, right: T): number => (left < right ? -1 : Number(left > right));

const byScore = (left: Read, right: Read): number =>
  right.score - left.score ||
  right.created - left.created ||
  left.position - right.position ||
  compare(left.document_id, right.document_id) ||
  compare(left.knowledge_base_id, right.knowledge_base_id);

/** The best by BM25 of all. A server has also scored the neighbours of passages that are only near its own best. */
function bestOfAll(found: Best[]): Best[] {
  const best = found
    .toSorted(
      (left, right) =>
        right.bm25 - left.bm25 ||
        compare(right.document_id, left.document_id) ||
        left.position - right.position,
    )
    .slice(0, RERANK_DEPTH);
  const least = NEIGHBOURS_FROM * (best[0]?.bm25 ?? 0);
  return best.map((passage) => (passage.bm25 < least ? { ...passage, score: passage.bm25 } : passage));
}

const arrayOf = (rows: { knowledge_base_id: string }[]): string =>
  `{${[...new Set(rows.map(({ knowledge_base_id }) => knowledge_base_id))]}}`;

/** The document frequencies of the lexemes that feedback passages share, in their knowledge bases. */
async function readShared(database: Queryable, best: string, lexemes: string[]) {
  const [shared] = await findShared(database, { best, lexemes });
  if (shared === undefined || shared.lexemes.length === 0) return {};
  const counts = await countShared(database, { ids: `{${shared.ids}}`, lexemes: shared.lexemes });
  const frequencies = new Map<string, number>(); // an object would have a `constructor`, which texts may have too
  for (const { lexeme, passage_count } of counts)
    frequencies.set(lexeme, (frequencies.get(lexeme) ?? 0) + passage_count);
  return Object.fromEntries(frequencies);
}

/** Returns the passages that the statement of one server finds, in its order, and how many candidates it had. */
export async function rankAcrossServers(
  database: Queryable,
  values: WholeValues,
): Promise<{ found: FoundPassage[]; bestCount: number }> {
  const passages = bestOfAll(await findBest(database, values));
  if (passages.length === 0) return { found: [], bestCount: 0 };
  const best = JSON.stringify(passages);
  const frequencies = JSON.stringify(await readShared(database, best, values.lexemes));
  const ranked = await rankBest(database, { ...values, best, frequencies });
  const ids = arrayOf(ranked);
  const read = await readRanked(database, { ids, ranked: JSON.stringify(ranked) });
  const found = read.toSorted(byScore).slice(0, values.limit);
  return { found: found.map(({ created: _, ...passage }) => passage), bestCount: passages.length };
}
