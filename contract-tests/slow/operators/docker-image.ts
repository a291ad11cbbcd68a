/**
 * Runs the image's files as the Dockerfile says, without Docker: as its user, with its command and environment, and
 * with everything read-only except volume and /tmp. The mounts need root on Linux.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { end, readGreeting, root } from '../../harness/service/service-process.ts';
import { expectSearches, findPort, linkPrograms } from './installed-package.ts';

/** The reason why the image cannot run on this machine. undefined: it can. */
export const imageMissing =
  process.platform !== 'linux' ||
  process.getuid?.() !== 0 ||
  spawnSync('unshare', ['--mount', 'true']).status !== 0
    ? 'only root on Linux may mount'
    : undefined;

/** The user `node` of the base image. */
const NODE_USER = 1000;

const dockerfile = (await readFile(join(root, 'Dockerfile'), 'utf8')).replaceAll(/\\\n\s*/g, '');

/** The values of all instructions of this name. */
export const instructions = (name: string): string[] =>
  [...dockerfile.matchAll(new RegExp(`^${name} (.*)$`, 'gm'))].map(([, value = '']) => value);

/** The value of an instruction that the Dockerfile has once. */
function instruction(name: string): string {
  const [value = '', ...others] = instructions(name);
  expect([name, value === '', others]).toEqual([name, false, []]);
  return value;
}

const parseCommand = (json: string): string[] => JSON.parse(json);

/** The variables of ENV. */
export const imageEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    instruction('ENV')
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]), // NAME=value
  );

/** The shell's commands before the image's command: $1 is the application, $2 the volume, $3 the directory of both. */
const READ_ONLY = `
  set -e
  mount --bind "$3" "$3"
  mount --bind "$1" "$1"
  mount -o remount,bind,ro "$1"
  mount -o remount,bind,ro /
  cd "$1"
  shift 3
  exec chroot --userspec=${NODE_USER}:${NODE_USER} --skip-chdir / sh -c '
    ! touch ./x /x 2>/dev/null || exit 9
    exec "$@"
  ' sh "$@"`;

/** Prepares the image whose files are in `application`, below `folder`. `start` runs a command in the image. */
async function prepareImage(folder: string, application: string) {
  const volume = join(folder, 'volume');
  await mkdir(volume);
  await chown(volume, NODE_USER, NODE_USER);
  const { DATA_DIR, ...variables } = imageEnvironment();
  expect(instruction('VOLUME')).toBe(DATA_DIR);
  expect(instruction('USER')).toBe(String(NODE_USER));
  const PATH = `${await linkPrograms(folder, application)}:/usr/sbin:/usr/bin:/sbin:/bin`;
  const env = { ...variables, PATH, PORT: await findPort(), DATA_DIR: volume, LOG_LEVEL: 'warn' };
  const start = (command: string[]) =>
    spawn('unshare', ['--mount', 'sh', '-c', READ_ONLY, 'sh', application, volume, tmpdir(), ...command], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  return { volume, env, start };
}

/** Runs a command of the image to its end. Returns its exit code. */
async function codeOf(command: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [name = '', ...args] = command;
  const [code] = await once(spawn(name, args, { env, stdio: 'ignore' }), 'exit');
  return code;
}

/** Runs the image, and uses every part that writes files: database, uploads, extraction, another command. */
export async function expectImageWorks(folder: string, application: string): Promise<void> {
  const { volume, env, start } = await prepareImage(folder, application);
  const [, check = ''] = /CMD (\[.*\])$/.exec(instruction('HEALTHCHECK')) ?? [];
  const server = start([...parseCommand(instruction('ENTRYPOINT')), ...parseCommand(instruction('CMD'))]);
  const exited = once(server, 'exit');
  try {
    await readGreeting(server, /answers at (http:\S+)/);
    expect(await codeOf(parseCommand(check), env)).toBe(0);
    await expectSearches(`http://127.0.0.1:${env.PORT}`, await readFile(join(volume, 'api-key'), 'utf8'));
    // As `docker exec` does.
    expect((await once(start(['knowledge-retrieval', 'keys', 'create']), 'exit'))[0]).toBe(0);
    expect((await stat(join(volume, 'api-key'))).uid).toBe(NODE_USER);
    expect(await readdir(volume)).toEqual(expect.arrayContaining(['api-key', 'files', 'postgres']));
    server.kill(instruction('STOPSIGNAL') as NodeJS.Signals); // what Docker sends
    expect((await exited)[0]).toBe(0);
    expect(await codeOf(parseCommand(check), env)).toBe(1);
  } finally {
    await end(server, 'SIGTERM');
  }
}

/** The size of the files of `directory`, in MiB. */
export async function sizeOf(directory: string): Promise<number> {
  const { stdout } = await promisify(execFile)('du', ['-sm', directory]);
  return Number.parseInt(stdout, 10);
}
