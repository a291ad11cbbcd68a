/** scripts/deploy/cluster: its form, and that its parts fit each other, the image and the settings. No Docker runs. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { spawnCommand } from '../../harness/service/command-line.ts';
import { haproxy, lintProxy, PROXY_FILE, startHaproxy } from '../../harness/service/haproxy.ts';
import { environmentOf, root } from '../../harness/service/service-process.ts';
import { type ComposeService, lintCompose, readCompose, substitute } from './compose-file.ts';
import { imageEnvironment, instructions } from './docker-image.ts';
import { findPort } from './installed-package.ts';

const folder = join(root, 'scripts/deploy/cluster');
const file = join(folder, 'compose.yaml');
const { services, volumes } = readCompose<
  'postgres' | 'proxy' | 'server-1' | 'server-2' | 'store' | 'worker'
>(file);
const { proxy, store, worker } = services;
const servers = [services['server-1'], services['server-2']] as const;
const ours = [...servers, worker];

/** Those that the file's own first comment writes into .env. */
const SECRETS = {
  POSTGRES_PASSWORD: 'a0'.repeat(32),
  UPLOAD_SECRET: 'b1'.repeat(32),
  METRICS_TOKEN: 'f5'.repeat(32),
  S3_SECRET_KEY: 'c2'.repeat(32),
  S3_RPC_SECRET: 'd3'.repeat(32),
  S3_ACCESS_KEY: `GK${'e4'.repeat(12)}`,
};

const settingsOf = ({ environment }: ComposeService): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, substitute(value, SECRETS)]));

/** The number of a directive in haproxy.cfg, in seconds if it has that unit. */
function proxyNumber(pattern: RegExp): number {
  const [, value] = pattern.exec(readFileSync(PROXY_FILE, 'utf8')) ?? [];
  return Number(value);
}

test('it has the form of the Compose specification, and dclint finds nothing', () => {
  expect(lintCompose(file)).toBe('');
});

test('no secret is in the files, and the first comment makes each that they name', () => {
  const text = readFileSync(file, 'utf8');
  const required = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name));
  expect(required).toEqual(new Set(Object.keys(SECRETS)));
  const comment = text.slice(0, text.indexOf('x-service'));
  for (const name of Object.keys(SECRETS)) expect(comment).toContain(name);
  expect(readFileSync(join(folder, 'garage.toml'), 'utf8')).not.toMatch(/_(secret|token) *=/);
});

test.each([
  ['a server', ['serve', '--no-worker'], servers[0]],
  ['the worker', ['serve', '--worker'], worker],
])(
  '%s has settings that the service accepts, and all of them are on the page of settings',
  async (_name, command, service) => {
    const settingsPage = readFileSync(join(root, 'docs/settings.md'), 'utf8');
    expect(service.command).toEqual(command);
    for (const name of Object.keys(service.environment))
      if (!name.startsWith('AWS_')) expect(settingsPage).toContain(`| \`${name}\` |`);
    const environment = environmentOf(inject('dataDirectory'), settingsOf(service));
    const { output } = await spawnCommand(environment, 'doctor', '--no-server');
    expect(output).toContain('ok     settings\n');
  },
);

test('both servers are alike', () => {
  const parts = ({ command, environment, healthcheck }: ComposeService) => ({
    command,
    environment,
    healthcheck,
  });
  expect(parts(servers[1])).toEqual(parts(servers[0]));
});

test('servers and worker reach database and store with the secrets that those have', () => {
  for (const service of ours) {
    const { DATABASE_URL = '', S3_BUCKET, S3_ENDPOINT, ...settings } = settingsOf(service);
    const { username, password, hostname } = new URL(DATABASE_URL);
    const { POSTGRES_USER, POSTGRES_PASSWORD } = settingsOf(services.postgres);
    expect([username, password, hostname]).toEqual([POSTGRES_USER, POSTGRES_PASSWORD, 'postgres']);
    expect(settingsOf(store)).toMatchObject({
      GARAGE_DEFAULT_BUCKET: S3_BUCKET,
      GARAGE_DEFAULT_ACCESS_KEY: settings.AWS_ACCESS_KEY_ID,
      GARAGE_DEFAULT_SECRET_KEY: settings.AWS_SECRET_ACCESS_KEY,
    });
    const garage = readFileSync(join(folder, 'garage.toml'), 'utf8');
    expect(garage).toContain(`s3_region = "${settings.S3_REGION}"`);
    expect(garage).toContain(`:${settingsOf(proxy).STORE?.split(':')[1]}"`);
    // One address for clients and containers. The proxy knows the store's requests by the bucket.
    expect([S3_ENDPOINT, new URL(S3_ENDPOINT ?? '').hostname]).toEqual([
      settings.BASE_URL,
      ...(proxy.networks?.default.aliases ?? []),
    ]);
    expect(readFileSync(PROXY_FILE, 'utf8')).toContain(`path /${S3_BUCKET} } || { path_beg /${S3_BUCKET}/ }`);
  }
});

