/** Two servers on a primary and a real streaming replica of it: what one has answered as done, queries of both see. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { examine } from '../../admin/doctor/doctor.ts';
import { createDatabase, type Database } from '../../database/connection/database.ts';
import { createPool } from '../../database/connection/pool.ts';
import { migrateOver } from '../../database/migrations/migrate.ts';
import { readPosition } from '../../database/replica/position.ts';
import { openReadReplica } from '../../database/replica/read-replica.ts';
import type { ReplicaUse } from '../../database/replica/switch.ts';
import { startReplicatedPostgres } from '../../embedded-postgres/testing/replicated-postgres.ts';
import { generateApiKey } from '../../terms/api-key.ts';
import { startTestService, type TestService } from '../testing/test-service.ts';

const KEY = generateApiKey();
/** For the end of a replica, a check, and a busy machine. */
const SOON = { timeout: 60_000, interval: 20 };

let postgres: Awaited<ReturnType<typeof startReplicatedPostgres>>;
let importing: TestService;
let querying: TestService;
let knowledgeBaseId: string;

const startServer = (readUrl: string, url = postgres.primary.url): Promise<TestService> =>
  startTestService({
    connection: { connectionString: url },
    settings: {
      WORD_VECTORS: 'on',
      DATABASE_URL: url,
      DATABASE_READ_URL: readUrl,
      BOOTSTRAP_API_KEY: KEY,
      METRICS_TOKEN: 'token-of-the-test',
    },
  });

beforeAll(async () => {
  postgres = await startReplicatedPostgres();
  importing = await startServer(postgres.replica.url);
  querying = await startServer(postgres.replica.url);
  const { body } = await importing.call('createKnowledgeBase', { name: 'Replicated' });
  knowledgeBaseId = String(body.data.id);
  await query('the first query waits for both servers');
});
afterAll(async () => {
  await querying?.close();
  await importing?.close();
  await postgres.remove();
});

/** Imports a text at one server. Returns its id. */
async function importText(content: string): Promise<string> {
  const { body } = await importing.call('importTextContent', { knowledgeBaseId, title: 'T', content });
  expect(body.data.status).toBe('processed');
  return String(body.data.id);
}

/** Whether a statement ranks passages: by words alone, or with their meaning. */
const isRanking = (name: string): boolean => /^ranked_/.test(name);

/** Queries the other server. Returns the ids of the documents found, and whether the replica has ranked them. */
async function query(text: string): Promise<{ found: unknown[]; isByReplica: boolean }> {
  const before = postgres.replica.executed.length;
  const { status, body } = await querying.call('query', { query: text });
  expect([status, body.message]).toEqual([200, undefined]);
  const found = (body.data as unknown as { document_id: string }[]).map(({ document_id: id }) => id);
  return { found, isByReplica: postgres.replica.executed.slice(before).some(isRanking) };
}

const onReplica = async (statement: string) => {
  const client = new pg.Client({ connectionString: postgres.replica.url });
  await client.connect();
  return await client.query(statement).finally(() => client.end());
};

const countVectorsOnReplica = async (documentId: string): Promise<number> =>
  (
    await onReplica(
      `SELECT count(*)::integer AS count FROM knowledge_retrieval.passage_vectors WHERE document_id ` +
        `= '${documentId.split('_')[1]}'`,
    )
  ).rows[0]?.count;

/** Runs `act` while the replica replays nothing. */
async function whileHeldBack(act: () => Promise<void>): Promise<void> {
  await onReplica('SELECT pg_wal_replay_pause()');
  const isPaused = async () =>
    (await onReplica('SELECT pg_get_wal_replay_pause_state() AS state')).rows[0]?.state;
  await expect.poll(isPaused, SOON).toBe('paused');
  await act().finally(() => onReplica('SELECT pg_wal_replay_resume()'));
}

/** Waits until queries run on the replica. */
const untilOnReplica = (): Promise<void> =>
  expect.poll(async () => (await query('anything')).isByReplica, SOON).toBe(true);

