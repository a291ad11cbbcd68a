/**
 * All locks have one order, which src/database/README.md lists: so no two transactions wait for each other. Each
 * operation that writes waits here for a lock of each rank that it takes, and holds no lock of a later rank meanwhile.
 * Not on Citus, where a server sees only its own locks.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { repairStatistics } from '../admin/check-statistics.ts';
import { createDatabase, type Database } from '../database/connection/database.ts';
import { createPool } from '../database/connection/pool.ts';
import { enqueueOnce } from '../database/rows/jobs.ts';
import { isCitus } from '../database/testing/new-database.ts';
import { createMigratedDatabase } from '../database/testing/test-database.ts';
import { recordHash } from '../files/files.ts';
import { mergeFrequencyDeltas } from '../indexing/postings/document-frequencies.ts';
import { collectGarbage } from '../jobs/collect-garbage.ts';
import { giveUpImport, importFile } from '../jobs/importing/import-file.ts';
import { purgeKnowledgeBase } from '../jobs/purge-knowledge-base.ts';
import { startDeliveries } from '../outbound/webhooks/deliver.ts';
import { type Rank, ranksOf } from './testing/lock-ranks.ts';
import { type LockedThings, makeThings } from './testing/locked-things.ts';
import { type Operation, REPLACED, REQUESTS } from './testing/locking-requests.ts';
import { startTestService, type TestService } from './testing/test-service.ts';

let suite: TestService;
/** Sessions of the test: one holds a lock, the other looks for the locks of the operation. */
let sessions: Database;
const stops: (() => Promise<void>)[] = [];
/** Accepts all events. */
const receiver = createServer((_request, response) => response.end());

beforeAll(async () => {
  const { connection, drop } = await createMigratedDatabase();
  sessions = createDatabase(createPool(connection, 4, () => {}));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const settings = { WEBHOOK_PRIVATE_NETWORKS: 'allow', WEBHOOK_LIMIT: '5' };
  suite = await startTestService({ connection, settings, runsWorkers: false });
  stops.push(suite.close, () => sessions.destroy(), drop);
});
afterAll(async () => {
  receiver.close();
  for (const stop of stops) await stop();
});

const database = () => suite.service.database;
const attempt = <Payload>(payload: Payload) => ({ payload, signal: new AbortController().signal });
const pending = ({ knowledgeBaseId, pendingId: id }: LockedThings) => attempt({ knowledgeBaseId, id });

const OPERATIONS: Record<string, Operation> = {
  ...REQUESTS,
  'job: import of a file': {
    waits: ['knowledge base', 'imported document', ...REPLACED],
    things: { isPending: true },
    run: (things) => importFile(suite.service, pending(things)),
  },
  'job: failed import': {
    waits: ['knowledge base', 'imported document'],
    things: { isPending: true },
    run: (things) => giveUpImport(suite.service, pending(things)),
  },
  'job: hash of a direct upload': {
    waits: ['document', 'file of a document'],
    async run({ knowledgeBaseId, currentId }) {
      const file = database().selectFrom('files').select('id').where('document_id', '=', currentId);
      const { id } = await file.executeTakeFirstOrThrow();
      await recordHash(database(), { knowledgeBaseId, id }, Buffer.from('bytes'));
    },
  },
  'job: purge': {
    waits: ['knowledge base', 'merged counts', 'document', 'counters', 'file of a document'],
    async run({ knowledgeBaseId }) {
      await purgeKnowledgeBase(suite.service, attempt({ knowledgeBaseId }));
    },
  },
  'job: garbage collection': {
    waits: ['uploaded file'],
    run: () => collectGarbage(suite.service, attempt({})),
  },
  'job: index maintenance': { waits: ['counters'], run: () => mergeFrequencyDeltas(database()) },
  'job: delivery of events': { waits: ['webhook'], run: deliver },
  'fsck --repair': {
    waits: ['knowledge base', 'merged counts', 'document', 'counters'],
    run: ({ knowledgeBaseId }) => repairStatistics(database(), knowledgeBaseId),
  },
};

/** What an operation needs beyond the things of all. */
const PREPARED: Record<string, (things: LockedThings) => Promise<unknown>> = {
  // Its failed import is a job that has not ended yet.
  async retryDocument({ currentId, accountId, knowledgeBaseId }) {
    await sql`UPDATE documents SET status = 'failed', error_code = 'X', error_message = 'x', passage_count = 0
      WHERE id = ${currentId}`.execute(database());
    await enqueueOnce(database(), { queue: 'import-file', accountId, knowledgeBaseId, id: currentId });
  },
  // One statement removes files with and without a document, which nobody locks in a deleted knowledge base.
  async 'job: purge'({ knowledgeBaseId, fileId }) {
    await database().deleteFrom('files').where('id', '=', fileId).execute();
    await sql`UPDATE knowledge_bases SET deleted_at = now() WHERE knowledge_base_id = ${knowledgeBaseId}`.execute(
      database(),
    );
  },
  'job: garbage collection': ({ fileId }) =>
    sql`UPDATE files SET expires_at = now() - interval '8 days' WHERE id = ${fileId}`.execute(database()),
  'job: delivery of events': ({ webhookId, accountId, knowledgeBaseId }) =>
    sql`INSERT INTO webhook_events (webhook_id, account_id, id, type, knowledge_base_id, data, created_at, due_at)
      VALUES (${webhookId}, ${accountId}, gen_random_uuid(), 'document.processed', ${knowledgeBaseId}, '{}', now(),
        now())`.execute(database()),
};

