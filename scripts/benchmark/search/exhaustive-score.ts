/**
 * Scores every passage that contains any query term, in SQL over postings of its own.
 * The service's candidates are compared with the result.
 * Only the query analysis and the weights of the terms come from the service.
 */
import { sql } from 'kysely';
import type pg from 'pg';
import type { RunningService } from '../../../contract-tests/harness/service/service-process.ts';
import { impactTierLexeme, TIERS } from '../../../src/analysis/reserved-lexemes.ts';
import { createDatabase, createPool, type Database } from '../../../src/database/connection/database.ts';
import { prepare } from '../../../src/database/connection/prepared.ts';
import { findRunningPostgres } from '../../../src/embedded-postgres/embedded-postgres.ts';
import { createStemMemory } from '../../../src/indexing/stems.ts';
import { B, K1 } from '../../../src/search/bm25.ts';
import type { SearchedKnowledgeBases } from '../../../src/search/query/collection-statistics.ts';
import { createQueryAnalysis, type QueryAnalysis } from '../../../src/search/query/query-analysis.ts';
import { BM25_VALUES, bestByBm25, bm25Values } from '../../../src/search/ranking/best-by-bm25.ts';
import { candidatesOf } from '../../../src/search/ranking/candidate-sets.ts';
import { queryTermRows } from '../../../src/search/ranking/term-scores.ts';
import { chooseTerms, toWeightedTerm } from '../../../src/search/ranking/term-weights.ts';
import { showProgress } from '../../../src/terminal/progress.ts';

/** Figures of all searched passages, computed independently of the service. */
type Collection = { passageCount: number; lengthTotal: number };

/** A variant of a term. `weight`: its contribution to a score at infinite frequency. */
type WeightedLexeme = { term: number; lexeme: string; weight: number };

/**
 * SQL for one term's contribution to one passage's score: the formula under test, and nothing else.
 * Its inputs are the term's frequency in title, headings and content, the passage's length, and the term's weight.
 */
const termScore = ({ passageCount, lengthTotal }: Collection): string => {
  const norm = `${K1} * (${1 - B} + ${B} * length * ${passageCount}::float8 / ${lengthTotal})`;
  const frequency = '(in_title + in_headings + in_content)';
  return `weight * ${frequency} / (${frequency} + ${norm})`;
};

/** Selects at most ten scores in [0, 1], best first. $1 terms, $2 lexemes, $3 weights, $4 upper bound */
const exhaustiveScores = (collection: Collection): string => `
  SELECT least(sum(best) / $4::float8, 1) AS score FROM (
    SELECT passage, max(${termScore(collection)}) AS best
    FROM unnest($1::int[], $2::text[], $3::float8[]) AS given (term, lexeme, weight)
      JOIN benchmark_postings USING (lexeme),
      unnest(passages, lengths, titles, headings, contents)
        AS posting (passage, length, in_title, in_headings, in_content)
    GROUP BY passage, term) AS scored
  GROUP BY passage ORDER BY score DESC LIMIT 10`;

const readCollection = async (client: pg.Client): Promise<Collection> => {
  const { rows } = await client.query<{ passages: string; length: string }>(
    'SELECT count(*) AS passages, sum(length) AS length FROM passage_lexemes',
  );
  const { passages = '0', length = '0' } = rows[0] ?? {};
  return { passageCount: Number(passages), lengthTotal: Number(length) };
};

/** Creates the table of postings of these lexemes: one row per lexeme, as arrays in the order of the passages. */
async function makePostings(client: pg.Client, lexemes: string[]): Promise<void> {
  await client.query(`SET work_mem = '512MB'`);
  await client.query(`CREATE TEMP TABLE benchmark_lexemes AS SELECT unnest($1::text[]) AS lexeme`, [lexemes]);
  await client.query('ANALYZE benchmark_lexemes');
  const inZone = (label: string) => `cardinality(array_positions(weights, '${label}'))::smallint`;
  await client.query(`
    CREATE TEMP TABLE benchmark_postings AS
    SELECT lexeme, array_agg(passage) AS passages, array_agg(length) AS lengths,
      array_agg(${inZone('A')}) AS titles, array_agg(${inZone('B')}) AS headings,
      array_agg((cardinality(positions) - ${inZone('A')} - ${inZone('B')})::smallint) AS contents
    FROM (SELECT row_number() OVER ()::int AS passage, length, lexemes FROM passage_lexemes) AS numbered,
      unnest(lexemes) AS entry JOIN benchmark_lexemes USING (lexeme)
    GROUP BY lexeme`);
  await client.query('CREATE UNIQUE INDEX ON benchmark_postings (lexeme)');
  await client.query('ANALYZE benchmark_postings');
}

const readFrequencies = async (client: pg.Client): Promise<Map<string, number>> => {
  const { rows } = await client.query<{ lexeme: string; frequency: number }>(
    'SELECT lexeme, cardinality(passages) AS frequency FROM benchmark_postings',
  );
  return new Map(rows.map(({ lexeme, frequency }) => [lexeme, frequency]));
};

