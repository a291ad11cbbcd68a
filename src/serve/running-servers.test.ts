/** Commands find the servers that run on a DATA_DIR, and no others. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, expect, test, vi } from 'vitest';
import { readConfig } from '../config/config.ts';
import { announceServer, findRunningServers, findServerAddress, localAddressOf } from './running-servers.ts';

const log = pino({ level: 'silent' });
const dataDir = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-running-'));
afterAll(() => rm(dataDir, { recursive: true }));

const configOf = (settings = {}) => readConfig({ DATA_DIR: dataDir, ...settings });
const config = configOf();

/** Starts a program that says to be a server of this deployment, and announces it. */
async function run(role: 'server' | 'worker', says = 'ours') {
  const server = createServer((_request, response) =>
    response.end(JSON.stringify({ data: { deploymentId: says } })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on TCP
  const forget = await announceServer(config, { address, role, deploymentId: 'ours', log });
  return { address, server, forget };
}

const close = (server: Server) => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
};
const find = async () => (await findRunningServers(config)).map(({ address }) => address).toSorted();

test('without servers, the address is that of HOST and PORT', async () => {
  expect(await findServerAddress(config)).toBe('http://127.0.0.1:8080');
  expect(await findServerAddress(configOf({ PORT: '81', HOST: '::' }))).toBe('http://[::1]:81');
  expect(localAddressOf('http://0.0.0.0:9000')).toBe('http://127.0.0.1:9000');
});

test('any server that runs is found until it ends, by its port only where PORT is set', async () => {
  const [first, second, worker] = [await run('server'), await run('server'), await run('worker')];
  expect(await find()).toEqual([first.address, second.address, worker.address].toSorted());
  const { port } = new URL(second.address);
  expect(await findServerAddress(configOf({ PORT: port }))).toBe(second.address);
  expect(await findServerAddress(configOf({ PORT: '81' }))).toBe('http://127.0.0.1:81');
  await first.forget();
  await worker.forget();
  expect(await findServerAddress(config)).toBe(second.address);
  await second.forget();
  expect(await find()).toEqual([]);
  await Promise.all([first, second, worker].map(({ server }) => close(server)));
});

test('a killed server misleads nobody: neither where its port is free, nor where others have it', async () => {
  const killed = await run('server');
  await close(killed.server);
  const foreign = await run('server', 'of another deployment');
  await writeFile(join(dataDir, 'servers', 'broken.json'), '{"address": 7}');
  await writeFile(join(dataDir, 'servers', 'half.json'), '{"addr');
  expect(await find()).toEqual([]);
  expect(await findServerAddress(config)).toBe('http://127.0.0.1:8080');
  const next = await run('server');
  expect(await findServerAddress(config)).toBe(next.address);
  const { port } = new URL(killed.address);
  // The next start has removed the file of the killed one.
  await vi.waitUntil(async () => !(await readdir(join(dataDir, 'servers'))).join().includes(`-${port}.json`));
  await Promise.all([foreign, next].map(({ server }) => close(server)));
});
