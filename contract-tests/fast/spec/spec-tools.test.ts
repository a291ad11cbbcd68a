/** What belongs to the spec is current: generated code, the tests that gaps.md names, the tests of each operation. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { OPERATION_IDS } from '../../../src/contract-check/spec/routes.ts';

const root = join(import.meta.dirname, '../../..');

test('generated/ is up to date with the spec (npm run generate)', async () => {
  const generate = join(root, 'scripts/generate/generate.ts');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [generate, '--check'], {
    cwd: root,
  });
  expect(stdout + stderr).toBe('');
});

test('every row of gaps.md names a test, and every named test exists', () => {
  const rows = readFileSync(join(root, 'spec/gaps.md'), 'utf8').match(/^\| .*$/gm) ?? [];
  const gaps = rows.filter((row) => !row.startsWith('| gap |'));
  expect(gaps.length).toBeGreaterThan(0);
  expect(gaps.filter((row) => !/`[\w/-]+\.test\.ts` \|$/.test(row))).toEqual([]);
  const named = gaps.flatMap((row) =>
    [...row.matchAll(/`([\w/-]+\.test\.ts)`/g)].map(([, file = '']) => file),
  );
  const tests = readdirSync(join(root, 'contract-tests'), { recursive: true, encoding: 'utf8' });
  const missing = named.filter((file) =>
    file.includes('/') ? !existsSync(join(root, file)) : !tests.some((path) => basename(path) === file),
  );
  expect(missing).toEqual([]);
});

test('the tests of each operation run its promises, in one file', () => {
  const folder = join(import.meta.dirname, '../operations');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const tests = files.filter((file) => file.endsWith('.test.ts'));
  const code = tests.map((file) => readFileSync(join(folder, file), 'utf8'));
  const run = code.flatMap((text) =>
    [...text.matchAll(/^testPromises\('(\w+)'\);/gm)].map(([, operationId]) => operationId),
  );
  expect(run.toSorted()).toEqual(OPERATION_IDS.toSorted());
});
