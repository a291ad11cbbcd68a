/**
 * Docker builds the image and runs it with the commands of the README. Where there is no Docker, package.test.ts runs
 * the same files as the Dockerfile says.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../../harness/service/service-process.ts';
import { dockerMissing } from './docker-tools.ts';
import { expectSearches } from './installed-package.ts';

const docker = async (...words: string[]): Promise<string> =>
  (await promisify(execFile)('docker', words, { cwd: root, maxBuffer: 2 ** 24 })).stdout.trim();

test.skipIf(dockerMissing !== undefined)(
  'the image is built, starts, and answers a search',
  { timeout: 1_200_000 },
  async () => {
    const tag = `knowledge-retrieval-test-${process.pid}`;
    await docker('build', '--quiet', '--tag', tag, '.');
    const container = await docker('run', '--detach', '--rm', '--init', '-p', '127.0.0.1::8080', tag);
    try {
      const address = `http://${await docker('port', container, '8080')}`;
      const isReady = async () => (await fetch(`${address}/readyz`).catch(() => undefined))?.status;
      await expect.poll(isReady).toBe(200);
      const apiKey = await docker('exec', container, 'cat', '/data/api-key');
      await expectSearches(address, apiKey);
    } finally {
      await docker('stop', container);
      await docker('rmi', tag);
    }
  },
);
