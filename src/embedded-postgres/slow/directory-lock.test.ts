/** The lock on a data directory has one holder among all processes, and ends with its process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDirectory } from '../directory-lock.ts';

let directory: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lock-'));
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(directory, { recursive: true });
});

test('a second lock is refused until the first is released', () => {
  const lock = lockDirectory(directory);
  expect(() => lockDirectory(directory)).toThrow(
    `${directory} is in use by a running service (process ${process.pid})`,
  );
  lock.release();
  lock.release();
  lockDirectory(directory).release();
});

test('the holder keeps its lock after a refusal', async () => {
  const lock = lockDirectory(directory);
  expect(() => lockDirectory(directory)).toThrow('is in use');
  expect(await lockInAnotherProcess()).toContain(`is in use by a running service (process ${process.pid})`);
  lock.release();
});

test('another process is refused with the id of the holder, and gets the lock of a killed holder', async () => {
  const holder = hold();
  expect(await firstOutput(holder)).toBe('locked');
  expect(() => lockDirectory(directory)).toThrow(
    `${directory} is in use by a running service (process ${holder.pid})`,
  );
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  lockDirectory(directory).release();
});

test('other directories have locks of their own', () => {
  const other = join(directory, 'other');
  mkdirSync(other);
  const locks = [lockDirectory(directory), lockDirectory(other)];
  for (const lock of locks) lock.release();
});

test('the error contains the path that cannot be locked', () => {
  const file = join(directory, 'file');
  writeFileSync(file, '');
  expect(() => lockDirectory(file)).toThrow(`cannot lock ${file}`);
  expect(() => lockDirectory(join(directory, 'missing'))).toThrow(`cannot lock ${directory}/missing`);
});

async function lockInAnotherProcess(): Promise<string> {
  return firstOutput(hold());
}

/** Starts a process that prints `locked` and keeps the lock, or prints its error. */
function hold(): ChildProcess {
  const script = `
    import { lockDirectory } from ${JSON.stringify(new URL('../directory-lock.ts', import.meta.url).href)};
    try {
      lockDirectory(${JSON.stringify(directory)});
      console.log('locked');
      setInterval(() => globalThis.gc(), 10);
    } catch (error) {
      console.log(error.message);
    }`;
  const args = ['--expose-gc', '--input-type=module', '--eval', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

async function firstOutput(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no output');
  const [chunk] = await once(child.stdout, 'data');
  return String(chunk).trim();
}
