/** Every script of package.json has a help text, and rejects invalid arguments. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>; // what npm demands
};

/**
 * The scripts for `npm run`. Scripts that npm runs before them take no arguments, and other tools have their own help.
 */
const OWN = Object.entries(scripts).filter(
  ([name, command]) => /\.ts$/.test(command) && !name.startsWith('pre'),
);

/** Runs it as npm does, without settings. */
function run(command: string, ...args: string[]) {
  const [, ...nodeArguments] = command.split(' ');
  const environment = { PATH: process.env.PATH };
  return spawnSync(process.execPath, [...nodeArguments, ...args], {
    cwd: root,
    env: environment,
    encoding: 'utf8',
  });
}

const SLOW = { timeout: 60_000 };

test('the scripts are found', () => {
  expect(OWN.map(([name]) => name)).toEqual(expect.arrayContaining(['generate', 'demo', 'contract:diff']));
});

test.each(OWN)('%s names an unknown option in a sentence, and prints its usage', SLOW, (name, command) => {
  const { status, stdout, stderr } = run(command, '--nonsense');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^error: unknown option '--nonsense'/);
  expect(stderr).toMatch(new RegExp(`^Usage: npm (run )?${name}\\b`, 'm'));
  expect(stderr).not.toMatch(/^ +at /m);
});

test.each(['pack:client'])('%s --help prints its usage, and does nothing', SLOW, (name) => {
  const { status, stdout, stderr } = run(scripts[name] ?? '', '--help');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^Usage: npm (run )?${name}\\b`));
});

test('all scripts read their arguments by scriptCommand, with --help', () => {
  const files = OWN.map(([, command]) => command.split(' ').at(-1) ?? '').filter((file) =>
    file.startsWith('scripts/'),
  );
  const others = files.filter((file) => !/\bscriptCommand\(/.test(readFileSync(join(root, file), 'utf8')));
  expect(others).toEqual([]);
});

test.each([
  ['generate', 'there'],
  ['contract:dredd', '--address', 'nonsense', '--key', 'k'],
  ['evaluate', '/nowhere'],
  ['pack:client', '/nowhere'],
  ['start', 'there'],
  ['mock', '--port', '-1'],
])('%s refuses %s in a sentence', SLOW, (name, ...args) => {
  const { status, stdout, stderr } = run(scripts[name] ?? '', ...args);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).not.toMatch(/^ +at /m);
  expect(stderr.split('\n', 1)[0]).toMatch(/^\S.* .*[\w.']$/);
});

test('mock names the option to change when its port is taken', SLOW, async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo; // it listens on a port
  const { stderr } = run(scripts.mock ?? '', '--port', String(port));
  other.close();
  expect(stderr).toMatch(/^Another program listens on port \d+ of 127\.0\.0\.1: .* set another --port\./);
});
