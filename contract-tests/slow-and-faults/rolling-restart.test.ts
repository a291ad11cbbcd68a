/**
 * Two servers behind a balancer and a worker, on one database. All of them are restarted in turn while clients use
 * every operation.
 */
import { expect, inject, onTestFinished, test } from 'vitest';
import { createCaller } from '../../src/contract-check/requests/calling.ts';
import { READINESS_INTERVAL_MS, startBalancer } from '../harness/load/balancer.ts';
import { useEverything, useUntil } from '../harness/load/use-everything.ts';
import { type Cluster, withCluster } from '../harness/service/cluster.ts';
import { withDatabase } from '../harness/service/service-database.ts';
import type { RunningProgram } from '../harness/service/service-process.ts';

/** Whole seconds, longer than the balancer's check interval, also on a busy machine. */
const SHUTDOWN_DELAY_SECONDS = Math.ceil((5 * READINESS_INTERVAL_MS) / 1000) + 1;
/** Clients, each with one request at a time. */
const CLIENTS = 2;

const SETTINGS = {
  SHUTDOWN_DELAY_SECONDS: String(SHUTDOWN_DELAY_SECONDS),
  VALIDATE_RESPONSES: 'true',
};

/** Adds columns and a table, as the migrations of a newer version may while the current version runs. */
const migrateAsNewer = ({ databaseUrl }: Cluster) =>
  withDatabase(databaseUrl, async (client) => {
    await client.query('SET search_path = knowledge_retrieval');
    const { rows } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'knowledge_retrieval' AND tablename !~ '^kysely'",
    );
    expect(rows.length).toBeGreaterThan(10);
    for (const { name } of rows) await client.query(`ALTER TABLE ${name} ADD COLUMN newer text DEFAULT 'x'`);
    await client.query('CREATE TABLE newer (id uuid PRIMARY KEY)');
    await client.query("INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-newer', '')");
  });

type Deployment = {
  servers: RunningProgram[];
  worker: RunningProgram;
  balancer: Awaited<ReturnType<typeof startBalancer>>;
};

/** Restarts each server once. Before the next one, waits until the balancer sends requests to the restarted one. */
async function restartInTurn(cluster: Cluster, { servers, balancer }: Deployment): Promise<void> {
  for (const [index, server] of servers.entries()) {
    await server.stop();
    const restarted = await cluster.startServer();
    servers[index] = restarted;
    await balancer.replace(index, restarted.address);
    const before = balancer.counts[index] ?? 0;
    await expect.poll(() => balancer.counts[index], { timeout: 60_000 }).toBeGreaterThan(before + CLIENTS);
  }
}

/** Restarts the only worker. Clients wait for their files meanwhile. */
async function restartWorker(cluster: Cluster, deployment: Deployment): Promise<void> {
  await deployment.worker.stop();
  expect(await deployment.worker.ended).toBe(0);
  deployment.worker = await cluster.startWorker();
}

/** How often each process is restarted under load. */
const TIMES = inject('isLong') ? 10 : 1;

test(
  'all servers and the worker restarted in turn under load, then a newer migration: no request fails',
  async () => {
    await withCluster({ store: 'directory', settings: SETTINGS }, async (cluster) => {
      const servers = await Promise.all([cluster.startServer(), cluster.startServer()]);
      const balancer = await startBalancer(servers.map(({ address }) => address));
      onTestFinished(balancer.close);
      const deployment = { servers, worker: await cluster.startWorker(), balancer };
      const caller = createCaller({ address: balancer.address, apiKey: cluster.apiKey });
      const ending = new AbortController();
      const using = Promise.all(Array.from({ length: CLIENTS }, () => useUntil(ending.signal, caller)));
      const restarting = async () => {
        for (let time = 0; time < TIMES; time++) {
          await restartInTurn(cluster, deployment);
          await restartWorker(cluster, deployment);
        }
        await migrateAsNewer(cluster);
        await Promise.all(servers.map(() => useEverything(caller)));
      };
      await Promise.race([restarting(), using]).finally(() => ending.abort());
      expect(Math.min(...(await using))).toBeGreaterThan(0);
      expect((await caller.api.listKnowledgeBases({})).data).toEqual([]);
    });
  },
  inject('isLong') ? 3_600_000 : 240_000,
);
