/** What is measured of a knowledge base with vectors of a model: imports, queries, and the bytes of its rows. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { withServiceDatabase } from '../../../contract-tests/harness/service/service-database.ts';
import type { RunningService } from '../../../contract-tests/harness/service/service-process.ts';
import type { SearchMode } from '../../../generated/types.gen.ts';
import type { VectorGeneration } from '../../../src/database/rows/vector-generations.ts';
import type { ModelSpace } from '../../../src/meaning/model/model-space.ts';
import { importStretch } from '../corpus/corpus-import.ts';
import { askAll } from '../measuring/ask.ts';
import { formatNumber, type Report } from '../measuring/figures.ts';
import { readProcessorUse } from '../measuring/processor-use.ts';

/** Passages that are imported to measure how fast that is. */
const LATER = 500;
const POLL_MS = 50;
const MEBIBYTE = 2 ** 20;

/**
 * `passages`: all that are there. `imported`: the passages of the corpus so far. `queries`: each is asked once, `count`
 * of them in each measurement.
 */
export type Trial = {
  report: Report;
  service: RunningService;
  own: VectorGeneration;
  space: ModelSpace;
  passages: number;
  imported: number;
  knowledgeBaseId: string;
  queries: Iterator<{ text: string }, never>;
  count: number;
};

/** Adds a figure, and tells it at once: with a million passages the others take long. */
export function tellFigure(
  { report }: Pick<Trial, 'report'>,
  name: string,
  value: number,
  unit: string,
): void {
  report.figure({ name, value, unit });
  report.progress(`${name}: ${formatNumber(value)} ${unit}`);
}

/** Seconds of processor time so far of the service and of its PostgreSQL, which may be a child of this process. */
const readCpu = ({ service }: Trial): number =>
  readProcessorUse([service.pid]).servers + readProcessorUse([process.pid]).database;

/** Waits until all documents have their vectors. */
export async function untilEmbedded(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT FROM documents_without_vectors LIMIT 1');
    if (rows.length === 0) return;
    await delay(POLL_MS);
  }
}

/** Imports passages, and waits for their vectors. */
export async function measureImports(trial: Trial, name: string): Promise<void> {
  const { service, knowledgeBaseId, imported: first } = trial;
  trial.imported += LATER;
  const [startedAtMs, cpu] = [performance.now(), readCpu(trial)];
  const stretch = { first, end: first + LATER, knowledgeBaseIds: [knowledgeBaseId] };
  const seconds = await importStretch(service, stretch);
  await withServiceDatabase(service, untilEmbedded);
  const allSeconds = (performance.now() - startedAtMs) / 1000;
  tellFigure(trial, `${name}: answered`, LATER / seconds, 'passages/s');
  tellFigure(trial, `${name}: with their vectors`, LATER / allSeconds, 'passages/s');
  tellFigure(trial, `${name}: CPU of a passage`, (1000 * (readCpu(trial) - cpu)) / LATER, 'ms');
}

/** Asks one query after another, each for the first time. */
export async function measureQueries(trial: Trial, name: string, mode: SearchMode): Promise<void> {
  const { service, knowledgeBaseId, count } = trial;
  const draw = (queries: number) =>
    Array.from({ length: queries }, () => ({
      query: trial.queries.next().value.text,
      knowledgeBaseIds: [knowledgeBaseId],
      mode,
    }));
  await askAll(service, draw(count / 4), { clients: 1, label: 'warming up' });
  const searches = draw(count);
  const cpu = readCpu(trial);
  const { answers } = await askAll(service, searches, { clients: 1, label: name });
  const used = readCpu(trial) - cpu;
  const times = answers.map(({ milliseconds }) => milliseconds);
  tellFigure(trial, `${name}: p50`, percentile(times, 0.5), 'ms');
  tellFigure(trial, `${name}: p95`, percentile(times, 0.95), 'ms');
  tellFigure(trial, `${name}: CPU`, (1000 * used) / count, 'ms');
  const warned = answers.filter(({ isWarned }) => isWarned).length;
  if (warned > 0) trial.report.note(`${name}: ${warned} of ${count} answers were by words alone.`);
}

/** The size of the vectors, of their indexes, and of all else. */
export async function measureSizes(trial: Trial): Promise<void> {
  const { rows } = await withServiceDatabase(trial.service, (client) =>
    client.query<{ name: string; bytes: number }>(`
      SELECT CASE WHEN relname ~ '^passage_vectors_near' THEN 'index of pgvector'
          WHEN relname = 'passage_vectors' THEN 'vectors'
          WHEN relname ~ '^passage_vectors' THEN 'key of the vectors' ELSE 'all other tables and indexes' END AS name,
        sum(pg_relation_size(oid) + coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0))::float8 AS bytes
      FROM pg_class
      WHERE relkind IN ('r', 'i')
        AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'passage_vectors'::regclass)
      GROUP BY 1 ORDER BY 2 DESC`),
  );
  for (const { name, bytes } of rows) tellFigure(trial, `size: ${name}`, bytes / MEBIBYTE, 'MiB');
}