test('each query sees what another server has imported and deleted before it', async () => {
  await untilOnReplica();
  let byReplica = 0;
  for (let i = 0; i < 20; i++) {
    const id = await importText(`bridge number${i}`);
    const imported = await query(`number${i}`);
    expect(imported.found).toEqual([id]);
    if (imported.isByReplica) expect(await countVectorsOnReplica(id)).toBe(1);
    await importing.call('deleteDocument', { documentId: id });
    const deleted = await query(`number${i}`);
    expect(deleted.found).toEqual([]);
    if (deleted.isByReplica) expect(await countVectorsOnReplica(id)).toBe(0);
    byReplica += Number(imported.isByReplica) + Number(deleted.isByReplica);
  }
  expect(byReplica).toBeGreaterThan(0);
});

test('the primary answers for a replica that is held back, until it has caught up', async () => {
  const id = await importText('lighthouse');
  await untilOnReplica();
  await whileHeldBack(async () => {
    const later = await importText('lighthouse keeper');
    expect(new Set((await query('lighthouse')).found)).toEqual(new Set([id, later]));
    await importing.call('deleteDocument', { documentId: id });
    expect(await query('lighthouse')).toEqual({ found: [later], isByReplica: false });
    const { text } = (await querying.service.metrics?.expose()) ?? { text: '' };
    expect(text).toMatch(/^knowledge_retrieval_replica_in_use 0$/m);
    expect(text).toMatch(/^knowledge_retrieval_replica_lag_bytes [1-9]/m);
    expect(text).toMatch(/^knowledge_retrieval_queries_total\{database="primary"\} [1-9]/m);
  });
  await untilOnReplica();
  expect((await query('lighthouse')).found).toHaveLength(1);
});

test('a query on the replica is paid on the primary, once', async () => {
  await untilOnReplica();
  const { database } = querying.service;
  const balanceOf = async () =>
    (await database.selectFrom('account_balances').select('credits').executeTakeFirstOrThrow()).credits;
  const before = await balanceOf();
  let queries = 0;
  const queryOnReplica = async () => {
    queries++;
    return (await query('lighthouse')).isByReplica;
  };
  await expect.poll(queryOnReplica, SOON).toBe(true);
  expect(before - (await balanceOf())).toBe(queries);
});

test('no request fails when the replica crashes under load, and queries return to it', async () => {
  await untilOnReplica();
  let [isOver, answered] = [false, 0];
  const keepQuerying = async () => {
    for (; !isOver; answered++) await query('lighthouse');
  };
  const load = Promise.all(Array.from({ length: 8 }, keepQuerying));
  await expect.poll(() => answered, SOON).toBeGreaterThan(50);
  await postgres.replica.end('SIGQUIT');
  const atCrash = answered;
  await expect.poll(() => answered, SOON).toBeGreaterThan(atCrash + 50);
  await postgres.replica.start();
  await expect.poll(() => postgres.replica.executed.slice(-50).some(isRanking), SOON).toBe(true);
  isOver = true;
  await load;
});

/** Opens the replica as a server does. Returns what it tells besides. */
async function withReplica(
  act: (
    opened: Awaited<ReturnType<typeof openReadReplica>>,
    told: ReplicaUse[],
    primary: Database,
  ) => Promise<void>,
): Promise<void> {
  const told: ReplicaUse[] = [];
  const primary = createDatabase(createPool({ connectionString: postgres.primary.url }, 2, () => {}));
  const opened = await openReadReplica(
    { connectionString: postgres.replica.url },
    { primary, size: 2, onChange: (use) => void told.push(use) },
  );
  try {
    await act(opened, told, primary);
  } finally {
    await opened.close();
    await primary.destroy();
  }
}

test('a read that the replica cancels for the sake of its log is left to the primary', async () => {
  await withReplica(async (replica, _told, primary) => {
    await sql`CREATE TABLE read_by_replica (id integer)`.execute(primary);
    const find = () => readPosition(primary);
    const readOnce = () => replica.read(find, async () => 'read');
    await expect.poll(readOnce, SOON).toEqual({ result: 'read' });
    const conflicting = replica.read(find, async (database) => {
      await sql`SELECT FROM read_by_replica`.execute(database);
      const dropped = sql`DROP TABLE read_by_replica`.execute(primary);
      await sql`SELECT pg_sleep(10)`.execute(database).finally(() => dropped);
    });
    expect(await conflicting).toBeUndefined();
    expect((await replica.readFigures()).isInUse).toBe(true);
    await expect.poll(readOnce, SOON).toEqual({ result: 'read' });
  });
});

