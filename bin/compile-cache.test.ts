/** The compile cache, in processes of its own: a process has only one. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

test('npm start keeps what has been compiled within the installation', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, ...args] = scripts.start.split(' ');
  expect(args.pop()).toBe('src/main.ts');
  expect(findDirectory(args, root)).toContain(join(root, 'node_modules/.cache/knowledge-retrieval/'));
});

test('where nothing can be written, nothing is kept, and nothing fails', () => {
  const installation = mkdtempSync(join(tmpdir(), 'knowledge-retrieval-installation-'));
  try {
    mkdirSync(join(installation, 'bin'), { recursive: true });
    cpSync(join(root, 'bin/compile-cache.mjs'), join(installation, 'bin/compile-cache.mjs'));
    writeFileSync(join(installation, 'node_modules'), 'a file, in which even root makes no directory');
    expect(findDirectory(['--import', './bin/compile-cache.mjs'], installation)).toBe('');
  } finally {
    rmSync(installation, { recursive: true });
  }
});
