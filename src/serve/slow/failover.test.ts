/**
 * A failover to a promoted standby, where DATABASE_URL names both servers: the service finds the new primary itself.
 */
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../config/config.ts';
import { migrateOver } from '../../database/migrations/migrate.ts';
import {
  startReplicatedPostgres,
  type TestServer,
} from '../../embedded-postgres/testing/replicated-postgres.ts';
import { generateApiKey } from '../../terms/api-key.ts';
import { startTestService, type TestService } from '../testing/test-service.ts';

/** For the end of a server, and a busy machine. */
const SOON = { timeout: 60_000, interval: 50 };

let postgres: Awaited<ReturnType<typeof startReplicatedPostgres>>;
beforeEach(async () => {
  postgres = await startReplicatedPostgres();
});
afterEach(() => postgres.remove());

async function runOn({ url }: TestServer, ...statements: string[]): Promise<pg.QueryResult | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let result: pg.QueryResult | undefined;
  for (const statement of statements) result = await client.query(statement);
  await client.end();
  return result;
}

/** An address with these servers, in this order. */
function addressOf(...servers: TestServer[]): string {
  const urls = servers.map(({ url }) => new URL(url));
  const [address = new URL('')] = urls;
  for (const name of ['host', 'port'])
    address.searchParams.set(name, urls.map(({ searchParams }) => searchParams.get(name)).join(','));
  return address.href;
}

async function startServer(databaseUrl: string): Promise<TestService> {
  const settings = { DATABASE_URL: databaseUrl, BOOTSTRAP_API_KEY: generateApiKey() };
  const connectionString = readConfig(settings).databaseUrl as string;
  return await startTestService({ connection: { connectionString }, settings });
}

/** Imports texts until `ended`, and returns the ids of those that were answered as stored. */
async function importUntil(service: TestService, knowledgeBaseId: string, ended: () => boolean) {
  const ids: string[] = [];
  const statuses = new Set<number>();
  for (let i = 0; !ended(); i++) {
    const text = { knowledgeBaseId, title: `T${i}`, content: `sentence number ${i}` };
    const { status, body } = await service.call('importTextContent', text);
    statuses.add(status);
    if (status === 200) ids.push(String(body.data.id));
  }
  return { ids, statuses };
}

async function createKnowledgeBase(service: TestService): Promise<string> {
  const { body } = await service.call('createKnowledgeBase', { name: 'Failover' });
  return String(body.data.id);
}

test('writes go on at the promoted standby without a restart; none that both had stored is lost', async () => {
  const { primary, replica } = postgres;
  // The standby stands first: a service takes the first server that is a primary.
  const service = await startServer(addressOf(replica, primary));
  const knowledgeBaseId = await createKnowledgeBase(service);
  await runOn(primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`, 'SELECT pg_reload_conf()');
  let isOver = false;
  const imports = Promise.all(
    Array.from({ length: 4 }, () => importUntil(service, knowledgeBaseId, () => isOver)),
  );
  const countAt = async (server: TestServer) =>
    (await runOn(server, 'SELECT count(*)::int AS count FROM knowledge_retrieval.documents'))?.rows[0].count;
  await expect.poll(() => countAt(replica), SOON).toBeGreaterThan(20);

  await primary.end('SIGQUIT');
  const atCrash = await countAt(replica);
  await runOn(replica, 'SELECT pg_promote()');
  await expect.poll(() => countAt(replica), SOON).toBeGreaterThan(atCrash + 20);
  isOver = true;
  const all = await imports;
  const missing: string[] = [];
  for (const documentId of all.flatMap(({ ids }) => ids)) {
    const { status } = await service.call(`getDocument?documentId=${documentId}`);
    if (status !== 200) missing.push(documentId);
  }
  expect(missing).toEqual([]);
  expect([...new Set(all.flatMap(({ statuses }) => [...statuses]))].toSorted()).toEqual([200, 503]);

  // The former primary has come back, and nobody has told it that it is one no more.
  await primary.start();
  const { body } = await service.call('importTextContent', { knowledgeBaseId, title: 'T', content: 'later' });
  expect(body.data.status).toBe('processed');
  expect(await countAt(replica)).toBeGreaterThan(await countAt(primary));
  await service.close();
});

test('what an asynchronous standby had not received is lost, and its request may be repeated', async () => {
  const { primary, replica } = postgres;
  const service = await startServer(addressOf(primary, replica));
  const knowledgeBaseId = await createKnowledgeBase(service);
  const importText = async (externalId: string) => {
    const text = { knowledgeBaseId, title: 'T', content: `about ${externalId}`, externalId };
    const { status, body } = await service.call('importTextContent', text);
    return status === 200 ? String(body.data.id) : status;
  };
  const kept = await importText('kept');
  const received = async () => {
    const at = await runOn(primary, 'SELECT pg_current_wal_lsn() AS lsn');
    const state = await runOn(replica, `SELECT pg_last_wal_replay_lsn() >= '${at?.rows[0].lsn}' AS is`);
    return state?.rows[0].is;
  };
  await expect.poll(received, SOON).toBe(true);
  await runOn(replica, `ALTER SYSTEM SET primary_conninfo = ''`, 'SELECT pg_reload_conf()');
  const receivers = async () =>
    (await runOn(replica, 'SELECT count(*)::int AS count FROM pg_stat_wal_receiver'))?.rows[0].count;
  await expect.poll(receivers, SOON).toBe(0);
  const lost = await importText('lost');

  await primary.end('SIGQUIT');
  await runOn(replica, 'SELECT pg_promote()');
  const statusOf = async (documentId: unknown) =>
    (await service.call(`getDocument?documentId=${documentId}`)).status;
  await expect.poll(() => statusOf(kept), SOON).toBe(200);
  expect(await statusOf(lost)).toBe(404);
  expect(await importText('lost')).toEqual(expect.any(String));
  await service.close();
});

test('where no server is a primary, the sentence names each of them', async () => {
  const { primary, replica } = postgres;
  await primary.end('SIGINT');
  const settings = { DATABASE_URL: addressOf(primary, replica) };
  const connectionString = readConfig(settings).databaseUrl as string;
  await expect(migrateOver({ connectionString }, () => {})).rejects.toThrow(
    new RegExp(
      String.raw`^No host of the address can be used: \S+/primary:5432: connect ENOENT .*; ` +
        String.raw`\S+/replica:5432: it is a standby\. .*promote`,
    ),
  );
});

test('DATABASE_READ_URL takes the first standby of both, and asks none after its promotion', async () => {
  const { primary, replica } = postgres;
  const both = addressOf(primary, replica);
  const settings = { DATABASE_URL: both, DATABASE_READ_URL: both, BOOTSTRAP_API_KEY: generateApiKey() };
  const connectionString = readConfig(settings).databaseUrl as string;
  const service = await startTestService({ connection: { connectionString }, settings });
  const knowledgeBaseId = await createKnowledgeBase(service);
  await service.call('importTextContent', { knowledgeBaseId, title: 'T', content: 'lighthouse' });
  const find = async () => {
    const { status, body } = await service.call('query', { query: 'lighthouse' });
    return [status, status === 200 && (body.data as unknown as unknown[]).length];
  };
  const isByReplica = async () => {
    await find();
    return replica.executed.some((name) => name.startsWith('ranked_'));
  };
  await expect.poll(isByReplica, SOON).toBe(true);
  await primary.end('SIGQUIT');
  await runOn(replica, 'SELECT pg_promote()');
  await expect.poll(find, SOON).toEqual([200, 1]);
  await service.close();
});
