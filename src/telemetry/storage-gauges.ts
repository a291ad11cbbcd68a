/** Gauges of what the deployment stores. They are measured once in a while, not at each scrape. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { singleFlight } from '../concurrency/single-flight.ts';
import type { StorageFigures } from './telemetry.ts';

/** Sizes change slowly, and to read them costs the database some milliseconds. */
const LEAST_INTERVAL_MS = 60_000;

/** How long a scrape waits for a measurement. */
const TIMEOUT_MS = 1_000;

/** Creates the gauges, and returns the function that sets them. They are empty after a failed measurement. */
function createGauges(prefix: string, registers: Registry[]): (figures: StorageFigures | undefined) => void {
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: prefix + name, help, labelNames, registers });
  const stored = {
    knowledgeBases: gauge('knowledge_bases', 'Knowledge bases of all accounts.'),
    documents: gauge('documents', 'Documents of all accounts.'),
    passages: gauge('passages', 'Passages of all accounts.'),
    documentBytes: gauge('document_bytes', 'Bytes of all documents: the originals of files, and texts.'),
    databaseBytes: gauge('database_size_bytes', 'Size of the database on its disk.'),
  };
  const tables = gauge('table_size_bytes', 'Size of a table on disk, with its indexes.', ['table']);
  const pages = new Counter({
    name: `${prefix}database_pages_read_total`,
    help: "Pages that statements have read, from PostgreSQL's cache or from outside of it (disk).",
    labelNames: ['source'],
    registers,
  });
  const moves = gauge('shard_moves', 'Shards that Citus moves to other servers, in its last rebalancing.', [
    'state',
  ]);
  return (figures) => {
    for (const each of [...Object.values(stored), tables, pages, moves]) each.reset();
    // A gauge without labels shows 0 after its reset.
    for (const each of Object.values(stored)) if (figures === undefined) each.remove();
    if (figures === undefined) return;
    for (const [name, each] of Object.entries(stored)) each.set(figures[name as keyof typeof stored]); // its own keys
    for (const { table, bytes } of figures.tables) tables.set({ table }, bytes);
    for (const [source, count] of Object.entries(figures.pagesRead)) pages.inc({ source }, count);
    for (const [state, count] of Object.entries(figures.moves ?? {})) moves.set({ state }, count);
  };
}

/** Returns a function to call before each scrape: it measures when the last measurement has become old. */
export function gaugeStorage(
  readStorage: () => Promise<StorageFigures>,
  { prefix, registers }: { prefix: string; registers: Registry[] },
): () => Promise<void> {
  const show = createGauges(prefix, registers);
  const age = new Gauge({
    name: `${prefix}storage_age_seconds`,
    help: 'Time since the sizes of tables and database, and the numbers of documents and passages, were measured.',
    registers,
  });
  let measuredAtMs = Number.NEGATIVE_INFINITY;
  const measure = singleFlight(async () => {
    const figures = await readStorage().catch(() => undefined);
    show(figures);
    if (figures !== undefined) measuredAtMs = performance.now();
  }, TIMEOUT_MS);
  return async () => {
    // After a time-out the old figures stay until the measurement ends.
    if (performance.now() - measuredAtMs >= LEAST_INTERVAL_MS) await measure().catch(() => {});
    if (measuredAtMs > 0) age.set((performance.now() - measuredAtMs) / 1000);
    else age.remove();
  };
}
