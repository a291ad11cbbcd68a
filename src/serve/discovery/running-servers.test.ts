/** Commands find the servers that run on a DATA_DIR, and trust no other program with its secrets. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterAll, expect, test, vi } from 'vitest';
import { readConfig } from '../../config/config.ts';
import {
  announceServer,
  findRunningServers,
  findServerAddress,
  localAddressOf,
  requireProven,
} from './running-servers.ts';
import { makeProofSecret, prove } from './server-proof.ts';

const log = pino({ level: 'silent' });
const dataDir = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-running-'));
const directory = join(dataDir, 'servers');
afterAll(() => rm(dataDir, { recursive: true }));

const configOf = (settings = {}) => readConfig({ DATA_DIR: dataDir, ...settings });
const config = configOf();

async function listen(server: Server, port = 0): Promise<string> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on TCP
}

/** Starts a program that answers challenges, and announces it. */
async function run(role: 'server' | 'worker') {
  const secret = makeProofSecret();
  const server = createServer(({ url = '' }, response) => {
    const challenge = new URL(url, 'http://server').searchParams.get('challenge');
    response.end(JSON.stringify({ data: { proof: prove(secret, challenge) } }));
  });
  const address = await listen(server);
  const forget = await announceServer(config, { server, role, secret, log });
  return { address, server, forget };
}

const close = (server: Server) => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
};
const find = async () => (await findRunningServers(config)).map(({ address }) => address).toSorted();
const requireServer = async () => requireProven(await findRunningServers(config), config);

test('without servers, the address is that of HOST and PORT, and nothing gets a secret', async () => {
  expect(await findServerAddress(config)).toBe('http://127.0.0.1:8080');
  expect(await findServerAddress(configOf({ PORT: '81', HOST: '::' }))).toBe('http://[::1]:81');
  expect(localAddressOf('http://0.0.0.0:9000')).toBe('http://127.0.0.1:9000');
  await expect(requireServer()).rejects.toThrow(`No server runs on DATA_DIR (${dataDir}). Start one`);
});

test('any server that runs is found until it ends, by its port only where PORT is set', async () => {
  const [first, second, worker] = [await run('server'), await run('server'), await run('worker')];
  expect(await find()).toEqual([first.address, second.address, worker.address].toSorted());
  const { port } = new URL(second.address);
  expect(await findServerAddress(configOf({ PORT: port }))).toBe(second.address);
  expect(await findServerAddress(configOf({ PORT: '81' }))).toBe('http://127.0.0.1:81');
  await first.forget();
  await worker.forget();
  expect((await requireServer())[0].address).toBe(second.address);
  await second.forget();
  expect(await find()).toEqual([]);
  await Promise.all([first, second, worker].map(({ server }) => close(server)));
});

test('a program on the port of a killed server proves nothing, even with an old answer of that server', async () => {
  const killed = await run('server');
  const challenge = 'a'.repeat(64);
  const recorded = await (await fetch(`${killed.address}/livez?challenge=${challenge}`)).text();
  expect(recorded).toContain('"proof":"');
  await close(killed.server);
  const port = Number(new URL(killed.address).port);
  const asked: (string | undefined)[] = [];
  const foreign = createServer(({ url }, response) => {
    asked.push(url);
    response.end(recorded);
  });
  await listen(foreign, port);
  expect(await find()).toEqual([]);
  expect(asked.filter((url = '') => !/^\/livez\?challenge=[0-9a-f]{64}$/.test(url))).toEqual([]);
  expect(asked).not.toEqual([]);
  await expect(requireServer()).rejects.toThrow('No server runs on DATA_DIR');
  await close(foreign);

  const silent = createServer(() => {});
  await listen(silent, port);
  await expect(requireServer()).rejects.toThrow(`What listens at ${killed.address}`);
  await close(silent);

  const next = await run('server');
  // The next start has removed the file of the killed one.
  await vi.waitUntil(async () => !(await readdir(directory)).join().includes(`-${port}.json`));
  await next.forget();
  await close(next.server);
});

test('files that no server has written hold nothing up, and go when nobody has refreshed them', async () => {
  await mkdir(directory, { recursive: true });
  const [old, recent] = [new Date(Date.now() - 3_600_000), new Date()];
  const own = await run('server');
  const [name = ''] = await readdir(directory);
  const real = JSON.parse(await readFile(join(directory, name), 'utf8'));
  await own.forget();
  const contents = {
    'half.json': '{"addr',
    'nonsense.json': JSON.stringify({ ...real, address: 'nonsense' }),
    'abroad.json': JSON.stringify({ ...real, address: 'http://192.0.2.1:80' }),
    'path.json': JSON.stringify({ ...real, address: `${real.address}/elsewhere?` }),
    'long.json': `${' '.repeat(5_000)}${JSON.stringify(real)}`,
    'machine.json': JSON.stringify({ ...real, machine: 'another machine' }),
  };
  for (const [file, content] of Object.entries(contents)) await writeFile(join(directory, file), content);
  execFileSync('mkfifo', [join(directory, 'fifo.json')]);
  expect(await find()).toEqual([]);

  for (const file of [...Object.keys(contents), 'fifo.json']) await utimes(join(directory, file), old, old);
  await utimes(join(directory, 'half.json'), recent, recent);
  const next = await run('server');
  await vi.waitUntil(async () => (await readdir(directory)).length === 2);
  expect(await readdir(directory)).toContain('half.json');
  await next.forget();
  await Promise.all([own, next].map(({ server }) => close(server)));
});

test('only what makes a challenge looks like one', () => {
  const secret = makeProofSecret();
  for (const challenge of [
    undefined,
    '',
    'a',
    'A'.repeat(64),
    'a'.repeat(65),
    ['a'.repeat(64)],
    'g'.repeat(64),
  ])
    expect(prove(secret, challenge)).toBeUndefined();
});

test.each(['localhost', '::1', '127.0.0.1'])(
  'a server at HOST %s is found, whatever proxy is set',
  async (host) => {
    vi.stubEnv('NO_PROXY', 'example.org');
    const secret = makeProofSecret();
    const server = createServer(({ url = '' }, response) => {
      const challenge = new URL(url, 'http://server').searchParams.get('challenge');
      response.end(JSON.stringify({ data: { proof: prove(secret, challenge) } }));
    });
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    const forget = await announceServer(config, { server, role: 'server', secret, log });
    // Node reads the settings of the proxy when it starts: another process finds the server, by its own request.
    const module = new URL('running-servers.ts', import.meta.url).href;
    const script = `
    const { findRunningServers } = await import(${JSON.stringify(module)});
    console.log(JSON.stringify(await findRunningServers({ dataDir: ${JSON.stringify(dataDir)}, isPortSet: false })));`;
    const environment = { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9' };
    const found = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      env: environment,
    });
    expect(JSON.parse(found.stdout)).toMatchObject([{ state: 'alive' }]);
    await forget();
    await close(server);
    vi.unstubAllEnvs();
  },
);
