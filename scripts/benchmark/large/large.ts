/**
 * What a large deployment takes: its import, start, searches alone and beside imports, deletions, backup and restore, and
 * what vacuum leaves after a fifth of the documents was replaced.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { runCommand } from '../../../contract-tests/harness/command-line.ts';
import { withServiceDatabase } from '../../../contract-tests/harness/embedded-database.ts';
import { readPages } from '../../../contract-tests/harness/lists.ts';
import {
  call,
  type RunningService,
  startService,
  withDataDirectory,
} from '../../../contract-tests/harness/service-process.ts';
import type { Document } from '../../../generated/types.gen.ts';
import { inParallel } from '../../../src/concurrency/in-parallel.ts';
import { importStretch, settle } from '../corpus-import.ts';
import { formatNumber, type Report } from '../figures.ts';
import { createDocuments, type LoadResult, measureLoops } from '../load/load.ts';
import { drawQueries, type MixedQuery } from '../query-mix.ts';
import { type Filled, withFilled } from './filled-service.ts';

/** `knowledgeBases`: numbers of them that hold the same passages, in turn. `data`: a folder that keeps the corpora. */
export type LargePlan = {
  passages: number;
  knowledgeBases: number[];
  data: string | undefined;
  seconds: number;
};

/** A trial on a filled directory. */
type Trial = Filled & { report: Report; queries: Iterator<MixedQuery, never>; seconds: number };

/** Each query is asked once in all steps. */
const SEED = 11;
const WARM_UP_SECONDS = 10;
const LOOPS = { connections: 1, perSecond: 10 };
const IMPORTS_PER_SECOND = 2;
/** The share of the documents that are deleted, while as many passages are imported. */
const REPLACED_SHARE = 0.2;
/** Imported in place of deleted documents: passages from here on, which no corpus reaches. */
const REPLACED_FROM = 50_000_000;
const DELETING_CLIENTS = 2;
const DOCUMENTS_OF_A_PAGE = 1_000;
/** Deletions whose median is taken. */
const DELETIONS = 20;
const POLL_MS = 500;
/** Autovacuum looks once a minute by default. */
const VACUUM_SECONDS = 180;
const MEBIBYTE = 2 ** 20;

async function timed<T>(act: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const start = performance.now();
  const result = await act();
  return { result, seconds: (performance.now() - start) / 1000 };
}

/** The ids that a query names: one knowledge base by its id, many by naming none. */
const scopeOf = ({ ids }: Trial) => (ids.length === 1 ? { knowledgeBaseIds: ids } : {});

const nextSearch = (trial: Trial) => ({ query: trial.queries.next().value.text, ...scopeOf(trial) });

/** Starts the service, and asks its first query. */
async function measureStart(trial: Trial): Promise<RunningService> {
  const { report, dataDirectory } = trial;
  report.progress('start');
  const { result: service, seconds } = await timed(() => startService(dataDirectory));
  const first = await timed(() => call(service, 'query', nextSearch(trial)));
  report.figure({ name: 'start', value: seconds, unit: 's' });
  report.figure({ name: 'first query after the start', value: first.seconds * 1000, unit: 'ms' });
  return service;
}

function addLoop({ report }: Trial, name: string, { queries }: LoadResult): void {
  const { p50, p95, p99 } = queries.ms;
  for (const [percentile, value] of Object.entries({ p50, p95, p99 }))
    report.figure({ name: `${name}: ${percentile}`, value, unit: 'ms' });
  report.figure({ name: `${name}: answered`, value: queries.answeredPerSecond, unit: '/s' });
  for (const [code, count] of Object.entries(queries.errors))
    report.note(`${name}: ${count} queries ended with ${code}.`);
}