test('another database is refused at the start', async () => {
  const others = [
    inject('connection'),
    { connectionString: postgres.replica.url.replace('localhost/postgres', 'localhost/template1') },
  ];
  const primary = createDatabase(createPool({ connectionString: postgres.primary.url }, 2, () => {}));
  for (const other of others) {
    await expect(openReadReplica(other, { primary, size: 2, onChange: () => {} })).rejects.toThrow(
      'DATABASE_READ_URL leads to no replica: it is another database than that of DATABASE_URL.',
    );
  }
  await primary.destroy();
});

test('a DATABASE_URL that leads to the standby is refused, and the doctor sees swapped addresses', async () => {
  await expect(migrateOver({ connectionString: postgres.replica.url }, () => {})).rejects.toThrow(
    'DATABASE_URL leads to a standby, which is read-only. Set DATABASE_URL to the primary.',
  );
  const findProblems = async (DATABASE_READ_URL: string) => {
    const { dataDir: DATA_DIR } = querying.service.config;
    const environment = { DATA_DIR, DATABASE_URL: postgres.replica.url, DATABASE_READ_URL };
    const problems: string[] = [];
    for await (const finding of examine({ environment, server: false, files: false }))
      for (const { problem, isWarning } of finding.problems) if (!isWarning) problems.push(problem);
    return problems;
  };
  const standby = 'DATABASE_URL leads to a standby, which is read-only.';
  expect(await findProblems('')).toEqual([standby]);
  expect(await findProblems(postgres.primary.url)).toEqual([
    standby,
    'DATABASE_URL and DATABASE_READ_URL are swapped: the first leads to a standby of the second.',
  ]);
  expect(await findProblems(postgres.replica.url)).toEqual([
    standby,
    expect.stringContaining('has no primary to be compared with'),
  ]);
});

/** An address that leads to either database. `lead` ends its connections only if `cuts` is set. */
async function startMovingAddress() {
  const socketOf = (url: string) => {
    const { searchParams } = new URL(url);
    return join(searchParams.get('host') ?? '', `.s.PGSQL.${searchParams.get('port')}`);
  };
  const clients = new Set<Socket>();
  let target = socketOf(postgres.primary.url);
  const server = createServer((client) => {
    const database = connect(target);
    clients.add(client);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      from.pipe(to);
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(postgres.primary.url);
  url.search = '';
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port); // it listens on TCP
  return {
    url: url.href,
    lead(to: string, { cuts }: { cuts: boolean }) {
      target = socketOf(to);
      if (cuts) for (const client of clients) client.destroy();
    },
    close: () => server.close(),
  };
}

test('requests get 503 while the address of the primary leads to a standby, and work when it leads back', async () => {
  const address = await startMovingAddress();
  const moved = await startServer(postgres.replica.url, address.url);
  const requests: [string, object][] = [
    ['query', { query: 'lighthouse' }],
    ['importTextContent', { knowledgeBaseId, title: 'T', content: 'failover' }],
  ];
  const statuses = async () => {
    const answers = await Promise.all(requests.map(([operation, body]) => moved.call(operation, body)));
    return answers.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`);
  };
  await expect.poll(statuses, SOON).toEqual(['200 null', '200 null']);
  address.lead(postgres.replica.url, { cuts: true });
  const seen = new Set<string>();
  for (let i = 0; i < 20; i++) for (const status of await statuses()) seen.add(status);
  expect([...seen]).toEqual(['503 1']);
  address.lead(postgres.primary.url, { cuts: false });
  await expect.poll(statuses, SOON).toEqual(['200 null', '200 null']);
  await moved.close();
  address.close();
});

test('a replica that is promoted is left alone, with one sentence', async () => {
  await withReplica(async (replica, told, primary) => {
    const read = () =>
      replica.read(
        () => readPosition(primary),
        async () => 'read',
      );
    await expect.poll(read, SOON).toEqual({ result: 'read' });
    await onReplica('SELECT pg_promote()');
    for (let i = 0; i < 3; i++) expect(await read()).toBeUndefined();
    await expect.poll(() => told.at(-1), SOON).toEqual({ state: 'failed', reason: 'it is a primary' });
  });
  expect((await query('lighthouse')).found).toHaveLength(1);
});