type Weighed = { terms: ReturnType<typeof toWeightedTerm>[]; upperBound: number };

/** The ten best scores of all passages that contain a term. */
async function scoreAll(client: pg.Client, { terms, upperBound }: Weighed, collection: Collection) {
  const lexemes = terms.flatMap(({ variants }, term): WeightedLexeme[] =>
    variants.flatMap(({ sequence, upperBound: weight }) =>
      sequence.map((lexeme) => ({ term, lexeme, weight })),
    ),
  );
  const column = <Key extends keyof WeightedLexeme>(key: Key) => lexemes.map((lexeme) => lexeme[key]);
  const values = [column('term'), column('lexeme'), column('weight'), upperBound];
  const statement = { name: 'exhaustive', text: exhaustiveScores(collection) };
  const { rows } = await client.query<{ score: number }>({ ...statement, values });
  return rows.map(({ score }) => score);
}

/** The scores of the service's best candidates by BM25 alone: not divided by the upper bound, best first. */
const selectBest = prepare(
  'best_by_bm25',
  BM25_VALUES,
  (values) =>
    sql<{
      score: number;
    }>`WITH query_terms AS MATERIALIZED (${queryTermRows(values)}) ${bestByBm25(values, { isDistributed: false })}`,
);

/** The ten best scores of the service's candidates. */
async function scoreCandidates(
  database: Database,
  { terms, upperBound }: Weighed,
  searched: SearchedKnowledgeBases,
): Promise<number[]> {
  if (terms.length === 0) return [];
  const { queries, further } = candidatesOf(terms, searched.passageCount);
  const values = bm25Values({ terms, upperBound }, { searched, queries, further });
  const rows = await selectBest(database, { ...values, selected: 10 });
  return rows.map(({ score }) => score / upperBound);
}

/**
 * The share of the ten passages with the best BM25 scores in the service that are candidates: the mean over `queries`.
 */
export async function measureExactness(
  service: RunningService,
  client: pg.Client,
  queries: string[],
): Promise<number> {
  const collection = await readCollection(client);
  const database = openServiceDatabase(service);
  try {
    const accountId = await findAccount(client);
    const analyse = createQueryAnalysis(createStemMemory());
    const analysed: QueryAnalysis[] = [];
    for (const query of queries)
      analysed.push(await analyse(database, { accountId, knowledgeBaseIds: undefined, query }));
    const words = analysed.flatMap(({ terms }) =>
      terms.flatMap(({ lexemes, unaccented }) => [...lexemes, ...unaccented]),
    );
    const tierLexemes = words.flatMap((word) => TIERS.map((_, tier) => impactTierLexeme(word, tier)));
    await makePostings(client, [...new Set([...words, ...tierLexemes])]);
    const frequencies = await readFrequencies(client);
    const progress = showProgress('scoring exhaustively', queries.length);
    const [best, found]: [number[][], number[][]] = [[], []];
    for (const { terms, statistics } of analysed) {
      const index = { frequencies, passageCount: collection.passageCount };
      const { chosen, upperBound } = chooseTerms(terms, index);
      const weighed = { upperBound, terms: chosen.map((term) => toWeightedTerm(term, index)) };
      best.push(await scoreAll(client, weighed, collection));
      found.push(await scoreCandidates(database, weighed, statistics.searched));
      progress.advance(1);
    }
    progress.end();
    await client.query('DROP TABLE benchmark_lexemes, benchmark_postings');
    return shareOfFound(best, found);
  } finally {
    await database.destroy();
  }
}

function openServiceDatabase(service: RunningService): Database {
  const connection = findRunningPostgres(service.dataDirectory);
  if (connection === undefined) throw new Error('the service has no embedded PostgreSQL');
  return createDatabase(createPool(connection, 1, () => undefined));
}

/** The account that owns all data of the service. */
async function findAccount(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ account: string }>(
    'SELECT DISTINCT account_id AS account FROM knowledge_bases',
  );
  return rows[0]?.account ?? '';
}

/** Scores are rounded to six digits, and term frequencies come from a float4. */
const TOLERANCE = 1e-4;

/** The number of the best scores that were found. Both lists are in descending order. */
function countFound(best: number[], found: number[]): number {
  let [count, next] = [0, 0];
  for (const score of best) {
    while ((found[next] ?? Number.NEGATIVE_INFINITY) > score + TOLERANCE) next++;
    if (Math.abs((found[next] ?? Number.NaN) - score) <= TOLERANCE) {
      count++;
      next++;
    }
  }
  return count;
}

/**
 * The share of the passages of the exhaustive answers that the service found, identified by their scores.
 * Passages of equal scores are interchangeable. A missed passage counts once, not again for each passage that moved up.
 */
export function shareOfFound(exhaustive: number[][], found: number[][]): number {
  const total = exhaustive.reduce((sum, best) => sum + best.length, 0);
  const equal = exhaustive.reduce((sum, best, query) => sum + countFound(best, found[query] ?? []), 0);
  return equal / total;
}