/** Measures a closed and an open loop, alone and beside imports. */
async function measureSearches(trial: Trial, service: RunningService): Promise<void> {
  const { report, seconds, ids } = trial;
  const deployment = { ...service, pids: [service.pid], isOwn: true, ids };
  const requests = { nextQuery: () => nextSearch(trial), nextDocument: createDocuments(ids[0] ?? '') };
  const loops = [
    { connections: LOOPS.connections, seconds },
    { perSecond: LOOPS.perSecond, seconds },
  ];
  for (const importsPerSecond of [0, IMPORTS_PER_SECOND]) {
    const plan = { loops, importsPerSecond, warmUpSeconds: WARM_UP_SECONDS };
    const results = await measureLoops(deployment, plan, { requests, report, size: undefined });
    results.forEach((result, i) => {
      const loop = i === 0 ? 'one client' : `${LOOPS.perSecond} queries a second`;
      const beside = importsPerSecond > 0 ? `, ${importsPerSecond} imports/s beside` : '';
      addLoop(trial, loop + beside, result);
    });
  }
}

/** All documents of a knowledge base, the newest first. */
async function readDocuments(
  { address, apiKey }: RunningService,
  knowledgeBaseId: string,
): Promise<string[]> {
  const pages = await readPages<Document>(async ({ cursor }) => {
    const parameters = new URLSearchParams({ knowledgeBaseId, limit: String(DOCUMENTS_OF_A_PAGE) });
    if (cursor !== undefined) parameters.set('cursor', cursor);
    const response = await fetch(`${address}/v1/listDocuments?${parameters}`, {
      headers: { 'x-api-key': apiKey },
    });
    return (await response.json()) as Awaited<ReturnType<Parameters<typeof readPages<Document>>[0]>>;
  });
  return pages.flat().map(({ id }) => id);
}

const deleteDocument = (service: RunningService, documentId: string) =>
  call(service, 'deleteDocument', { documentId });

async function measureDeletion({ report, ids }: Trial, service: RunningService): Promise<void> {
  const documents = (await readDocuments(service, ids[0] ?? '')).slice(0, DELETIONS);
  const times: number[] = [];
  for (const documentId of documents) {
    const { seconds } = await timed(() => deleteDocument(service, documentId));
    times.push(seconds * 1000);
  }
  const sorted = times.toSorted((left, right) => left - right);
  report.figure({ name: 'delete a document: median', value: sorted[sorted.length >> 1] ?? 0, unit: 'ms' });
  report.figure({ name: 'delete a document: longest', value: sorted.at(-1) ?? 0, unit: 'ms' });
}

/** Bytes on the disk, and rows that wait for vacuum. */
async function readTables(client: pg.Client): Promise<{ bytes: number; dead: number; live: number }> {
  const { rows } = await client.query<{ bytes: string; dead: string; live: string }>(`
    SELECT pg_database_size(current_database()) AS bytes, sum(n_dead_tup) AS dead, sum(n_live_tup) AS live
    FROM pg_stat_user_tables`);
  const [row] = rows;
  return { bytes: Number(row?.bytes), dead: Number(row?.dead), live: Number(row?.live) };
}

/** Waits until autovacuum has removed most dead rows, or has had its time. Returns the seconds. */
async function awaitVacuum(client: pg.Client): Promise<number> {
  const { seconds } = await timed(async () => {
    for (let waited = 0; waited < VACUUM_SECONDS; waited += POLL_MS / 1000) {
      const { dead, live } = await readTables(client);
      if (dead < live / 50) return;
      await delay(POLL_MS);
    }
  });
  return seconds;
}

