/** The extraction process finds all of its modules prepared. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openModules } from './extraction-modules.ts';

const loader = fileURLToPath(new URL('./extraction-loader.cjs', import.meta.url));
const formats = readdirSync(new URL('../formats/', import.meta.url))
  .filter((name) => !name.endsWith('.test.ts'))
  .map((name) => `../formats/${name}`);

let modules: number;
beforeAll(async () => {
  modules = await openModules();
});
afterAll(() => closeSync(modules));

/** Imports a module in a Node that strips no types: TypeScript would be a syntax error or an unknown file type. */
const importing = (path: string, opened: number | 'ignore') =>
  spawnSync(
    process.execPath,
    [
      '--no-strip-types',
      `--require=${loader}`,
      '--input-type=module',
      '--eval',
      `await import('${new URL(path, import.meta.url).href}')`,
    ],
    { stdio: ['ignore', 'pipe', 'pipe', opened], encoding: 'utf8' },
  );

test.each(['../extract.ts', './extraction-watchdog.ts', ...formats])('%s', (path) => {
  expect(importing(path, modules)).toMatchObject({ status: 0, stderr: '' });
});

test('one process after another reads them from their start', () => {
  for (let i = 0; i < 2; i++) expect(importing('../extract.ts', modules)).toMatchObject({ status: 0 });
});

test('without them a module stays TypeScript', () => {
  expect(importing('../extract.ts', 'ignore').stderr).toContain('.ts');
});

test('a process that is killed while it prepares them leaves nothing behind: their file has no name by then', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'knowledge-retrieval-test-'));
  vi.stubEnv('TMPDIR', directory);
  const preparing = openModules();
  vi.unstubAllEnvs();
  expect(readdirSync(directory)).toEqual([]);
  closeSync(await preparing);
  rmSync(directory, { recursive: true });
});
