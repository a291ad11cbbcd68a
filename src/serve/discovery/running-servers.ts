/**
 * The servers and workers that run on a DATA_DIR, so that commands find them without PORT. Each keeps a file in
 * DATA_DIR/servers while it runs: its address, and a secret by which it proves that it has written the file. A killed
 * server leaves its file behind, and any program may get its port: commands send keys and tokens only after the proof.
 */
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { inParallel } from '../../concurrency/in-parallel.ts';
import { repeat } from '../../concurrency/repeat.ts';
import { type Config, goDirectlyTo } from '../../config/config.ts';
import { codeOf } from '../../terms/problem.ts';
import { readBoundedText } from './bounded-text.ts';
import { isProof, makeChallenge } from './server-proof.ts';
import { readSmallFile } from './small-file.ts';

type Role = 'server' | 'worker';

/** `machine`: other machines may share DATA_DIR, but not this one's loopback addresses. */
type Announcement = { address: string; role: Role; secret: string; machine: string };

/** `silent`: a program listens at its address, but has not answered in time: perhaps the server, perhaps another. */
export type RunningServer = { address: string; role: Role; state: 'alive' | 'silent' };

const ANSWER_TIMEOUT_MS = 2_000;
/** Of an announcement, and of the answer of `/livez`. Each has less than 300 bytes. */
const TEXT_MAX_BYTES = 4_096;
/** How many files are examined at once: a directory full of forgotten ones must not open as many connections. */
const MOST_AT_ONCE = 16;
/** How often a server shows that its file is still in use. */
const REFRESH_MS = 60_000;
/** Nobody uses an older file: not even a machine that was asleep misses ten refreshes in a row. */
const ABANDONED_MS = 10 * REFRESH_MS;

const directoryOf = ({ dataDir }: Config): string => join(dataDir, 'servers');

/** The address for requests from this machine, of a server that listens at all addresses. */
export const localAddressOf = (address: string): string =>
  address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');

