/** The package as package managers install it, on the oldest and on the newest Node, and on one that is too old. */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { end, readGreeting, root } from '../../harness/service/service-process.ts';
import { createFolder, expectSearches, findPort, packPackage } from './installed-package.ts';

const run = promisify(execFile);
const { folder, remove } = await createFolder();
afterAll(remove);

/** The programs of npm's registry that the tests run, by their folders. */
const PROGRAMS = {
  pnpm: 'pnpm@12.21.0',
  yarn: '@yarnpkg/cli-dist@4.18.1',
  old: 'node@20.20.2',
  oldest: 'node@22.18.0',
  newest: 'node@26.10.0',
};
type Program = keyof typeof PROGRAMS;

const QUIET = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];

/** Installs the programs and packs the package. Returns its file; undefined if npm's registry cannot be reached. */
async function prepare(): Promise<string | undefined> {
  try {
    for (const [name, spec] of Object.entries(PROGRAMS))
      await run('npm', ['install', '--prefix', join(folder, name), '--ignore-scripts=false', ...QUIET, spec]);
  } catch {
    return undefined;
  }
  return await packPackage(folder);
}
const tarball = await prepare();
if (tarball === undefined)
  process.stdout.write('Skipped: package managers. npm’s registry cannot be reached.\n');
const testPackage = test.skipIf(tarball === undefined);

const nodeOf = (program: Program): string => join(folder, program, 'node_modules/node/bin/node');
const scriptOf = (program: Program, file: string): string =>
  join(folder, program, 'node_modules', PROGRAMS[program].replace(/@[\d.]+$/, ''), file);

/** Creates a project, whose package.json has these further fields. */
async function createProject(name: string, fields: object = {}): Promise<string> {
  const project = join(folder, name);
  await mkdir(project, { recursive: true });
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ name: basename(name), private: true, ...fields }),
  );
  return project;
}

/** The command of a package that is found from `project`, in its own node_modules or in those above it. */
function findCommand(project: string): string {
  const file = join(project, 'node_modules/knowledge-retrieval/bin/knowledge-retrieval.mjs');
  return existsSync(file) ? file : findCommand(join(project, '..'));
}

/** Serves from `project` on a Node, imports a file and finds it, and lets `doctor` look. */
async function expectWorks(project: string, node: string): Promise<void> {
  const command = findCommand(project);
  const PORT = await findPort();
  const dataDir = join(project, 'data');
  const env = { PATH: process.env.PATH, PORT, DATA_DIR: dataDir, LOG_LEVEL: 'warn' };
  const server = spawn(node, [command, 'serve'], { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await readGreeting(server, /answers at (http:\S+)/);
    await expectSearches(`http://127.0.0.1:${PORT}`, await readFile(join(dataDir, 'api-key'), 'utf8'));
    const { stdout } = await run(node, [command, 'doctor'], { cwd: project, env });
    expect(stdout).toContain('\n0 problems');
  } finally {
    await end(server, 'SIGTERM');
  }
}

testPackage('pnpm, which runs no install scripts and links packages; on the oldest Node', async () => {
  const project = await createProject('by-pnpm');
  const pnpm = [scriptOf('pnpm', 'bin/pnpm.mjs'), 'add', tarball ?? ''];
  // It ends with a failure for the scripts that it has not run, after all is installed.
  await run(process.execPath, pnpm, { cwd: project }).catch((error) =>
    expect(error.stdout + error.stderr).toContain('ERR_PNPM_IGNORED_BUILDS'),
  );
  await expectWorks(project, nodeOf('oldest'));
});

testPackage('Yarn: its Plug’n’Play is refused, and the setting of the sentence works', async () => {
  const project = await createProject('by-yarn', {
    dependencies: { 'knowledge-retrieval': `file:${tarball}` },
  });
  await writeFile(join(project, 'yarn.lock'), '');
  const yarn = (...args: string[]) =>
    run(process.execPath, [scriptOf('yarn', 'bin/yarn.js'), ...args], {
      cwd: project,
      env: { ...process.env, YARN_ENABLE_IMMUTABLE_INSTALLS: 'false' },
    });
  await yarn('install');
  await expect(yarn('knowledge-retrieval', 'serve')).rejects.toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('Write `nodeLinker: node-modules` into .yarnrc.yml'),
  });
  await writeFile(join(project, '.yarnrc.yml'), 'nodeLinker: node-modules\n');
  await yarn('install');
  await expectWorks(project, process.execPath);
});

testPackage(
  'a monorepo, whose packages want other versions of ours; without a network; on the newest Node',
  async () => {
    const project = await createProject('monorepo', { workspaces: ['packages/*'] });
    const app = await createProject('monorepo/packages/app', {
      dependencies: { 'knowledge-retrieval': `file:${tarball}`, koa: '2.16.0', pg: '8.11.0' },
    });
    const cache = ['--cache', join(folder, 'cache')];
    await run('npm', ['install', ...QUIET, ...cache], { cwd: project });
    await run('npm', ['ci', ...QUIET, ...cache], { cwd: project });
    await run('npm', ['ci', '--offline', ...QUIET, ...cache], { cwd: project });
    await expectWorks(app, nodeOf('newest'));
  },
);

testPackage('a Node that is too old: a sentence, before anything is written', async () => {
  const project = await createProject('on-an-old-node', { dependencies: {} });
  const command = findCommand(join(folder, 'by-yarn'));
  const started = run(nodeOf('old'), [command, 'serve'], { cwd: project, env: { PATH: process.env.PATH } });
  await expect(started).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^This is Node 20\.20\.2, and 22\.18 or later is needed\. .*npm install node@24/s,
    ),
  });
  expect(await readdir(project)).toEqual(['package.json']);
});

testPackage('npx on a Node that is too old: both versions, before anything is installed', async () => {
  const project = await createProject('by-npx');
  const cache = join(folder, 'empty-cache');
  const env = {
    ...process.env,
    PATH: `${join(nodeOf('old'), '..')}:${process.env.PATH}`,
    npm_config_cache: cache,
  };
  const started = run('npx', ['--yes', '--engine-strict', `file:${tarball}`, 'serve'], { cwd: project, env });
  const error = await started.catch(({ stderr }) => String(stderr));
  expect(error).toMatch(/EBADENGINE.*"node":">=22\.18".*"node":"v20\.20\.2"/s);
  expect(await readdir(project)).toEqual(['package.json']);
  expect(existsSync(join(cache, '_npx', 'node_modules'))).toBe(false);
});

testPackage('npx in a checkout, on a Node that is too old: nothing but its own output', async () => {
  const env = {
    ...process.env,
    PATH: `${join(nodeOf('old'), '..')}:${process.env.PATH}`,
    npm_config_cache: join(folder, 'cache-of-checkout'),
  };
  const { stdout, stderr } = await run('npx', ['knowledge-retrieval', '--version'], { cwd: root, env });
  expect({ stdout, stderr }).toEqual({ stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' });
});
