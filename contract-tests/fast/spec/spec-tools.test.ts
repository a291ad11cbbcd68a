/**
 * Checks the spec with its tools: generated code is current, linters find nothing, gaps.md names real tests, and each
 * operation's promises are tested.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { OPERATION_IDS } from '../../../src/contract-check/spec/routes.ts';

const root = join(import.meta.dirname, '../../..');

/** Runs a program in the project's folder, without requests to the network. Returns its exit code and output. */
async function runProgram(program: string, options: string[]): Promise<{ code: unknown; output: string }> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return await promisify(execFile)(program, options, { cwd: root, env }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
  );
}

/** Runs a tool of node_modules. */
const run = (tool: string, ...options: string[]) =>
  runProgram(join(root, 'node_modules/.bin', tool), options);
const runNode = (...options: string[]) => runProgram(process.execPath, options);

test('generated/ is up to date with the spec (npm run generate)', async () => {
  expect(await runNode(join(root, 'scripts/generate/generate.ts'), '--check')).toEqual({
    code: 0,
    output: '',
  });
});

test('Spectral finds no errors or warnings by the rules of OpenAPI and OWASP', async () => {
  const severity = ['--fail-severity=warn', '--display-only-failures'];
  const { code, output } = await run(
    'spectral',
    'lint',
    '-r',
    'scripts/lint-spec/spectral.yaml',
    ...severity,
    'spec/openapi.yaml',
  );
  expect(output).toContain("No results with a severity of 'warn' or higher found!");
  expect(code).toBe(0);
});

test('Redocly finds no errors', async () => {
  const { code, output } = await run(
    'redocly',
    'lint',
    '--config',
    'scripts/lint-spec/redocly.yaml',
    'spec/openapi.yaml',
  );
  expect(output).toContain('Your API description is valid');
  expect(code).toBe(0);
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
