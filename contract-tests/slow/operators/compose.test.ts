/**
 * scripts/deploy/compose.yaml: its form, and that it fits the image, the settings and the health checks. No Docker
 * runs.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { spawnCommand } from '../../harness/service/command-line.ts';
import { environmentOf, root } from '../../harness/service/service-process.ts';
import { lintCompose, readCompose, substitute } from './compose-file.ts';
import { imageEnvironment, instructions } from './docker-image.ts';
import { findPort } from './installed-package.ts';

const file = join(root, 'scripts/deploy/compose.yaml');

const { services, volumes } = readCompose<'service' | 'postgres'>(file);
const { service, postgres } = services;

test('it has the form of the Compose specification, and dclint finds nothing', () => {
  expect(lintCompose(file)).toBe('');
});

test('it builds the image, keeps its volume, and publishes its port', () => {
  expect(existsSync(join(dirname(file), service.build?.context ?? '', 'Dockerfile'))).toBe(true);
  const { PORT, DATA_DIR } = imageEnvironment();
  expect(instructions('VOLUME')).toEqual([DATA_DIR]);
  expect(service.volumes).toEqual([`data:${DATA_DIR}`]);
  expect(service.ports?.map((port) => port.split(':').at(-1))).toEqual([PORT]);
  expect(Object.keys(volumes)).toEqual(['data', 'database']);
  // The service promises to stop within ten seconds.
  expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(10);
});

test('its variables are settings of the service; its address of the database is that of its PostgreSQL', async () => {
  const settingsPage = readFileSync(join(root, 'docs/settings.md'), 'utf8');
  for (const name of Object.keys(service.environment)) expect(settingsPage).toContain(`| \`${name}\` |`);
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
