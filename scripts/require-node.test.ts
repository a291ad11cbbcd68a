/** Where npm has not installed the project's Node, an old one ends with a sentence. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs the guard on a Node that says that it is this one. */
function runOn(version: string) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const imports = [`data:text/javascript,${encodeURIComponent(pretend)}`, './scripts/require-node.mjs'];
  const args = [...imports.flatMap((each) => ['--import', each]), '--eval', 'console.log("ran")'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('an old Node ends with what to do, and a new one runs', () => {
  expect(runOn('24.0.0')).toEqual({ status: 0, stdout: 'ran\n', stderr: '' });
  const { status, stdout, stderr } = runOn('20.20.2');
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^This is Node 20\.20\.2, and 24 or later is needed\..*npm rebuild node/s);
});

test('every command of package.json that runs the project’s files asks first', () => {
  const { scripts, bin } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    scripts: Record<string, string>;
    bin: Record<string, string>;
  }; // the project's own
  const unasked = Object.entries(scripts).filter(
    ([, command]) => /\.ts\b|vitest/.test(command) && !command.includes('scripts/require-node.mjs'),
  );
  expect(unasked).toEqual([]);
  for (const file of Object.values(bin))
    expect(readFileSync(`${root}${file}`, 'utf8')).toContain("import './require-node.mjs';");
});
