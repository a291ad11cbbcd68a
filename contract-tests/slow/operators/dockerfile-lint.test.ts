/** The Dockerfile has no finding of hadolint, which also checks its shell commands by ShellCheck. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../harness/service/service-process.ts';
import { hadolint } from './docker-tools.ts';

/** What hadolint says of a Dockerfile; '' where it finds nothing. */
function lint(dockerfile: string): string {
  const options = ['--no-color', '--format', 'tty', '-'];
  const { stdout, error } = spawnSync(hadolint ?? '', options, { input: dockerfile, encoding: 'utf8' });
  if (error !== undefined) throw error;
  return stdout;
}

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

test.skipIf(hadolint === undefined)('the Dockerfile has no finding', () => {
  expect(lint(dockerfile)).toBe('');
});

test.skipIf(hadolint === undefined).each([
  ['no user', dockerfile.replace(/^USER .*$/m, 'USER root'), 'DL3002'],
  ['no version of the base', dockerfile.replaceAll(/node:\S+/g, 'node:latest'), 'DL3007'],
  ['an unknown instruction', `${dockerfile}\nSTART now\n`, 'unexpected'],
  ['a mistake in the shell', dockerfile.replace('mkdir -m 711 /data', 'cd $MISSING'), 'SC2086'],
])('a Dockerfile with %s has one', (_what, broken, finding) => {
  expect(lint(broken)).toContain(finding);
});
