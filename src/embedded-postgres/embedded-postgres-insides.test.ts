/** The embedded PostgreSQL also runs when npm was configured to run no install scripts. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findPrograms, linkLibraries } from './embedded-postgres-insides.ts';

test('the start creates the links of libraries that the install script has not created', () => {
  const parent = mkdtempSync(join(tmpdir(), 'embedded-package-'));
  const native = join(parent, 'native');
  mkdirSync(join(native, 'lib'), { recursive: true });
  const installed = join(dirname(findPrograms().postgres), '..');
  const list = readFileSync(join(installed, 'pg-symlinks.json'), 'utf8');
  writeFileSync(join(native, 'pg-symlinks.json'), list);
  const links = JSON.parse(list) as { source: string; target: string }[];
  for (const { source } of links) {
    mkdirSync(dirname(join(parent, source)), { recursive: true });
    if (!links.some(({ target }) => target === source)) writeFileSync(join(parent, source), source);
  }
  linkLibraries(native);
  linkLibraries(native);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter(({ target }) => !existsSync(join(parent, target)))).toEqual([]);
  rmSync(parent, { recursive: true });
});
