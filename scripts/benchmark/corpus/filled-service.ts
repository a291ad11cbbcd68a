/** A service with a large corpus, which is imported once and kept for further runs. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readResidentBytes } from '../../../contract-tests/harness/machine/processes.ts';
import { withServiceDatabase } from '../../../contract-tests/harness/service/service-database.ts';
import {
  type RunningService,
  removeDataDirectory,
  startService,
  withEmbeddedDirectory,
} from '../../../contract-tests/harness/service/service-process.ts';
import type { Report } from '../measuring/figures.ts';
import { findPostgresProcesses, readProcessorUse, readSharedOnceBytes } from '../measuring/processor-use.ts';
import { createParts, importStretch, settle } from './corpus-import.ts';

/** `ids`: the knowledge bases in the order of their passages. */
export type Filled = { dataDirectory: string; passages: number; ids: string[] };

/** Written at last, so that an interrupted import is not taken for a whole one. */
const MARKER = 'corpus.json';
const SAMPLE_MS = 1_000;
const MEBIBYTE = 2 ** 20;

/** Watches the memory of a service, until the returned function is called: the most of its server and of PostgreSQL. */
function watchMemory({ pid }: RunningService): () => { server: number; postgres: number } {
  const most = { server: 0, postgres: 0 };
  const timer = setInterval(() => {
    most.server = Math.max(most.server, readResidentBytes(pid));
    most.postgres = Math.max(most.postgres, readSharedOnceBytes(findPostgresProcesses(pid)));
  }, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return most;
  };
}

/** Adds the disk space of the tables, their indexes, and the write-ahead log, each for a million passages. */
async function addDiskSpace(report: Report, service: RunningService, passages: number): Promise<void> {
  const sizes = await withServiceDatabase(service, (client) =>
    client.query<{ name: string; bytes: string }>(`
      SELECT relname AS name, pg_relation_size(oid) + coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0) AS bytes
      FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i') AND relpages > 1000
      UNION ALL SELECT 'database', pg_database_size(current_database()) ORDER BY bytes DESC`),
  );
  for (const { name, bytes } of sizes.rows) {
    const value = ((Number(bytes) / MEBIBYTE) * 1_000_000) / passages;
    report.figure({ name: `disk for a million passages: ${name}`, value, unit: 'MiB' });
  }
}

/** Imports the corpus, and reports what that takes. */
async function fill(
  report: Report,
  service: RunningService,
  { passages, count }: { passages: number; count: number },
): Promise<string[]> {
  report.progress(`imports ${passages} passages into ${count} knowledge bases`);
  const ids = await createParts(service, count);
  const endWatch = watchMemory(service);
  const before = readProcessorUse([service.pid]);
  const seconds = await importStretch(service, { first: 0, end: passages, knowledgeBaseIds: ids });
  const { mergeSeconds, vacuumSeconds } = await withServiceDatabase(service, settle);
  const used = readProcessorUse([service.pid]);
  const memory = endWatch();
  const figure = (name: string, value: number, unit: string) => report.figure({ name, value, unit });
  const perMillion = 1_000_000 / passages;
  figure('imported', passages / seconds, 'passages/s');
  figure('CPU for a million passages: servers', (used.servers - before.servers) * perMillion, 's');
  figure('CPU for a million passages: PostgreSQL', (used.database - before.database) * perMillion, 's');
  figure('statistics merged after', mergeSeconds, 's');
  figure('vacuum', vacuumSeconds, 's');
  figure('memory of the server, most', memory.server / MEBIBYTE, 'MiB');
  figure('memory of PostgreSQL, most', memory.postgres / MEBIBYTE, 'MiB');
  await addDiskSpace(report, service, passages);
  return ids;
}

async function fillDirectory(
  report: Report,
  dataDirectory: string,
  plan: { passages: number; count: number },
): Promise<Filled> {
  const service = await startService(dataDirectory);
  try {
    const ids = await fill(report, service, plan);
    await writeFile(join(dataDirectory, MARKER), JSON.stringify(ids));
    return { dataDirectory, passages: plan.passages, ids };
  } finally {
    await service.stop();
  }
}

/** The corpus of a kept data directory; undefined where no import has ended. */
async function readKept(dataDirectory: string): Promise<string[] | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDirectory, MARKER), 'utf8')) as string[]; // written above
  } catch {
    return undefined;
  }
}

/**
 * Runs `use` with a data directory that has this many passages in `count` knowledge bases, and that `use` may change.
 * With `data`, the corpus is kept in that folder, and a later run begins with a copy of it.
 */
export async function withFilled(
  report: Report,
  { passages, count, data }: { passages: number; count: number; data: string | undefined },
  use: (filled: Filled) => Promise<void>,
): Promise<void> {
  if (data === undefined) {
    await withEmbeddedDirectory(async (directory) =>
      use(await fillDirectory(report, directory, { passages, count })),
    );
    return;
  }
  const kept = join(data, `${passages}-in-${count}`);
  let ids = await readKept(kept);
  if (ids === undefined) {
    await rm(kept, { recursive: true, force: true });
    await mkdir(kept, { recursive: true });
    ({ ids } = await fillDirectory(report, kept, { passages, count }));
  }
  // A directory of its own for each run, since several may use the corpus at once.
  const dataDirectory = await mkdtemp(`${kept}-trial-`);
  // Unlike Node's own copy, it keeps the owner: as root, PostgreSQL's files belong to another account.
  await promisify(execFile)('cp', ['-a', '--reflink=auto', `${kept}/.`, dataDirectory]);
  await use({ dataDirectory, passages, ids }).finally(() => removeDataDirectory(dataDirectory));
}
