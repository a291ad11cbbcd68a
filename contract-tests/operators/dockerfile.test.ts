/** The Dockerfile, followed without Docker: as far as its base image and the registry are not needed. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../harness/service-process.ts';
import { imageMissing, readDockerfile } from './docker-image.ts';
import { expectImageWorks } from './dockerfile.ts';

test('the base is the Node that the project names, to the last number, in every stage', async () => {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const { version } = lock.packages['node_modules/node'];
  const bases = (await readDockerfile())
    .filter(({ name }) => name === 'FROM')
    .map(({ value }) => value.split(' ')[0]);
  expect(bases).toEqual([`node:${version}-bookworm-slim`, `node:${version}-bookworm-slim`]);
});

test.skipIf(imageMissing)(
  'what it copies runs as its user on a read-only root, is healthy, and ends at its signal',
  async () => {
    await expectImageWorks(false);
  },
  180_000,
);
