/** The compile cache, in processes of its own: a process has only one. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The cache directory of a process with these arguments; '' for none. */
const findDirectory = (args: string[], cwd: string): string =>
  execFileSync(
    process.execPath,
    [...args, '-p', 'process.getBuiltinModule("module").getCompileCacheDir() ?? ""'],
    {
      cwd,
      encoding: 'utf8',
    },
  ).trim();

const LOAD = ['--import', './bin/compile-cache.mjs'];

test('what has been compiled is kept within the installation', () => {
  expect(findDirectory(LOAD, root)).toContain(join(root, 'node_modules/.cache/knowledge-retrieval/'));
});

test('where nothing can be written, nothing is kept, and nothing fails', () => {
  const installation = mkdtempSync(join(tmpdir(), 'knowledge-retrieval-installation-'));
  try {
    mkdirSync(join(installation, 'bin'), { recursive: true });
    cpSync(join(root, 'bin/compile-cache.mjs'), join(installation, 'bin/compile-cache.mjs'));
    writeFileSync(join(installation, 'node_modules'), 'a file, in which even root makes no directory');
    expect(findDirectory(LOAD, installation)).toBe('');
  } finally {
    rmSync(installation, { recursive: true });
  }
});
