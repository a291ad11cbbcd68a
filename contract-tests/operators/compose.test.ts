/** scripts/deploy/compose.yaml: its form, and that it fits the image, the settings and the health checks. No Docker runs. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { spawnCommand } from '../harness/command-line.ts';
import { readDocument } from '../harness/read-document.ts';
import { environmentOf, root } from '../harness/service-process.ts';
import { imageEnvironment, instructions } from './docker-image.ts';
import { findPort } from './installed-package.ts';

const file = join(root, 'scripts/deploy/compose.yaml');

type ComposeService = {
  build: { context: string };
  environment: Record<string, string>;
  ports: string[];
  volumes: string[];
  healthcheck: { test: string[] };
  stop_grace_period: string;
};
const { services, volumes } = readDocument(file) as {
  services: { service: ComposeService; postgres: ComposeService };
  volumes: object;
}; // the test of its form checks it
const { service, postgres } = services;

/** Replaces variables as Compose does, in a shell where they have these values. */
const substitute = (text: string, values: Record<string, string> = {}): string =>
  text
    .replaceAll(/(?<!\$)\$\{(\w+):[?-][^}]*\}/g, (_variable, name: string) => values[name] ?? '')
    .replaceAll('$$', '$');

test('it has the form of the Compose specification, and dclint finds nothing', () => {
  const dclint = join(root, 'node_modules/.bin/dclint');
  const { status, stdout } = spawnSync(dclint, [file, '--max-warnings', '0'], { encoding: 'utf8' });
  expect({ status, stdout: stdout.trim() }).toEqual({ status: 0, stdout: '' });
});

test('it builds the image, keeps its volume, and publishes its port', () => {
  expect(existsSync(join(dirname(file), service.build.context, 'Dockerfile'))).toBe(true);
  const { PORT, DATA_DIR } = imageEnvironment();
  expect(instructions('VOLUME')).toEqual([DATA_DIR]);
  expect(service.volumes).toEqual([`data:${DATA_DIR}`]);
  expect(service.ports.map((port) => port.split(':').at(-1))).toEqual([PORT]);
  expect(Object.keys(volumes)).toEqual(['data', 'database']);
  // The service promises to stop within ten seconds.
  expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(10);
});

test('its variables are settings of the service, and its address of the database is that of its PostgreSQL', async () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  for (const name of Object.keys(service.environment)) expect(readme).toContain(`| \`${name}\` |`);
  const POSTGRES_PASSWORD = '0123456789abcdef';
  const values = Object.entries(service.environment).map(([name, value]) => [
    name,
    substitute(value, { POSTGRES_PASSWORD }),
  ]);
  const { username, password, hostname, pathname } = new URL(Object.fromEntries(values).DATABASE_URL);
  const { POSTGRES_USER } = postgres.environment;
  expect([username, password]).toEqual([
    POSTGRES_USER,
    substitute(postgres.environment.POSTGRES_PASSWORD ?? '', { POSTGRES_PASSWORD }),
  ]);
  expect([hostname, pathname]).toEqual(['postgres', `/${POSTGRES_USER}`]);
  const { output } = await spawnCommand(
    environmentOf(inject('dataDirectory'), Object.fromEntries(values)),
    'doctor',
    '--no-server',
  );
  expect(output).toContain('ok     settings\n');
});

test('the health check finds a service that is ready, and no other', async () => {
  const [, command = '', ...args] = service.healthcheck.test.map((part) => substitute(part));
  const check = (port: string) =>
    spawnSync(command, args, { env: { PATH: process.env.PATH, PORT: port } }).status;
  expect(check(new URL(inject('address')).port)).toBe(0);
  expect(check(await findPort())).toBe(1);
});
