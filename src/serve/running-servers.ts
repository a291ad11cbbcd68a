/**
 * The servers and workers that run on a DATA_DIR, so that commands find them without PORT. Each writes its address into
 * a file in DATA_DIR/servers while it runs. A killed one leaves its file behind, so readers ask at the address.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { codeOf } from '../problem.ts';

type Role = 'server' | 'worker';

/** `machine`: other machines may share DATA_DIR, but not this one's loopback addresses. */
type Announcement = { address: string; role: Role; deploymentId: string; machine: string };

/** `silent`: something listens at its address, but has not answered in time. */
export type RunningServer = { address: string; role: Role; state: 'alive' | 'silent' };

const ANSWER_TIMEOUT_MS = 2_000;

const directoryOf = ({ dataDir }: Config): string => join(dataDir, 'servers');

/** The address for requests from this machine, of a server that listens at all addresses. */
export const localAddressOf = (address: string): string =>
  address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');

/** Any JSON → its fields; `{}` for all else. */
const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** Reads an announcement; undefined: of another machine, or another content. */
async function readAnnouncement(file: string): Promise<Announcement | undefined> {
  try {
    const { address, role, deploymentId, machine } = toRecord(JSON.parse(await readFile(file, 'utf8')));
    if (typeof address !== 'string' || typeof deploymentId !== 'string' || machine !== hostname())
      return undefined;
    return { address, role: role === 'worker' ? 'worker' : 'server', deploymentId, machine };
  } catch {
    return undefined; // another server may have removed it meanwhile
  }
}

/** Whether that server still runs: `gone`: nothing listens there; `other`: another program or deployment does. */
async function findState({ address, deploymentId }: Announcement) {
  try {
    const response = await fetch(`${address}/livez`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const { data } = toRecord(await response.json().catch(() => undefined));
    return toRecord(data).deploymentId === deploymentId ? 'alive' : 'other';
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return 'silent';
    return codeOf(error instanceof Error ? error.cause : error) === 'ECONNREFUSED' ? 'gone' : 'other';
  }
}

/** The files with their announcements and states. Empty where DATA_DIR cannot be read. */
async function examine(config: Config) {
  const directory = directoryOf(config);
  const names = await readdir(directory).catch(() => []);
  const examined = names
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map(async (name) => {
      const file = join(directory, name);
      const announced = await readAnnouncement(file);
      return announced ? [{ file, ...announced, state: await findState(announced) }] : [];
    });
  return (await Promise.all(examined)).flat();
}

/** The servers and workers of this machine that run on DATA_DIR. With PORT set, only the server at that port. */
export async function findRunningServers(config: Config): Promise<RunningServer[]> {
  const found = await examine(config);
  return found.flatMap(({ address, role, state }) => {
    const isMeant = !config.isPortSet || new URL(address).port === String(config.port);
    return isMeant && (state === 'alive' || state === 'silent') ? [{ address, role, state }] : [];
  });
}

/** The address of this machine's server: one that runs on DATA_DIR, else the one of PORT. */
export async function findServerAddress(config: Config): Promise<string> {
  const servers = (await findRunningServers(config)).filter(({ role }) => role === 'server');
  const found = servers.find(({ state }) => state === 'alive') ?? servers[0];
  if (found !== undefined) return found.address;
  const { host, port } = config;
  return localAddressOf(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
}

/** Removes the files of servers that were killed. */
async function removeGone(config: Config): Promise<void> {
  const gone = (await examine(config)).filter(({ state }) => state === 'gone');
  await Promise.all(gone.map(({ file }) => rm(file, { force: true })));
}

/**
 * Writes the file of a server that listens. Without it, commands need PORT: so a failure is no reason not to start.
 * @returns the function that removes the file
 */
export async function announceServer(
  config: Config,
  { address, log, ...facts }: { address: string; role: Role; deploymentId: string; log: Logger },
): Promise<() => Promise<void>> {
  const announced: Announcement = { address: localAddressOf(address), ...facts, machine: hostname() };
  const name = `${encodeURIComponent(announced.machine)}-${new URL(announced.address).port}.json`;
  const file = join(directoryOf(config), name);
  try {
    await mkdir(directoryOf(config), { mode: 0o700 }).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await writeFile(`${file}.new`, `${JSON.stringify(announced)}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
    removeGone(config).catch(() => {});
  } catch (error) {
    log.debug({ err: error, file }, 'commands will not find this server without PORT');
  }
  return async () => await rm(file, { force: true }).catch(() => {});
}
