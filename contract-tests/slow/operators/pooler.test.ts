/**
 * Two servers behind PgBouncer in transaction mode, with fewer connections to the database than either server may open:
 * each statement may run in another session than the last, and no transaction may wait for a second connection.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { checkContract } from '../../../src/contract-check/check-contract.ts';
import { createCaller } from '../../../src/contract-check/requests/calling.ts';
import { startLoad } from '../../harness/load/mixed-load.ts';
import { spawnCommand } from '../../harness/service/command-line.ts';
import { pgbouncer, startPgBouncer } from '../../harness/service/pgbouncer.ts';
import { createDatabase, startDatabaseProxy, withDatabase } from '../../harness/service/service-database.ts';
import {
  environmentOf,
  makeEmbeddedDirectory,
  removeDataDirectory,
  type Settings,
  startSecondServer,
} from '../../harness/service/service-process.ts';

/** Connections of PgBouncer to the database. A backup takes two. */
const CONNECTIONS = 2;
const CLIENTS = 8;
const ANSWERS = 60;
/** In the second server's minute. */
const RATE_LIMIT = 40;
/** PgBouncer's end makes both servers complain. */
const QUIET: Settings = { LOG_LEVEL: 'fatal' };

/** An empty database behind PgBouncer, and two servers on it. */
async function startServers() {
  const dataDirectory = await makeEmbeddedDirectory();
  onTestFinished(() => removeDataDirectory(dataDirectory));
  const proxy = await startDatabaseProxy(inject('dataDirectory')); // a TCP port, which PgBouncer can reach as any user
  onTestFinished(() => proxy.close());
  const database = await createDatabase(inject('dataDirectory'));
  onTestFinished(database.drop);
  const direct = Object.assign(new URL(proxy.url), { pathname: new URL(database.url).pathname }).href;
  const pooler = await startPgBouncer(direct, { size: CONNECTIONS });
  onTestFinished(pooler.stop);
  const options = { databaseUrl: pooler.url };
  const first = await startSecondServer(dataDirectory, { ...QUIET, DATABASE_POOL_SIZE: '16' }, options);
  onTestFinished(first.stop);
  const limits = { ...QUIET, RATE_LIMIT_PER_MINUTE: String(RATE_LIMIT) };
  const limited = await startSecondServer(dataDirectory, limits, options);
  onTestFinished(limited.stop);
  return { dataDirectory, direct, pooler, first, limited };
}

type Servers = Awaited<ReturnType<typeof startServers>>;

/** Texts of several batches, whose words are new. All of them are stored at the same time. */
async function importLargeTexts({ first }: Servers): Promise<void> {
  const { api } = createCaller(first);
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Large' });
  const contentOf = (text: number) =>
    Array.from({ length: 9_000 }, (_, i) => `w${text}x${i.toString(36)}ing${i % 12 === 0 ? '.' : ''}`).join(
      ' ',
    );
  const imported = await Promise.all(
    Array.from({ length: 4 }, (_, i) =>
      api.importTextContent({ knowledgeBaseId, title: `${i}`, content: contentOf(i) }),
    ),
  );
  expect(imported.map(({ status }) => status)).toEqual(Array(4).fill('processed'));
  await api.deleteKnowledgeBase(knowledgeBaseId);
}

/** Clients use both servers while PgBouncer is killed. */
async function killPooler({ pooler, first }: Servers): Promise<void> {
  const load = await startLoad(first, { clients: CLIENTS });
  await expect.poll(() => load.tally().right, { timeout: 60_000 }).toBeGreaterThan(ANSWERS);
  await pooler.kill();
  await expect.poll(() => load.tally().refused, { timeout: 60_000 }).toBeGreaterThan(0);
  await pooler.restart();
  await load.recovered();
  expect((await load.stop()).wrong).toEqual([]);
  expect(await load.findDamage()).toEqual([]);
}

/** Sends more requests at once than the limit allows. */
async function exceedRateLimit({ limited }: Servers): Promise<void> {
  const { request } = createCaller(limited);
  const answers = await Promise.all(Array.from({ length: RATE_LIMIT + 10 }, () => request('getUsage')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(RATE_LIMIT);
}

/** Runs `backup` and `doctor`. */
async function operate({ dataDirectory, pooler }: Servers): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-pooler-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const environment = environmentOf(dataDirectory, { DATABASE_URL: pooler.url });
  const backup = await spawnCommand(environment, 'backup', folder);
  expect(backup).toMatchObject({ code: 0, complaints: expect.not.stringContaining('rror') });
  const doctor = await spawnCommand(environment, 'doctor', '--no-server');
  expect(doctor.output).toMatch(/\n0 problems\n$/);
}

test.skipIf(pgbouncer === undefined)(
  'the contract is kept behind PgBouncer, also under load; after its end the servers recover',
  async () => {
    const servers = await startServers();
    const { address, apiKey } = servers.first;
    const printed: string[] = [];
    const print = (lines: string) => void printed.push(lines);
    const code = await checkContract({ address, apiKey }, { timeoutSeconds: 60, print, note: print });
    expect([code, ...(code === 0 ? [] : printed)]).toEqual([0]);
    await importLargeTexts(servers);
    await killPooler(servers);
    await exceedRateLimit(servers);
    await operate(servers);
    // The settings of its statements last for their transactions only.
    const setting = await withDatabase(servers.pooler.url, (client) => client.query('SHOW enable_seqscan'));
    expect(setting.rows).toEqual([{ enable_seqscan: 'on' }]);
  },
  120_000,
);