test('the proxy leads to the port of the image, at the published address', () => {
  const { PORT, DATA_DIR } = imageEnvironment();
  const { SERVER_1, SERVER_2, LISTEN } = settingsOf(proxy);
  expect([SERVER_1, SERVER_2]).toEqual([`server-1:${PORT}`, `server-2:${PORT}`]);
  const { port } = new URL(settingsOf(worker).BASE_URL ?? '');
  expect([LISTEN, proxy.ports]).toEqual([`:${port}`, [`127.0.0.1:${port}:${port}`]]);
  expect(instructions('VOLUME')).toEqual([DATA_DIR]);
  for (const { read_only, volumes: mounted = [], tmpfs = [] } of ours) {
    expect(read_only).toBe(true);
    expect([...mounted.map((each) => each.split(':')[1]), ...tmpfs].toSorted()).toEqual([DATA_DIR, '/tmp']);
  }
  expect(Object.keys(volumes)).toEqual(['data', 'database', 'objects']);
});

test('a server serves for longer than the proxy takes to notice, and Docker waits for both', () => {
  const noticed =
    proxyNumber(/inter (\d+)s/) * proxyNumber(/fall (\d+)/) + proxyNumber(/timeout check (\d+)s/);
  for (const service of ours) {
    const delay = Number(settingsOf(service).SHUTDOWN_DELAY_SECONDS);
    expect(delay).toBeGreaterThan(noticed);
    // The service promises to stop within ten seconds.
    expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(delay + 10);
  }
  // A restarted server is used before the next one that stops is given up.
  expect(proxyNumber(/rise (\d+)/)).toBeLessThan(proxyNumber(/fall (\d+)/));
});

/** A port where whoever connects is cut off, as by a server that is killed. */
async function listenAndCutOff() {
  const server = createServer((socket) => socket.once('data', () => socket.destroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port; // it listens on a port
}

test.skipIf(haproxy === undefined)(
  'what the proxy answers by itself has the envelope of the service',
  async () => {
    // The servers are checked, and both are unreachable. The store is not.
    const parts = {
      SERVER_1: '127.0.0.1:1',
      SERVER_2: '127.0.0.1:1',
      STORE: `127.0.0.1:${await listenAndCutOff()}`,
    };
    const { address, stop } = await startHaproxy(Number(await findPort()), parts, () => {});
    onTestFinished(stop);
    const answer = async (path: string) => {
      // A connection of its own: on one that had answers before, HAProxy would close instead of answering 502.
      const [response] = (await once(get(address + path, { agent: false }), 'response')) as [IncomingMessage];
      const { 'retry-after': retryAfter, 'content-type': type } = response.headers;
      return [response.statusCode, retryAfter, type, await json(response)];
    };
    const envelope = {
      success: false,
      message: expect.any(String),
      errorCode: 'SERVICE_UNAVAILABLE',
      data: {},
    };
    await expect
      .poll(() => answer('/v1/getBalance'), { timeout: 60_000 })
      .toEqual([503, '1', 'application/json', envelope]);
    expect(await answer('/knowledge-files/object')).toEqual([502, '1', 'application/json', envelope]);
  },
);

test.skipIf(haproxy === undefined)('HAProxy finds nothing wrong in haproxy.cfg', () => {
  expect(
    lintProxy({
      LISTEN: '127.0.0.1:8080',
      SERVER_1: '127.0.0.1:1',
      SERVER_2: '127.0.0.1:2',
      STORE: '127.0.0.1:3',
    }),
  ).toBe('');
});
