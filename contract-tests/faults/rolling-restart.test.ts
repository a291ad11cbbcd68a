/**
 * Two servers behind a balancer and a worker, on one database. All of them are restarted in turn while clients use every
 * operation.
 */
import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { type Api, type Caller, createCaller } from '../harness/calling.ts';
import { type Cluster, withCluster } from '../harness/cluster.ts';
import { withDatabase } from '../harness/embedded-database.ts';
import type { RunningProgram } from '../harness/service-process.ts';
import { isFinal } from '../harness/uploading.ts';
import { READINESS_INTERVAL_MS, startBalancer } from './balancer.ts';

/** Whole seconds, longer than the balancer's check interval, also on a busy machine. */
const SHUTDOWN_DELAY_SECONDS = Math.ceil((5 * READINESS_INTERVAL_MS) / 1000) + 1;
/** Clients, each with one request at a time. */
const CLIENTS = 2;
/** The longest wait of getDocumentStatus. */
const WAIT_SECONDS = 30;

const SETTINGS = {
  SHUTDOWN_DELAY_SECONDS: String(SHUTDOWN_DELAY_SECONDS),
  VALIDATE_RESPONSES: 'true',
};

/** Sends the same request twice, to different servers. Asserts that it has one effect. Returns the created id. */
async function createTwice({ request }: Caller, name: string): Promise<string> {
  const key = { 'idempotency-key': randomUUID() };
  const [first, second] = await Promise.all([
    request('createKnowledgeBase', { name }, key),
    request('createKnowledgeBase', { name }, key),
  ]);
  expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
  return (first.body as { data: { id: string } }).data.id; // the spec has been checked
}

/** Imports a file. Each step may reach another server than the step before. Returns the document's id. */
async function importFile(api: Api, knowledgeBaseId: string, content: string): Promise<string> {
  const ticket = await api.presignUploadUrl({
    knowledgeBaseId,
    fileName: 'a.txt',
    size: Buffer.byteLength(content),
  });
  const { status } = await fetch(ticket.uploadUrl, { method: 'PUT', body: content });
  expect(status).toBe(200);
  const { id } = await api.importFile(ticket.fileId);
  let report = await api.getDocumentStatus(id, WAIT_SECONDS);
  // A server that shuts down answers long polls at once. Their clients then poll another server.
  while (!isFinal(report.status)) report = await api.getDocumentStatus(id, WAIT_SECONDS);
  expect(report.status).toBe('processed');
  return id;
}

/** Calls every operation once, and checks each answer. */
async function useEverything(caller: Caller): Promise<void> {
  const { api } = caller;
  const knowledgeBaseId = await createTwice(caller, 'Rolling');
  const word = `okapi${randomUUID().slice(0, 8)}`;
  const text = await api.importTextContent({ knowledgeBaseId, title: 'Text', content: `A ${word} eats.` });
  const file = await importFile(api, knowledgeBaseId, `The ${word} sleeps.`);
  const found = await api.query({ query: word, knowledgeBaseIds: [knowledgeBaseId] });
  expect(found.map(({ document_id }) => document_id).toSorted()).toEqual([text.id, file].toSorted());
  expect((await api.listDocuments({ knowledgeBaseId })).data.map(({ id }) => id)).toEqual([file, text.id]);
  expect((await api.getDocument(file)).id).toBe(file);
  expect((await api.listPassages({ documentId: text.id })).data).toHaveLength(1);
  expect((await api.listKnowledgeBases({ limit: 50 })).data.length).toBeGreaterThan(0);
  expect((await api.getUsage()).knowledgeBaseCount).toBeGreaterThan(0);
  expect(await api.getBalance()).toBeGreaterThan(0);
  await api.deleteDocument(text.id);
  await api.deleteKnowledgeBase(knowledgeBaseId);
}

/**
 * Calls every operation repeatedly until `signal` aborts. Returns the number of rounds.
 * @throws at the first failure
 */
async function useUntil(signal: AbortSignal, caller: Caller): Promise<number> {
  let rounds = 0;
  for (; !signal.aborted; rounds++) await useEverything(caller);
  return rounds;
}

/** Adds columns and a table, as the migrations of a newer version may while the current version runs. */
const migrateAsNewer = ({ databaseUrl }: Cluster) =>
  withDatabase(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^kysely'",
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
    await expect.poll(() => balancer.counts[index], { timeout: 30_000 }).toBeGreaterThan(before + CLIENTS);
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
      await balancer.close();
    });
  },
  inject('isLong') ? 3_600_000 : 240_000,
);