const receiverUrl = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

/** Delivers until the webhook's events are gone. */
async function deliver({ webhookId }: LockedThings): Promise<void> {
  const { config, telemetry, log } = suite.service;
  const context = { database: database(), rules: config, retrySeconds: 60, telemetry, log };
  const deliveries = startDeliveries(context);
  const waiting = database().selectFrom('webhook_events').select('id').where('webhook_id', '=', webhookId);
  await vi.waitUntil(async () => (await waiting.executeTakeFirst()) === undefined, { timeout: 60_000 });
  await deliveries.stop();
}

/**
 * Finds the backend that waits for a lock of the backend `holder`; undefined: none does. An import waits for its
 * external id by trying again: it waits when a second try is seen.
 */
function createFindWaiting(holder: number): () => Promise<number | undefined> {
  const tries = new Set<number>();
  return async () => {
    const { rows } = await sql<{ pid: number; isBlocked: boolean; begunAt: Date }>`
      SELECT pid, ${holder}::integer = ANY (pg_blocking_pids(pid)) AS "isBlocked", query_start AS "begunAt"
      FROM pg_stat_activity
      WHERE datname = current_database() AND pid NOT IN (${holder}::integer, pg_backend_pid()) AND (
        ${holder}::integer = ANY (pg_blocking_pids(pid))
        OR (state = 'idle in transaction' AND query LIKE '%pg_try_advisory_xact_lock%::text%'))`.execute(
      sessions,
    );
    const [found] = rows;
    if (found && !found.isBlocked) tries.add(found.begunAt.getTime());
    return found?.isBlocked || tries.size > 1 ? found?.pid : undefined;
  };
}

/** Whether `running` has ended. @throws its error */
async function hasEnded(running: Promise<unknown>): Promise<boolean> {
  const ended = Symbol('not ended');
  return (await Promise.race([running, Promise.resolve(ended)])) !== ended;
}

/**
 * Runs an operation while another session holds locks of these ranks.
 * @returns undefined if it ends, or the later ranks of which it holds a lock while it waits
 */
async function runAgainst(name: string, held: string[]): Promise<string[] | undefined> {
  const { things: given, run } = OPERATIONS[name] as Operation;
  const things = await makeThings(suite, { ...given, receiver: receiverUrl() });
  await PREPARED[name]?.(things);
  const ranks = await ranksOf(things, sessions);
  const holder = await sessions.startTransaction().execute();
  for (const rank of ranks) if (held.includes(rank.name)) await rank.hold(holder);
  const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(holder);
  const findWaiting = createFindWaiting(rows[0]?.pid ?? 0);
  const running = run(things);
  running.catch(() => {});
  let found: string[] | undefined;
  await vi.waitUntil(
    async () => {
      const waiting = await findWaiting();
      if (waiting !== undefined) found = await laterHeld(ranks, { held, pid: waiting });
      return waiting !== undefined || (await hasEnded(running));
    },
    { timeout: 60_000, interval: 5 },
  );
  await holder.rollback().execute();
  await running;
  return found;
}

/** The names of the ranks after the held ones of which the backend holds a lock. */
async function laterHeld(ranks: Rank[], { held, pid }: { held: string[]; pid: number }): Promise<string[]> {
  const later = ranks.slice(ranks.findLastIndex(({ name }) => held.includes(name)) + 1);
  const found: string[] = [];
  for (const { name, isHeldBy } of later) if (await isHeldBy(pid, sessions)) found.push(name);
  return found;
}

test.skipIf(isCitus).each(Object.entries(OPERATIONS))(
  '%s holds no later lock while it waits',
  async (name, { waits }) => {
    const later: Record<string, string[] | undefined> = {};
    for (const rank of waits) later[rank] = await runAgainst(name, [rank]);
    expect(later).toEqual(Object.fromEntries(waits.map((rank) => [rank, []])));
  },
);

test.skipIf(isCitus).each(Object.entries(OPERATIONS))(
  '%s waits for no lock of another rank',
  async (name, { waits }) => {
    const ranks = await ranksOf(await makeThings(suite, { receiver: receiverUrl() }), sessions);
    const others = ranks.map((rank) => rank.name).filter((rank) => !waits.includes(rank));
    expect(await runAgainst(name, others)).toBeUndefined();
  },
);

const root = join(import.meta.dirname, '../..');

test.skipIf(isCitus)('each operation of the spec that writes is here', () => {
  const spec = load(readFileSync(join(root, 'spec/openapi.yaml'), 'utf8')) as {
    paths: Record<string, { post?: { operationId: string } }>;
  };
  const writing = Object.values(spec.paths).flatMap(({ post }) => post?.operationId ?? []);
  expect(writing).not.toEqual([]);
  expect(writing.filter((operationId) => !(operationId in REQUESTS))).toEqual([]);
});

test.skipIf(isCitus)('the README lists the ranks in their order', async () => {
  const readme = readFileSync(join(root, 'src/database/README.md'), 'utf8');
  const listed = [...readme.matchAll(/^\| \d+ \| \*\*([^*]+)\*\*/gm)].map(([, name]) => name);
  const ranks = await ranksOf(await makeThings(suite, { receiver: receiverUrl() }), sessions);
  expect(listed).toEqual(ranks.map(({ name }) => name));
});
