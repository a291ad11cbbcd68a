/**
 * What a large deployment takes: its import, start, searches alone and beside imports, deletions, backup and restore,
 * and what vacuum leaves after a fifth of the documents was replaced.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../../contract-tests/harness/service/command-line.ts';
import {
  call,
  type RunningService,
  startService,
  withEmbeddedDirectory,
} from '../../../contract-tests/harness/service/service-process.ts';
import { withFilled } from '../corpus/filled-service.ts';
import { drawQueries } from '../corpus/query-mix.ts';
import { createDocuments, type LoadResult, measureLoops } from '../load/load.ts';
import { formatNumber, type Report } from '../measuring/figures.ts';
import { measurePurge, measureReplacement } from './changes.ts';
import { deleteDocument, nextSearch, readDocuments, type Trial, timed } from './trial.ts';

/** `knowledgeBases`: numbers of them that hold the same passages, in turn. `data`: a folder that keeps the corpora. */
export type LargePlan = {
  passages: number;
  knowledgeBases: number[];
  data: string | undefined;
  seconds: number;
};

/** Each query is asked once in all steps. */
const SEED = 11;
const WARM_UP_SECONDS = 10;
const LOOPS = { connections: 1, perSecond: 10 };
const IMPORTS_PER_SECOND = 2;
/** Deletions whose median is taken. */
const DELETIONS = 20;
const MEBIBYTE = 2 ** 20;

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

/** Backs up the running service, and restores the backup into a new directory. */
async function measureBackup({ report, dataDirectory }: Trial): Promise<void> {
  await withEmbeddedDirectory(async (folder) => {
    report.progress('backup');
    const backup = await timed(() => runCommand(dataDirectory, 'backup', join(folder, 'backup.tar.zst')));
    const { size } = await stat(backup.result);
    report.figure({ name: 'backup', value: backup.seconds, unit: 's' });
    report.figure({ name: 'backup: size', value: size / MEBIBYTE, unit: 'MiB' });
    report.progress('restore');
    const restored = await withEmbeddedDirectory((fresh) =>
      timed(() => runCommand(fresh, 'restore', backup.result)),
    );
    report.figure({ name: 'restore', value: restored.seconds, unit: 's' });
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
