/**
 * Starts Ceph's object gateway, a real S3-compatible store, on the smallest possible cluster: one monitor and one
 * storage daemon that keeps everything in memory. Debian packages: ceph-mon, ceph-osd, radosgw.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Credentials } from './s3-signature.ts';

const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'ceph-authtool', 'monmaptool', 'ceph'];

const execute = promisify(execFile);

/** The start takes three seconds on an idle machine. */
const START_TIMEOUT_MS = 45_000;
/** Starts of the whole cluster, each with other ports. */
const ATTEMPTS = 3;
/**
 * Below the ports that Linux gives to connections (net.ipv4.ip_local_port_range), which other tests open by hundreds.
 */
const PORTS = { from: 20_000, to: 32_000 };
const POLL_INTERVAL_MS = 200;
/** How long a daemon may take to end before it is killed. Its data are deleted anyway. */
const END_TIMEOUT_MS = 5_000;

/** The users of the daemons and commands, with their capabilities (Ceph manual, "User Management"). */
const KEYS = [
  ['mon.', ['mon', 'allow *']],
  ['client.admin', ['mon', 'allow *', 'osd', 'allow *']],
  ['osd.0', ['mon', 'allow profile osd', 'osd', 'allow *']],
] as const;

function isExecutable(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export const isCephInstalled = (): boolean => PROGRAMS.every(isExecutable);

/** Finds a free port. Another process may take it before its use. */
async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await once(server.close(), 'close');
    return port;
  }
}

/** Settings of a cluster on loopback with one copy of each object. The short Paxos intervals make it start fast. */
function settingsOf(directory: string, clusterId: string, monitorPort: number, gatewayPort: number): string {
  return `[global]
fsid = ${clusterId}
mon host = v2:127.0.0.1:${monitorPort}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
mon data = ${directory}/mon
osd data = ${directory}/osd
keyring = ${directory}/keyring
log file = ${directory}/$name.log
run dir = ${directory}
admin socket = ${directory}/$name.socket
pid file =
osd objectstore = memstore
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
paxos propose interval = 0.05
paxos min wait = 0.02
rgw frontends = beast endpoint=127.0.0.1:${gatewayPort}
`;
}

/** Resolves when a server answers at `endpoint`. @throws when `signal` aborts, or none answers in time */
async function untilAnswering(endpoint: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    signal.throwIfAborted();
    const isAnswering = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (isAnswering) return;
    if (performance.now() > deadline) throw new Error(`no server answers at ${endpoint}`);
    await delay(POLL_INTERVAL_MS);
  }
}

async function end(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return;
  const exited = once(daemon, 'exit');
  daemon.kill('SIGTERM');
  const killing = setTimeout(() => daemon.kill('SIGKILL'), END_TIMEOUT_MS);
  await exited;
  clearTimeout(killing);
}

/**
 * Runs the programs of one cluster: to their end, or as daemons that `endAll` ends. A daemon that ends by itself aborts
 * `signal` and with it every program: without the monitor these would wait for it.
 */
function runnerIn(directory: string) {
  const daemons: ChildProcess[] = [];
  const ended = new AbortController();
  const log = join(directory, 'daemons.log');
  const settings = ['--conf', join(directory, 'ceph.conf')];
  return {
    signal: ended.signal,
    async run(program: string, ...options: string[]): Promise<void> {
      await execute(program, options, { timeout: START_TIMEOUT_MS, signal: ended.signal });
    },
    async runConfigured(program: string, ...options: string[]): Promise<void> {
      await execute(program, [...settings, ...options], { timeout: START_TIMEOUT_MS, signal: ended.signal });
    },
    start(program: string, ...options: string[]): void {
      const output = openSync(log, 'a');
      const daemon = spawn(program, [...settings, '--foreground', ...options], {
        stdio: ['ignore', output, output],
      });
      daemon.once('exit', () => ended.abort(new Error(`${program} has ended`)));
      daemons.push(daemon);
    },
    readLog: () => readFile(log, 'utf8').catch(() => ''),
    // The gateway first, the monitor last: a daemon ends faster while the daemon that it depends on still runs.
    async endAll() {
      for (const daemon of daemons.toReversed()) await end(daemon);
    },
  };
}

type Runner = ReturnType<typeof runnerIn>;

/** Creates the cluster's keys, its monitor map and empty data, and starts the monitor and the storage daemon. */
async function startCluster(
  { run, runConfigured, start }: Runner,
  cluster: { directory: string; clusterId: string; monitorPort: number },
) {
  const { directory, clusterId, monitorPort } = cluster;
  const [keyring, map] = [join(directory, 'keyring'), join(directory, 'monmap')];
  for (const [index, [name, caps]] of KEYS.entries()) {
    const allowed = caps.flatMap((word, at) => (at % 2 === 0 ? ['--cap', word] : [word]));
    const create = index === 0 ? ['--create-keyring'] : [];
    await run('ceph-authtool', keyring, ...create, '--gen-key', '--name', name, ...allowed);
  }
  const address = `[v2:127.0.0.1:${monitorPort}]`;
  await run('monmaptool', '--create', '--addv', 'a', address, '--fsid', clusterId, map);
  await runConfigured('ceph-mon', '--id', 'a', '--mkfs', '--monmap', map, '--keyring', keyring);
  start('ceph-mon', '--id', 'a');
  const storageId = crypto.randomUUID();
  await runConfigured('ceph', 'osd', 'create', storageId);
  await runConfigured('ceph', 'auth', 'add', 'osd.0', '--in-file', keyring);
  await runConfigured('ceph-osd', '--id', '0', '--mkfs', '--osd-uuid', storageId);
  start('ceph-osd', '--id', '0');
}

type Store = { endpoint: string; close(): Promise<void> };

/**
 * Starts Ceph in a temporary directory, with one user, who has these credentials and no bucket. Region: us-east-1.
 * Begins again with other ports when a daemon ends, as it does when another program has taken its port.
 * @throws with the end of the daemons' log when it does not start
 */
export async function startCeph(credentials: Credentials): Promise<Store> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(credentials);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function startOnce(credentials: Credentials): Promise<Store> {
  const directory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-ceph-'));
  const runner = runnerIn(directory);
  const close = async () => {
    await runner.endAll();
    await rm(directory, { recursive: true, force: true });
  };
  const [monitorPort, gatewayPort] = [await findFreePort(), await findFreePort()];
  const endpoint = `http://127.0.0.1:${gatewayPort}`;
  try {
    const clusterId = crypto.randomUUID();
    for (const name of ['mon', 'osd']) await mkdir(join(directory, name));
    const settings = settingsOf(directory, clusterId, monitorPort, gatewayPort);
    await writeFile(join(directory, 'ceph.conf'), settings);
    await startCluster(runner, { directory, clusterId, monitorPort });
    runner.start('radosgw', '--name', 'client.admin');
    const { accessKeyId, secretAccessKey } = credentials;
    const user = ['--uid', 'test', '--display-name', 'test'];
    const keys = ['--access-key', accessKeyId, '--secret-key', secretAccessKey];
    await runner.runConfigured('radosgw-admin', 'user', 'create', ...user, ...keys);
    await untilAnswering(endpoint, runner.signal);
  } catch (error) {
    const log = (await runner.readLog()).slice(-2_000);
    await close();
    throw new Error(`Ceph does not start: ${error}\n${log}`);
  }
  return { endpoint, close };
}
