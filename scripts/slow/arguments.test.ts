/** Every script of package.json has a help text, and rejects invalid arguments before it does anything. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';

const root = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>; // what npm demands
};

/** Starting a program takes half a second, and much longer on a busy machine. */
vi.setConfig({ testTimeout: 60_000, maxConcurrency: 4 });

/** npm runs these itself, before others or for `npm version`. They get no arguments. */
const isHook = (name: string): boolean =>
  name === 'version' || (name.startsWith('pre') && name.slice('pre'.length) in { ...scripts, pack: '' });

const OWN = Object.keys(scripts).filter((name) => !isHook(name));

/** Status and output of a program in the project's directory, without settings. */
async function runProgram(program: string, ...args: string[]) {
  const options = { cwd: root, env: { PATH: process.env.PATH } };
  return await promisify(execFile)(program, args, options).then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    ({ code: status, stdout, stderr }) => ({
      status: Number(status),
      stdout: String(stdout),
      stderr: String(stderr),
    }),
  );
}

/** Runs a script as npm does: the arguments follow its line. */
function run(name: string, ...args: string[]) {
  const [program = '', ...own] = (scripts[name] ?? '').split(' ');
  return runProgram(program === 'node' ? process.execPath : program, ...own, ...args);
}

/** The usage of a script names how to run it; the service's usage is the command's own. */
const usageOf = (name: string): RegExp =>
  name === 'start' ? /^Usage: knowledge-retrieval serve /m : new RegExp(`^Usage: npm run ${name} -- `, 'm');

test('the scripts are found', () => {
  expect(OWN).toEqual(expect.arrayContaining(['start', 'test', 'lint:spec', 'contract:dredd']));
});

test.concurrent.each(OWN)('%s --help prints its usage and its options, and does nothing', async (name) => {
  const { status, stdout, stderr } = await run(name, '--help');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(usageOf(name));
  expect(stdout).toContain('--help');
});

test.concurrent.each(OWN)('%s names an unknown option in a sentence, with the nearest one', async (name) => {
  const { status, stdout, stderr } = await run(name, '--hellp');
  // Its 1 says that a check has failed.
  expect({ status, stdout }).toEqual({ status: name === 'contract:dredd' ? 2 : 1, stdout: '' });
  expect(stderr).toMatch(/^error: unknown option '--hellp'\n\(Did you mean --help\?\)\n/);
  expect(stderr).not.toMatch(/^ +at /m);
});

test.concurrent.each([
  [['--help'], 0, /^$/, /^Usage: sh scripts\/image\.sh \[--help\] DIRECTORY\n/],
  [['--hellp'], 1, /^error: unknown option '--hellp'\nUsage: /, /^$/],
  [[], 1, /^error: the directory is missing\nUsage: /, /^$/],
  [['scripts'], 1, /^error: scripts exists already\nUsage: /, /^$/],
  [['one', 'two'], 1, /^error: one directory is expected, not also 'two'\n/, /^$/],
] as const)('image.sh %s', async (args, status, complaint, output) => {
  expect(await runProgram('sh', 'scripts/image.sh', ...args)).toEqual({
    status,
    stderr: expect.stringMatching(complaint),
    stdout: expect.stringMatching(output),
  });
});

test.concurrent.each([
  ['generate', 'there'],
  ['contract:dredd', '--url', 'nonsense', '--key', 'k'],
  ['contract:mutations', '--only', 'a bug that nobody has'],
  ['evaluate', '/nowhere'],
  ['pack:client', '/nowhere'],
  ['start', 'there'],
  ['benchmark', 'everything'],
  ['benchmark', 'load', '--url', 'http://127.0.0.1:1', '--key', 'k'],
  ['benchmark', 'load', '--questions', '/nowhere'],
  ['mock', '--port', '-1'],
])('%s refuses %s in a sentence', async (name, ...args) => {
  const { status, stdout, stderr } = await run(name, ...args);
  expect(stdout).toBe('');
  expect(status).toBeGreaterThan(0);
  expect(stderr).not.toMatch(/^ +at /m);
  expect(stderr.split('\n', 1)[0]).toMatch(/^\S.* .*[\w.']$/);
});

test('mock names the option to change when its port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo; // it listens on a port
  const { stderr } = await run('mock', '--port', String(port));
  other.close();
  expect(stderr).toMatch(/^Another program listens on port \d+ of 127\.0\.0\.1: .* set another --port\./);
});
