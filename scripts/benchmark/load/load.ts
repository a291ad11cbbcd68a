/** Measures a deployment under load: in closed and open loops, with imports beside the queries, at growing sizes. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { requireUninterrupted } from '../../../contract-tests/harness/service/service-process.ts';
import type { QueryRequest } from '../../../generated/types.gen.ts';
import { makeDocument } from '../corpus/corpus.ts';
import { drawQueries } from '../corpus/query-mix.ts';
import type { Report } from '../measuring/figures.ts';
import {
  type Deployment,
  type Place,
  readUse,
  type Size,
  send,
  type Use,
  withCorpus,
  withKnowledgeBases,
} from './deployment.ts';
import { type Loop, type Outcome, runLoop } from './loops.ts';
import { type Summary, summarise } from './summary.ts';

/**
 * What to measure.
 *
 * - `place`: the deployment.
 * - `sizes`: of the corpus.
 * - `questions`: asked of what the account has, instead of the corpus.
 * - `loops`: one after the other, at each size. `warmUpSeconds`: before the first of them.
 * - `importsPerSecond`: documents of a few passages that are imported beside the queries; 0: none.
 */
export type LoadPlan = {
  place: Place;
  sizes: Size[];
  questions: string[] | undefined;
  loops: Loop[];
  warmUpSeconds: number;
  importsPerSecond: number;
};

/**
 * One loop at one size. Without a corpus, `size` is undefined.
 *
 * - `usedPerQuery`: what each answered query took, with the imports beside it.
 * - `client`: the cores that this process kept busy, the 99 % quantiles of the delay of its events and of the requests'
 *   lateness, and whether it was too slow for the load, so that the times are its own.
 */
export type LoadResult = {
  size: Size | undefined;
  loop: Loop;
  queries: Summary;
  imports: Summary | undefined;
  usedPerQuery: Use;
  client: { cores: number; eventDelayMs: number; lateMs: number; isBottleneck: boolean };
};

/** The contract's most ids of a query. */
const NAMED_MAX = 100;
/** Passages of a document that is imported beside the queries. */
const IMPORTED_PASSAGES = 5;
/** Imported documents are made of passages from here on, which no corpus reaches. */
const IMPORTED_FROM = 100_000_000;
const WARM_UP_CONNECTIONS = 4;
const QUERY_SEED = 3;
/** From these figures on, the process that sends the load is its bottleneck. */
const BUSY_CORES = 0.8;
const LATE_MS = 20;

/** The requests of a loop: bodies of new queries and new documents. Nothing is sent twice. */
type Requests = { nextQuery(): QueryRequest; nextDocument(): object };

const describeLoop = (loop: Loop): string =>
  'perSecond' in loop ? `${loop.perSecond} queries a second` : `${loop.connections} connections`;

/** Counts what this process itself does, until the returned function is called. */
function watchClient(): (outcomes: Outcome[]) => LoadResult['client'] {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const [before, start] = [process.cpuUsage(), performance.now()];
  return (outcomes) => {
    delays.disable();
    const { user, system } = process.cpuUsage(before);
    const cores = (user + system) / 1000 / (performance.now() - start);
    const lateMs = percentile(
      outcomes.map((outcome) => outcome.lateMs),
      0.99,
    );
    const eventDelayMs = delays.percentile(99) / 1e6;
    return { cores, eventDelayMs, lateMs, isBottleneck: cores >= BUSY_CORES || lateMs >= LATE_MS };
  };
}

function perQuery(before: Use, after: Use, answered: number): Use {
  const each = (name: keyof Use) => (after[name] - before[name]) / answered;
  return {
    serverSeconds: each('serverSeconds'),
    databaseSeconds: each('databaseSeconds'),
    credits: each('credits'),
  };
}

