/** A data directory is made, or refused by the name of its setting. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { requireDataDirectory } from './data-directory.ts';
import { openFileStore } from './storage/file-store.ts';

const parent = mkdtempSync(join(tmpdir(), 'knowledge-retrieval-directory-'));
afterAll(() => rmSync(parent, { recursive: true }));

test('it is made with those above it, for others to pass only, and nothing is left in it', () => {
  const directory = join(parent, 'a b', 'c');
  requireDataDirectory(directory);
  requireDataDirectory(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o711);
  expect(readdirSync(directory)).toEqual([]);
});

test('a file, and a directory below one, are refused', () => {
  const file = join(parent, 'file');
  writeFileSync(file, 'kept');
  for (const directory of [file, join(file, 'below')])
    expect(() => requireDataDirectory(directory)).toThrow(`DATA_DIR (${directory}) cannot be used: `);
  expect(readFileSync(file, 'utf8')).toBe('kept');
});

// Node's mkdir with `recursive` never returns there.
test.runIf(process.platform === 'linux').each(['/proc/x', '/proc/x/below', '/proc'])(
  '%s, in which nothing can be made, is refused, and no store of files waits for it',
  async (directory) => {
    expect(() => requireDataDirectory(directory)).toThrow(`DATA_DIR (${directory}) cannot be used: `);
    await expect(openFileStore(join(directory, 'files'))).rejects.toThrow('mkdir');
  },
);
