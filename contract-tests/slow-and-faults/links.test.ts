/** Bad links on both sides of a server, and connections that the database ends. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { expect, inject, test, vi } from 'vitest';
import { type RunningLoad, startLoad, type Tally, type Target } from '../harness/load/mixed-load.ts';
import { countConnections } from '../harness/load/open-connections.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../harness/machine/fault-proxy.ts';
import { measureSlowdown } from '../harness/machine/machine-slowdown.ts';
import { keepForTests } from '../harness/service/kept-service.ts';
import { databaseUrlOf, startDatabaseProxy } from '../harness/service/service-database.ts';
import { type RunningService, startSecondServer, startService } from '../harness/service/service-process.ts';

/** The duration of each fault, the number of ended connections, and the number of clients meanwhile. */
const { faultMs, terminations, clients } = inject('isLong')
  ? { faultMs: 8_000, terminations: 30, clients: 16 }
  : { faultMs: 700, terminations: 2, clients: 8 };

/** The service's promise. Other work on the machine prolongs it. */
const RECOVERY_BOUND_MS = 5_000;
/** A client hangs up after this time without an answer: it cannot know whether its request was lost. */
const CLIENT_PATIENCE_MS = 4_000;
/** More answers than clients, so that each client has its connection. */
const WARM_UP_ANSWERS = 20;
const TERMINATION_INTERVAL_MS = 1_000;
/** The intended errors would fill the log. */
const QUIET = { LOG_LEVEL: 'fatal' };

const SLOW: [string, Fault] = [
  'a slow link',
  { latencyMs: 20, jitterMs: 15, bytesPerSecond: 200_000, sliceBytes: 500 },
];
const SLOW_APART: [string, Fault][] = [
  ['latency', { latencyMs: 40, jitterMs: 30 }],
  ['a narrow link', { bytesPerSecond: 100_000 }],
  ['tiny packets', { sliceBytes: 5 }],
];
const BROKEN: [string, Fault][] = [
  ['resets', { resetAfterBytes: 4_000 }],
  ['a black hole', { silent: 'black hole' }],
  ['half-open connections', { silent: 'half-open' }],
];

type Side = { proxy: FaultProxy; server: RunningService; first: RunningService; stop(): Promise<void> };

/** A server that reaches its database through a proxy, beside the server that owns the database. */
async function startBehindProxy(dataDirectory: string): Promise<Side> {
  const first = await startService(dataDirectory, { options: ['--no-worker'] });
  const proxy = await startDatabaseProxy(dataDirectory);
  const server = await startSecondServer(dataDirectory, QUIET, { databaseUrl: proxy.url });
  const stop = async () => {
    await server.stop();
    proxy.close();
    await first.stop();
  };
  return { proxy, server, first, stop };
}

/** Ends all database connections of the server with this name, its jobs' connections included. Returns their number. */
async function terminateAll(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'knowledge-retrieval%' AND pid <> pg_backend_pid()`,
  );
  return rowCount ?? 0;
}

/** `harm` disturbs a load. `mayCut`: whether it may break connections. `boundMs`: the longest recovery after it. */
type Harm = { harm(): Promise<void>; mayCut?: boolean; boundMs?: number };

/** Runs a load during `harm`. Asserts that requests are answered correctly or refused, and that it recovers soon. */
async function loadWhile(
  what: string,
  load: RunningLoad,
  { harm, mayCut = false, boundMs = RECOVERY_BOUND_MS }: Harm,
): Promise<Omit<Tally, 'wrong'>> {
  // Waits until there are connections to harm.
  await vi.waitUntil(() => load.tally().right > WARM_UP_ANSWERS, { timeout: 60_000 });
  await harm();
  const slowdown = measureSlowdown();
  const recoveryMs = Math.round(await load.recovered());
  const latestMs = boundMs * slowdown();
  const { wrong, ...counts } = await load.stop();
  process.stdout.write(`${what}: ${JSON.stringify({ ...counts, recoveryMs })}\n`);
  expect(wrong).toEqual([]);
  if (!mayCut) expect(counts.cut).toBe(0);
  expect(recoveryMs).toBeLessThan(latestMs);
  return counts;
}

/** Returns a `harm` that sets the fault for this time. */
const faultFor = (proxy: FaultProxy, fault: Fault, forMs: number) => async () => {
  proxy.setFault(fault);
  await delay(forMs);
  proxy.heal();
};

/** The long form has a test for each kind of slowness. The short form tests all of them together. */
const faults = [...BROKEN, ...(inject('isLong') ? SLOW_APART : [SLOW])];
const side = await keepForTests(startBehindProxy);
const loads: RunningLoad[] = [];
const start = async (target: Target) => {
  const load = await startLoad(target, { clients, direct: side.first });
  loads.push(load);
  return load;
};

test.each(faults)('%s between server and database: right answers or refusals', async (name, fault) => {
  const harm = faultFor(side.proxy, fault, faultMs);
  await loadWhile(`${name} between server and database`, await start(side.server), { harm });
});

test('pg_terminate_backend on all connections, repeatedly: no 500', async () => {
  const client = new pg.Client(databaseUrlOf(side.first.dataDirectory));
  await client.connect();
  const harm = async () => {
    for (let turn = 0; turn < terminations; turn++) {
      await delay(TERMINATION_INTERVAL_MS);
      expect(await terminateAll(client)).toBeGreaterThan(0);
    }
  };
  await loadWhile('ended connections', await start(side.server), { harm });
  await client.end();
});

test.each(faults)('%s between clients and server: right answers or cut ones', async (name, fault) => {
  const { address, apiKey } = side.first;
  const kept = countConnections(address);
  const proxy = await startFaultProxy(address);
  const target = { address: proxy.address, apiKey, patienceMs: CLIENT_PATIENCE_MS };
  const harm = faultFor(proxy, fault, faultMs);
  const boundMs = CLIENT_PATIENCE_MS + RECOVERY_BOUND_MS;
  const load = await start(target);
  const counts = await loadWhile(`${name} between clients and server`, load, { harm, mayCut: true, boundMs });
  expect(counts.refused).toBe(0);
  proxy.close();
  // The server drops the connections that its clients have left. One more may be kept for requests without the proxy.
  await vi.waitUntil(() => countConnections(address) <= kept + 1, { timeout: 60_000 });
});

test('all imports acknowledged during the faults are complete, and none exists twice', async () => {
  expect(loads.length).toBeGreaterThan(0);
  for (const load of loads) expect(await load.findDamage()).toEqual([]);
});