/** Runs one loop of queries, with the imports beside it. */
async function measureLoop(
  deployment: Deployment,
  loop: Loop,
  { requests, importsPerSecond }: { requests: Requests; importsPerSecond: number },
): Promise<Omit<LoadResult, 'size'>> {
  const { seconds } = loop;
  const query = () => send(deployment, 'query', requests.nextQuery());
  const importDocument = () => send(deployment, 'importTextContent', requests.nextDocument());
  const before = await readUse(deployment);
  const endWatch = watchClient();
  const [outcomes, imported] = await Promise.all([
    runLoop(query, loop),
    importsPerSecond > 0 ? runLoop(importDocument, { perSecond: importsPerSecond, seconds }) : undefined,
  ]);
  const client = endWatch(outcomes);
  const queries = summarise(outcomes, seconds);
  return {
    loop,
    queries,
    imports: imported && summarise(imported, seconds),
    usedPerQuery: perQuery(before, await readUse(deployment), queries.answered),
    client,
  };
}

/** Runs the warm-up, then all loops. */
export async function measureLoops(
  deployment: Deployment,
  { loops, warmUpSeconds, importsPerSecond }: Pick<LoadPlan, 'loops' | 'warmUpSeconds' | 'importsPerSecond'>,
  { requests, report, size }: { requests: Requests; report: Report; size: Size | undefined },
): Promise<LoadResult[]> {
  const query = () => send(deployment, 'query', requests.nextQuery());
  await runLoop(query, { connections: WARM_UP_CONNECTIONS, seconds: warmUpSeconds });
  const results: LoadResult[] = [];
  for (const loop of loops) {
    requireUninterrupted();
    report.progress(`${describeLoop(loop)}, ${loop.seconds} s`);
    const result = await measureLoop(deployment, loop, { requests, importsPerSecond });
    requireUninterrupted();
    results.push({ size, ...result });
  }
  return results;
}

/** Bodies of new documents for a knowledge base. */
export function createDocuments(knowledgeBaseId: string): () => object {
  let first = IMPORTED_FROM;
  return () => {
    first += IMPORTED_PASSAGES;
    return { knowledgeBaseId, ...makeDocument({ first, passages: IMPORTED_PASSAGES }) };
  };
}

/**
 * Asks queries made of the corpus. Up to NAMED_MAX knowledge bases of a deployment that others use are searched alone.
 */
async function measureSize(
  report: Report,
  plan: LoadPlan,
  { deployment, size }: { deployment: Deployment; size: Size },
): Promise<LoadResult[]> {
  const { ids, isOwn } = deployment;
  const isNamed = ids.length === 1 || (!isOwn && ids.length <= NAMED_MAX);
  const mixed = drawQueries(size.passages, QUERY_SEED);
  const nextQuery = () => ({ query: mixed.next().value.text, ...(isNamed && { knowledgeBaseIds: ids }) });
  const requests = { nextQuery, nextDocument: createDocuments(ids[0] ?? '') };
  return await measureLoops(deployment, plan, { requests, report, size });
}

/** Asks the questions in turn. */
async function measureQuestions(
  report: Report,
  plan: LoadPlan,
  { deployment, questions }: { deployment: Deployment; questions: string[] },
): Promise<LoadResult[]> {
  let turn = 0;
  const nextQuery = () => ({ query: questions[turn++ % questions.length] ?? '' });
  const requests = { nextQuery, nextDocument: createDocuments(deployment.ids[0] ?? '') };
  return await measureLoops(deployment, plan, { requests, report, size: undefined });
}

/** Measures all sizes, or the questions. */
export async function measureLoad(report: Report, plan: LoadPlan): Promise<LoadResult[]> {
  const { place, questions, sizes, importsPerSecond } = plan;
  const results: LoadResult[] = [];
  if (questions !== undefined && !('data' in place)) {
    await withKnowledgeBases(place, importsPerSecond > 0 ? 1 : 0, async (deployment) => {
      results.push(...(await measureQuestions(report, plan, { deployment, questions })));
    });
    return results;
  }
  for (const size of sizes) {
    const use = async (deployment: Deployment) =>
      void results.push(...(await measureSize(report, plan, { deployment, size })));
    await withCorpus(report, place, { size, use });
  }
  return results;
}
