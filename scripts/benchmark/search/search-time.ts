/** Part `search`: import and search times of a corpus. */
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { findDescendants } from '../../../contract-tests/harness/machine/processes.ts';
import { withServiceDatabase } from '../../../contract-tests/harness/service/service-database.ts';
import { type RunningService, withService } from '../../../contract-tests/harness/service/service-process.ts';
import { importCorpus, settle } from '../corpus/corpus-import.ts';
import { type MixedQuery, makeLongQueries, makeQueries, queryKinds } from '../corpus/query-mix.ts';
import { type Answer, askAll, type Search } from '../measuring/ask.ts';
import type { Report } from '../measuring/figures.ts';
import { readCpuSeconds } from '../measuring/processor-use.ts';

const SEED = 1;
/** The warm-up uses another mix of the same kinds. */
const WARM_UP_SEED = 2;
const WARM_UP_QUERIES = 200;
const MANY_CLIENTS = 8;
const LONG_QUERIES = 20;

const TARGET_IMPORT_PER_SECOND = 3_000;
const TARGET_LONG_MS = 250;
/** Milliseconds by number of passages. Other sizes have no target. */
const TARGETS_MS: Record<number, { p50?: number; p95?: number; p99?: number }> = {
  10000: { p50: 3 },
  150000: { p50: 5, p95: 20, p99: 50 },
  1000000: { p50: 15, p95: 60 },
};

/** One corpus in one knowledge base. Its size begins the figures' names. */
type Measured = { service: RunningService; report: Report; passages: number; knowledgeBaseId: string };

const millisecondsOf = (answers: Answer[]): number[] => answers.map(({ milliseconds }) => milliseconds);

const atMost = (value: number | undefined) => (value === undefined ? {} : { target: { atMost: value } });

function addTimes({ report, passages }: Measured, queries: MixedQuery[], answers: Answer[]): void {
  const name = passages.toLocaleString('en');
  const targets = TARGETS_MS[passages] ?? {};
  const all = millisecondsOf(answers);
  const add = (what: string, value: number, target?: number) =>
    report.figure({ name: `${name}: ${what}`, value, unit: 'ms', ...atMost(target) });
  add('p50', percentile(all, 0.5), targets.p50);
  add('p95', percentile(all, 0.95), targets.p95);
  add('p99', percentile(all, 0.99), targets.p99);
  add('longest', percentile(all, 1));
  for (const kind of queryKinds) {
    const own = all.filter((_, i) => queries[i]?.kind === kind);
    if (own.length > 0) add(`p50 of ${kind}`, percentile(own, 0.5));
  }
}

/** Runs the queries with one client, then with several. */
async function measureQueries(measured: Measured, queries: MixedQuery[]): Promise<void> {
  const { service, report, passages, knowledgeBaseId } = measured;
  const name = passages.toLocaleString('en');
  const toSearches = (mix: MixedQuery[]): Search[] =>
    mix.map(({ text }) => ({ query: text, knowledgeBaseIds: [knowledgeBaseId] }));
  const warmUp = makeQueries(WARM_UP_QUERIES, passages, WARM_UP_SEED);
  await askAll(service, toSearches(warmUp), { clients: 1, label: 'warming up' });

  const database = findDescendants(service.pid);
  const before = { server: readCpuSeconds([service.pid]), database: readCpuSeconds(database) };
  const { answers, seconds } = await askAll(service, toSearches(queries), {
    clients: 1,
    label: 'one client',
  });
  const server = readCpuSeconds([service.pid]) - before.server;
  const sql = readCpuSeconds(database) - before.database;
  const many = await askAll(service, toSearches(queries), { clients: MANY_CLIENTS, label: 'many clients' });

  addTimes(measured, queries, answers);
  const figure = (what: string, value: number, unit: string) =>
    report.figure({ name: `${name}: ${what}`, value, unit });
  figure('one client', queries.length / seconds, '/s');
  figure(`${MANY_CLIENTS} clients`, queries.length / many.seconds, '/s');
  if (server > 0) {
    figure('server CPU a query', (server / queries.length) * 1000, 'ms');
    figure('PostgreSQL CPU a query', (sql / queries.length) * 1000, 'ms');
  }
}

async function measureLongQueries({ service, report, passages, knowledgeBaseId }: Measured): Promise<void> {
  const name = passages.toLocaleString('en');
  const searches = makeLongQueries(LONG_QUERIES, passages, SEED).map((query) => ({
    query,
    knowledgeBaseIds: [knowledgeBaseId],
  }));
  const { answers } = await askAll(service, searches, { clients: 1, label: 'long queries' });
  const times = millisecondsOf(answers);
  const add = (what: string, share: number, target?: number) =>
    report.figure({
      name: `${name}: ${what} of queries of 8,192 characters`,
      value: percentile(times, share),
      unit: 'ms',
      ...atMost(target),
    });
  add('p50', 0.5);
  add('longest', 1, TARGET_LONG_MS);
}

/** Imports a corpus into one knowledge base of a new service. Returns its id. */
async function measureImport(service: RunningService, report: Report, passages: number): Promise<string> {
  const name = passages.toLocaleString('en');
  report.progress(`import of ${name} passages`);
  const { seconds, knowledgeBaseIds } = await importCorpus(service, { passages });
  const target = { atLeast: TARGET_IMPORT_PER_SECOND };
  report.figure({ name: `${name}: imported`, value: passages / seconds, unit: '/s', target });
  const { mergeSeconds, vacuumSeconds } = await withServiceDatabase(service, settle);
  report.figure({ name: `${name}: statistics merged after`, value: mergeSeconds, unit: 's' });
  report.figure({ name: `${name}: vacuum before the searches`, value: vacuumSeconds, unit: 's' });
  return knowledgeBaseIds[0] ?? '';
}

async function measureCorpus(report: Report, passages: number, queryCount: number): Promise<void> {
  const queries = makeQueries(queryCount, passages, SEED);
  await withService(async (service) => {
    const knowledgeBaseId = await measureImport(service, report, passages);
    const measured = { service, report, passages, knowledgeBaseId };
    report.progress(`${queries.length} queries to ${passages} passages`);
    await measureQueries(measured, queries);
    await measureLongQueries(measured);
  });
}

/** Measures each number of passages with a service of its own. */
export async function measureSearchTime(
  report: Report,
  { passages: sizes, queries }: { passages: number[]; queries: number },
): Promise<void> {
  for (const passages of sizes) await measureCorpus(report, passages, queries);
  report.note(
    `${queries} queries, half of them claims of 12 terms, limit 10; one client after ${WARM_UP_QUERIES} others.`,
  );
}