/** Whether an address is one at which a program of this machine can listen: `http://127.0.0.1:8080`. */
function isOfThisMachine(address: string): boolean {
  if (!/^http:\/\/[^/?#@]+$/.test(address) || !URL.canParse(address)) return false;
  const { hostname: host } = new URL(address);
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const hosts = own.map(({ address: each, family }) => (family === 'IPv6' ? `[${each}]` : each));
  const isLoopback = host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
  return isLoopback || hosts.includes(host);
}

/** Any JSON → its fields; `{}` for all else. */
const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** Whether a file is of this user or of the owner of DATA_DIR, whom whoever uses this DATA_DIR trusts anyway. */
const isTrusted = async (uid: number, { dataDir }: Config): Promise<boolean> =>
  uid === process.getuid?.() || uid === (await stat(dataDir)).uid;

/** Reads an announcement; undefined: of another machine, or not what a server writes. */
async function readAnnouncement(file: string, config: Config): Promise<Announcement | undefined> {
  try {
    const { text, uid } = await readSmallFile(file, TEXT_MAX_BYTES);
    const { address, role, secret, machine } = toRecord(JSON.parse(text));
    if (typeof address !== 'string' || typeof secret !== 'string' || machine !== hostname()) return undefined;
    if (!isOfThisMachine(address) || !(await isTrusted(uid, config))) return undefined;
    goDirectlyTo(new URL(address).hostname);
    return { address, role: role === 'worker' ? 'worker' : 'server', secret, machine };
  } catch {
    return undefined; // another server may have removed it meanwhile
  }
}

/** Whether that server still runs: `gone`: nothing listens there; `other`: another program does, or another run. */
async function findState({ address, secret }: Announcement): Promise<'alive' | 'silent' | 'gone' | 'other'> {
  const challenge = makeChallenge();
  try {
    const response = await fetch(`${address}/livez?challenge=${challenge}`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const text = await readBoundedText(response, TEXT_MAX_BYTES);
    const { data } = toRecord(JSON.parse(text ?? '{}'));
    return isProof(toRecord(data).proof, secret, challenge) ? 'alive' : 'other';
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return 'silent';
    return codeOf(error instanceof Error ? error.cause : error) === 'ECONNREFUSED' ? 'gone' : 'other';
  }
}

/** The files in the order of their names. @throws a sentence when they cannot be listed */
async function listFiles(config: Config): Promise<string[]> {
  const directory = directoryOf(config);
  try {
    const names = await readdir(directory);
    return names
      .filter((name) => name.endsWith('.json'))
      .toSorted()
      .map((name) => join(directory, name));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw new Error(
      `${directory} cannot be read (${codeOf(error)}): run the command as the user of the server.`,
    );
  }
}

type Examined = {
  file: string;
  announced?: Announcement & { state: RunningServer['state'] | 'gone' | 'other' };
};

/** The files with their announcements and states. */
async function examine(config: Config): Promise<Examined[]> {
  const examined: Examined[] = (await listFiles(config)).map((file) => ({ file }));
  await inParallel(examined, MOST_AT_ONCE, async (each) => {
    const announced = await readAnnouncement(each.file, config);
    if (announced) each.announced = { ...announced, state: await findState(announced) };
  });
  return examined;
}

/** `http://127.0.0.1` → `80` */
const portOf = (address: string): string => new URL(address).port || '80';

/** The servers and workers of this machine that run on DATA_DIR. With PORT set, only the server at that port. */
export async function findRunningServers(config: Config): Promise<RunningServer[]> {
  return (await examine(config)).flatMap(({ announced }) => {
    if (announced === undefined) return [];
    const { address, role, state } = announced;
    const isMeant = !config.isPortSet || portOf(address) === String(config.port);
    return isMeant && (state === 'alive' || state === 'silent') ? [{ address, role, state }] : [];
  });
}

/**
 * Those of `found` that have proved to run on DATA_DIR: only they may get its key and token.
 * @throws a sentence for the user when there is none
 */
export function requireProven(
  found: RunningServer[],
  { dataDir, isPortSet, port }: Config,
): [RunningServer, ...RunningServer[]] {
  const [first, ...others] = found.filter(({ state }) => state === 'alive');
  if (first !== undefined) return [first, ...others];
  const [silent] = found;
  if (silent !== undefined)
    throw new Error(
      `What listens at ${silent.address}, the address of a ${silent.role} on DATA_DIR (${dataDir}), has not answered ` +
        `within ${ANSWER_TIMEOUT_MS / 1000} s, so it got no key: it may be another program. Try again, ` +
        `or name a server ` +
        'by --url or KNOWLEDGE_URL.',
    );
  throw new Error(
    `No server runs on DATA_DIR (${dataDir})${isPortSet ? ` at PORT ${port}` : ''}. Start one: ` +
      '`npx knowledge-retrieval serve`. Or name one by --url or KNOWLEDGE_URL.',
  );
}

/**
 * The address of this machine's server, for requests without a secret: a server that runs on DATA_DIR, else the server
 * at PORT.
 */
export async function findServerAddress(config: Config): Promise<string> {
  const running = await findRunningServers(config).catch(() => []);
  const servers = running.filter(({ role }) => role === 'server');
  const found = servers.find(({ state }) => state === 'alive') ?? servers[0];
  if (found !== undefined) return found.address;
  const { host, port } = config;
  const address = localAddressOf(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  if (isOfThisMachine(address)) goDirectlyTo(new URL(address).hostname);
  return address;
}

/**
 * Removes the files of servers that were killed, and others that are no longer refreshed, as of other machines. Another
 * server may remove them at the same time.
 */
async function removeAbandoned(config: Config): Promise<void> {
  await inParallel(await examine(config), MOST_AT_ONCE, async ({ file, announced }) => {
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }));
    const isOld = Date.now() - mtimeMs > ABANDONED_MS;
    if (announced?.state === 'gone' || (announced?.state !== 'alive' && isOld))
      await rm(file, { force: true });
  });
}

/** The address at which a server listens, also where HOST is a name: `http://127.0.0.1:8080`. */
function boundAddressOf(server: Server): string {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server listens at no port');
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
}

/** Writes an announcement for its owner alone: it holds the secret. */
async function write(file: string, announced: Announcement): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(announced)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Shows that a file is in use. Another machine, whose clock is wrong, may have removed it. */
async function refresh(file: string, announced: Announcement): Promise<void> {
  const now = new Date();
  await utimes(file, now, now).catch((error) => {
    if (codeOf(error) === 'ENOENT') return write(file, announced);
  });
}

/**
 * Keeps the file of a server, which listens. Without it, commands need --url: so a failure is no reason not to start.
 * @returns the function that removes the file
 */
export async function announceServer(
  config: Config,
  { server, log, ...facts }: { server: Server; role: Role; secret: string; log: Logger },
): Promise<() => Promise<void>> {
  const address = localAddressOf(boundAddressOf(server));
  const announced: Announcement = { address, ...facts, machine: hostname() };
  const name = `${encodeURIComponent(announced.machine)}-${portOf(announced.address)}.json`;
  const file = join(directoryOf(config), name);
  let stop = async () => {};
  try {
    await mkdir(directoryOf(config), { mode: 0o700 }).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await write(file, announced);
    stop = repeat(async () => {
      await refresh(file, announced).catch(() => {});
      return REFRESH_MS;
    });
    removeAbandoned(config).catch(() => {});
  } catch (error) {
    log.debug({ err: error, file }, 'commands will not find this server without --url');
  }
  return async () => {
    await stop();
    await rm(file, { force: true }).catch(() => {});
  };
}