/** Replaces a share of the documents while queries arrive, and measures what is left to vacuum. */
async function measureReplacement(trial: Trial, service: RunningService): Promise<void> {
  const { report, ids, passages } = trial;
  const before = await withServiceDatabase(service, readTables);
  const all: string[] = [];
  for (const id of ids) all.push(...(await readDocuments(service, id)));
  const chosen = all.filter((_, i) => i % Math.round(1 / REPLACED_SHARE) === 0);
  report.progress(`replaces ${chosen.length} of ${all.length} documents`);
  const end = REPLACED_FROM + Math.round(passages * REPLACED_SHARE);
  const { seconds } = await timed(() =>
    Promise.all([
      inParallel(chosen, DELETING_CLIENTS, (id) => deleteDocument(service, id).then(() => undefined)),
      importStretch(service, { first: REPLACED_FROM, end, knowledgeBaseIds: ids }),
    ]),
  );
  const name = `replacing ${100 * REPLACED_SHARE} %`;
  report.figure({ name: `${name} took`, value: seconds, unit: 's' });
  await withServiceDatabase(service, async (client) => {
    const after = await readTables(client);
    report.figure({ name: `${name}: dead rows`, value: (100 * after.dead) / after.live, unit: '% of all' });
    report.figure({ name: `${name}: autovacuum done after`, value: await awaitVacuum(client), unit: 's' });
    await settle(client);
    const { bytes } = await readTables(client);
    report.figure({ name: `${name}: disk`, value: bytes / before.bytes, unit: 'times' });
  });
}

/** Backs up the running service, and restores the backup into a new directory. */
async function measureBackup({ report, dataDirectory }: Trial): Promise<void> {
  await withDataDirectory(async (folder) => {
    report.progress('backup');
    const backup = await timed(() => runCommand(dataDirectory, 'backup', join(folder, 'backup.tar.zst')));
    const { size } = await stat(backup.result);
    report.figure({ name: 'backup', value: backup.seconds, unit: 's' });
    report.figure({ name: 'backup: size', value: size / MEBIBYTE, unit: 'MiB' });
    report.progress('restore');
    const restored = await withDataDirectory((fresh) =>
      timed(() => runCommand(fresh, 'restore', backup.result)),
    );
    report.figure({ name: 'restore', value: restored.seconds, unit: 's' });
  });
}

/** Deletes the first knowledge base, and waits until nothing of it is left. */
async function measurePurge({ report, ids: [id] }: Trial, service: RunningService): Promise<void> {
  report.progress('deletes a knowledge base');
  const deleted = await timed(() => call(service, 'deleteKnowledgeBase', { knowledgeBaseId: id }));
  report.figure({ name: 'delete a knowledge base', value: deleted.seconds * 1000, unit: 'ms' });
  await withServiceDatabase(service, async (client) => {
    const isLeft = async () =>
      (await client.query('SELECT FROM knowledge_bases WHERE knowledge_base_id = $1', [id])).rowCount !== 0;
    const { seconds } = await timed(async () => {
      while (await isLeft()) await delay(POLL_MS);
    });
    report.figure({ name: 'delete a knowledge base: everything gone after', value: seconds, unit: 's' });
    const vacuumed = await timed(() => client.query('VACUUM'));
    report.figure({ name: 'delete a knowledge base: vacuum', value: vacuumed.seconds, unit: 's' });
    const { bytes } = await readTables(client);
    report.figure({ name: 'delete a knowledge base: disk left', value: bytes / MEBIBYTE, unit: 'MiB' });
  });
}

/** Measures each number of knowledge bases, with a service of its own. */
export async function measureLarge(report: Report, plan: LargePlan): Promise<void> {
  const { passages, knowledgeBases, data, seconds } = plan;
  for (const count of knowledgeBases) {
    const name = (figure: string) =>
      `${passages.toLocaleString('en')} in ${count.toLocaleString('en')}: ${figure}`;
    const named: Report = {
      ...report,
      figure(figure) {
        report.figure({ ...figure, name: name(figure.name) });
        // At once as well: the whole run takes an hour.
        report.progress(`${figure.name}: ${formatNumber(figure.value)} ${figure.unit}`);
      },
      note: (text) => report.note(name(text)),
    };
    await withFilled(named, { passages, count, data }, async (filled) => {
      const trial = { ...filled, report: named, queries: drawQueries(passages, SEED), seconds };
      const service = await measureStart(trial);
      await measureSearches(trial, service);
      await measureDeletion(trial, service);
      await measureBackup(trial);
      await measureReplacement(trial, service);
      await measurePurge(trial, service);
      await service.stop();
    });
  }
}
