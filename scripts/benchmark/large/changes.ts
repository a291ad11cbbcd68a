/** Changes of a large service beside searches: a fifth of the documents replaced, a whole knowledge base deleted. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { withServiceDatabase } from '../../../contract-tests/harness/service/service-database.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
} from '../../../contract-tests/harness/service/service-process.ts';
import type { SearchResult } from '../../../generated/types.gen.ts';
import { inParallel } from '../../../src/concurrency/in-parallel.ts';
import { importStretch, prepareStretch, settle } from '../corpus/corpus-import.ts';
import { send } from '../load/deployment.ts';
import { ANSWERED } from '../load/loops.ts';
import {
  deleteDocument,
  nextSearch,
  readDocuments,
  searchAlone,
  searchBeside,
  type Trial,
  timed,
} from './trial.ts';

/** The share of the documents that are deleted, while as many passages are imported. */
const REPLACED_SHARE = 0.2;
/** Imported in place of deleted documents: passages from here on, which no corpus reaches. */
const REPLACED_FROM = 50_000_000;
const DELETING_CLIENTS = 2;
/** A knowledge base to search while the only one is purged: its size, and its passages from here on. */
const OTHER_PASSAGES = 10_000;
const OTHER_FROM = 60_000_000;
const POLL_MS = 500;
/** Autovacuum looks once a minute by default. */
const VACUUM_SECONDS = 180;
const MEBIBYTE = 2 ** 20;

/** Rows that wait for vacuum, all rows, and the bytes of the database and of the larger tables with their indexes. */
type Tables = { dead: number; live: number; bytes: Record<string, number> };

async function readTables(client: pg.Client): Promise<Tables> {
  const { rows } = await client.query<{ name: string; bytes: string; dead: string; live: string }>(`
    SELECT relname AS name, pg_total_relation_size(relid) AS bytes, n_dead_tup AS dead, n_live_tup AS live
    FROM pg_stat_user_tables WHERE schemaname = 'public' AND pg_total_relation_size(relid) > ${64 * MEBIBYTE}
    UNION ALL SELECT 'database', pg_database_size(current_database()), 0, 0 ORDER BY name`);
  const sum = (column: 'dead' | 'live') => rows.reduce((total, row) => total + Number(row[column]), 0);
  const bytes = Object.fromEntries(rows.map((row) => [row.name, Number(row.bytes)]));
  return { dead: sum('dead'), live: sum('live'), bytes };
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

/** Chooses documents to delete, and makes others. Returns the function that replaces these by those. */
async function prepareReplacement(
  { ids, passages, report }: Trial,
  service: RunningService,
): Promise<() => Promise<unknown>> {
  const all: string[] = [];
  for (const id of ids) all.push(...(await readDocuments(service, id)));
  const chosen = all.filter((_, i) => i % Math.round(1 / REPLACED_SHARE) === 0);
  report.progress(`replaces ${chosen.length} of ${all.length} documents`);
  const end = REPLACED_FROM + Math.round(passages * REPLACED_SHARE);
  const importOthers = prepareStretch({ first: REPLACED_FROM, end, knowledgeBaseIds: ids });
  return () =>
    Promise.all([
      inParallel(chosen, DELETING_CLIENTS, (id) => deleteDocument(service, id)),
      importOthers(service),
    ]);
}

/** Replaces documents while queries arrive, and measures what is left to vacuum, and searches meanwhile and after. */
export async function measureReplacement(trial: Trial, service: RunningService): Promise<void> {
  const { report } = trial;
  const place = { trial, service };
  const next = () => nextSearch(trial);
  const name = `replacing ${100 * REPLACED_SHARE} %`;
  await withServiceDatabase(service, async (client) => {
    await client.query('VACUUM');
    const before = await readTables(client);
    const replace = await prepareReplacement(trial, service);
    await searchAlone(place, { name: `${name}: searches before`, next });
    const { seconds } = await searchBeside(place, { name: `${name}: searches meanwhile`, next }, () =>
      timed(replace),
    );
    report.figure({ name: `${name} took`, value: seconds, unit: 's' });
    const after = await readTables(client);
    report.figure({ name: `${name}: dead rows`, value: (100 * after.dead) / after.live, unit: '% of all' });
    const vacuumed = await searchBeside(place, { name: `${name}: searches during autovacuum`, next }, () =>
      awaitVacuum(client),
    );
    report.figure({ name: `${name}: autovacuum done after`, value: vacuumed, unit: 's' });
    await settle(client);
    await searchAlone(place, { name: `${name}: searches after vacuum`, next });
    const { bytes } = await readTables(client);
    for (const [table, size] of Object.entries(bytes)) {
      report.figure({
        name: `${name}: ${table} before`,
        value: (before.bytes[table] ?? 0) / MEBIBYTE,
        unit: 'MiB',
      });
      report.figure({ name: `${name}: ${table} after`, value: size / MEBIBYTE, unit: 'MiB' });
    }
  });
}

/** @throws if searches still find anything of the deleted knowledge base */
async function expectGone(trial: Trial, service: RunningService, knowledgeBaseId: string): Promise<void> {
  const { query } = nextSearch(trial);
  const named = await send(service, 'query', { query, knowledgeBaseIds: [knowledgeBaseId] });
  if (named === ANSWERED) throw new Error('a deleted knowledge base can be searched');
  const found = await call<SearchResult[]>(service, 'query', { query, limit: 50 });
  if (found.some((result) => result.knowledge_base_id === knowledgeBaseId))
    throw new Error('a search finds passages of a deleted knowledge base');
}

/** Imports another knowledge base, and returns its id. */
async function importOther(service: RunningService): Promise<string> {
  const other = await createKnowledgeBase(service, 'Other');
  const end = OTHER_FROM + OTHER_PASSAGES;
  await importStretch(service, { first: OTHER_FROM, end, knowledgeBaseIds: [other] });
  return other;
}

/** Deletes the first knowledge base, and waits until nothing of it is left, while another is searched. */
export async function measurePurge(trial: Trial, service: RunningService): Promise<void> {
  const { report, ids } = trial;
  const [id = '', second] = ids;
  // A thousand are an account's limit.
  const other = second ?? (await importOther(service));
  const place = { trial, service };
  const next = () => ({ ...nextSearch(trial), knowledgeBaseIds: [other] });
  const name = 'delete a knowledge base';
  await withServiceDatabase(service, async (client) => {
    await settle(client);
    await searchAlone(place, { name: `${name}: searches of another before`, next });
    report.progress('deletes a knowledge base');
    const deleted = await timed(() => call(service, 'deleteKnowledgeBase', { knowledgeBaseId: id }));
    report.figure({ name, value: deleted.seconds * 1000, unit: 'ms' });
    await expectGone(trial, service, id);
    const isLeft = async () =>
      (await client.query('SELECT FROM knowledge_bases WHERE knowledge_base_id = $1', [id])).rowCount !== 0;
    const { seconds } = await searchBeside(
      place,
      { name: `${name}: searches of another meanwhile`, next },
      () =>
        timed(async () => {
          while (await isLeft()) await delay(POLL_MS);
        }),
    );
    report.figure({ name: `${name}: everything gone after`, value: seconds, unit: 's' });
    const vacuumed = await timed(() => client.query('VACUUM'));
    report.figure({ name: `${name}: vacuum`, value: vacuumed.seconds, unit: 's' });
    const { bytes } = await readTables(client);
    report.figure({ name: `${name}: disk left`, value: (bytes.database ?? 0) / MEBIBYTE, unit: 'MiB' });
  });
}
