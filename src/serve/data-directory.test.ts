/** A data directory is created, or refused with the name of its setting. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openDiskStore } from '../files/disk-store.ts';
import { findUnusable, requireDataDirectory } from './data-directory.ts';

const parent = mkdtempSync(join(tmpdir(), 'knowledge-retrieval-directory-'));
afterAll(() => rmSync(parent, { recursive: true }));

test('it is created with its parents and mode 711, and is empty', () => {
  const directory = join(parent, 'a b', 'c');
  requireDataDirectory(directory);
  requireDataDirectory(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o711);
  expect(readdirSync(directory)).toEqual([]);
});

/** The error of the start, which is also the problem that doctor reports. */
function refusalOf(directory: string): string {
  const { problem, remedy } = findUnusable(directory) ?? {};
  const refusal = `${problem} ${remedy}`;
  expect(() => requireDataDirectory(directory)).toThrow(refusal);
  return refusal;
}

test('a file is refused, and so is a directory below a file', () => {
  const file = join(parent, 'file');
  writeFileSync(file, 'kept');
  for (const directory of [file, join(file, 'below')])
    expect(refusalOf(directory)).toBe(
      `DATA_DIR (${directory}) cannot be used: ${file} is not a directory. Set another DATA_DIR.`,
    );
  expect(readFileSync(file, 'utf8')).toBe('kept');
});

test.each(['~/data', '$HOME/data', `$${'{HOME}'}/data`, 'a/~'])(
  '%s, which no shell has read, is refused',
  (path) => {
    expect(refusalOf(join(parent, path))).toMatch(/has ~ or a variable in it.* Write the whole path\.$/);
    expect(readdirSync(parent)).not.toContain(path.split('/')[0]);
  },
);

test('a directory that exists may have such a name, and others may have a part of it', () => {
  mkdirSync(join(parent, '~'));
  for (const path of ['~', 'a~b', 'US$5', '~user'])
    expect(() => requireDataDirectory(join(parent, path))).not.toThrow();
});

test('a link that leads nowhere is refused', () => {
  symlinkSync(join(parent, 'nowhere'), join(parent, 'link'));
  expect(refusalOf(join(parent, 'link'))).toContain('and is a link that leads nowhere. Make its target');
});

// In these directories Node's mkdir with `recursive` never returns.
test.runIf(process.platform === 'linux').each([
  ['/proc/x', 'it cannot be made in /proc (ENOENT). '],
  ['/proc/x/below', 'it cannot be made in /proc (ENOENT). '],
  ['/proc', 'nothing can be written into it (ENOENT). '],
])('%s, where no file can be created, is refused immediately', async (directory, reason) => {
  expect(refusalOf(directory)).toContain(`DATA_DIR (${directory}) cannot be used: ${reason}`);
  await expect(openDiskStore(join(directory, 'files'))).rejects.toThrow('mkdir');
});
