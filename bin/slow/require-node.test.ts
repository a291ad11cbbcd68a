/** Without the project's Node or its dependencies, a command ends with a sentence that says what to do. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  scripts: Record<string, string>;
  bin: Record<string, string>;
}; // the project's own

/** A checkout with this folder, and a command line that prints its Node. */
let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'knowledge-retrieval-checkout-'));
  cpSync(join(root, 'bin'), join(checkout, 'bin'), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts'),
  });
  cpSync(join(root, 'scripts/install.mjs'), join(checkout, 'scripts/install.mjs'));
  cpSync(join(root, 'package.json'), join(checkout, 'package.json'));
  mkdirSync(join(checkout, 'src/cli'), { recursive: true });
  writeFileSync(
    join(checkout, 'src/cli/cli.ts'),
    'console.log(process.versions.node, ...process.argv.slice(2)); process.exitCode = 3;',
  );
});
afterEach(() => rmSync(checkout, { recursive: true }));

/** Installs the dependencies, of which the first that is imported stands for all. */
function install(): void {
  mkdirSync(join(checkout, 'node_modules/commander'), { recursive: true });
  writeFileSync(join(checkout, 'node_modules/commander/index.js'), '');
}

/** Adds the package `node` as npm unpacks it. Its binary comes with its install script. */
function installNode({ withBinary }: { withBinary: boolean }): void {
  install();
  const folder = join(checkout, 'node_modules/node');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name":"node"}');
  if (withBinary) symlinkSync(process.execPath, join(folder, 'bin/node'));
}

/** Node's arguments to run a script with a faked version. */
const argumentsOn = (version: string, script: string) => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  return ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, join(checkout, script)];
};

/** Runs a script from another directory. */
function runOn(version: string, script: string, command = 'doctor') {
  const args = [...argumentsOn(version, script), command];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: tmpdir(), encoding: 'utf8' });
  return { status, stdout, stderr };
}

const COMMAND = 'bin/knowledge-retrieval.mjs';

test('under Plug’n’Play of Yarn: which setting to write', () => {
  install();
  const pretend = `Object.defineProperty(process.versions, 'pnp', { value: '3' })`;
  const args = ['--import', `data:text/javascript,${pretend}`, join(checkout, COMMAND), 'serve'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: tmpdir(), encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringContaining('nodeLinker: node-modules')]);
});

test.each(['22.17.1', '22.18.0'])('Node %s before the first installation: how to install', (version) => {
  for (const script of [COMMAND, 'bin/require-node.mjs']) {
    const { status, stdout, stderr } = runOn(version, script);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`The dependencies are not installed. Install them by\n  node "${checkout}`);
  }
});

test('an old Node where npm ran no install scripts: how to get the project’s own; a new one runs', () => {
  installNode({ withBinary: false });
  const { status, stdout, stderr } = runOn('22.17.1', COMMAND);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^This is Node 22\.17\.1, and 22\.18 or later is needed\..*npm run preinstall --prefix/s,
  );
  expect(runOn('22.18.0', COMMAND)).toEqual({ status: 3, stdout: '22.18.0 doctor\n', stderr: '' });
});

test('an old Node, in a checkout and in a package: how to install a new one', () => {
  install();
  expect(runOn('20.20.2', COMMAND).stderr).toContain(`node "${join(checkout, 'scripts/install.mjs')}"`);
  rmSync(join(checkout, 'scripts'), { recursive: true });
  expect(runOn('20.20.2', COMMAND).stderr).toMatch(/^This is Node 20.*npm install node@24/s);
});

test('an old Node beside the project’s own: the command is run by that, other files name it', () => {
  installNode({ withBinary: true });
  const stdout = `${process.versions.node} doctor\n`;
  expect(runOn('20.20.2', COMMAND)).toEqual({ status: 3, stdout, stderr: '' });
  const { status, stderr } = runOn('20.20.2', 'bin/require-node.mjs');
  expect(status).toBe(1);
  expect(stderr).toContain(join(checkout, 'node_modules/node/bin:'));
});

const onOldAndNew = test.skipIf(process.platform === 'win32').each(['20.20.2', '24.0.0']);

onOldAndNew('on Node %s a server has the heap of npm start', (version) => {
  installNode({ withBinary: true });
  const print = "console.log(process.execArgv.find((option) => option.startsWith('--max-')))";
  writeFileSync(join(checkout, 'src/cli/cli.ts'), print);
  const [, option] = manifest.scripts.start?.split(' ') ?? [];
  expect(runOn(version, COMMAND, 'serve')).toEqual({ status: 0, stdout: `${option}\n`, stderr: '' });
});

test.skipIf(process.platform === 'win32')('a server that is given its heap keeps its settings', () => {
  install();
  writeFileSync(join(checkout, 'src/cli/cli.ts'), 'console.log(process.env.DATA_DIR)');
  // Node 22 and Node 24 differ here.
  const node = process.env.OLDEST_NODE ?? process.execPath;
  const env = { ...process.env, DATA_DIR: '/of/this/server' };
  const { stdout } = spawnSync(node, [join(checkout, COMMAND), 'serve'], { env, encoding: 'utf8' });
  expect(stdout).toBe('/of/this/server\n');
});

test.each([
  ['all packages', { 'node_modules/a': { version: '1.2.3' } }, 0, ''],
  ['another version', { 'node_modules/a': { version: '1.2.2' } }, 1, 'npm was asked for ci'],
  ['too few packages', {}, 1, 'npm was asked for ci'],
])('where npm itself has installed %s, a start installs what is missing', (_, packages, status, said) => {
  const locked = {
    'node_modules/a': { version: '1.2.3' },
    'node_modules/b': { version: '1.0.0', optional: true },
  };
  writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...locked } }));
  install();
  writeFileSync(join(checkout, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  writeFileSync(
    join(checkout, 'npm.cjs'),
    'console.error("npm was asked for", process.argv[2]); process.exit(1);',
  );
  const env = { ...process.env, npm_execpath: join(checkout, 'npm.cjs') };
  const command = [join(checkout, 'scripts/install.mjs'), '--omit=dev'];
  const started = spawnSync(process.execPath, command, { env, encoding: 'utf8' });
  expect([started.status, started.stderr]).toEqual([status, expect.stringContaining(said)]);
});

/** A command line that runs until a signal ends it, and records that signal. */
const LASTING = `
  setTimeout(() => process.exit(1), 20_000);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(signal, () => { console.log(signal); process.exit(); });
  console.log(process.pid, process.ppid);`;

/** Starts the lasting command. Returns its parent's and its own process id, and their output until all have ended. */
async function startLasting(file: string, args: string[]) {
  writeFileSync(join(checkout, 'src/cli/cli.ts'), LASTING);
  const started = spawn(file, args, { cwd: checkout, stdio: ['ignore', 'pipe', 'inherit'] });
  const [greeting] = await once(started.stdout.setEncoding('utf8'), 'data');
  let output = '';
  started.stdout.on('data', (more) => {
    output += more;
  });
  const [pid = 0, parent = 0] = String(greeting).split(' ').map(Number);
  const ended = once(started.stdout, 'end').then(() => output.trim());
  return { started, pid, parent, ended };
}

onOldAndNew('SIGTERM to npm ends the command that npm runs on Node %s', async (version) => {
  installNode({ withBinary: true });
  const command = [process.execPath, ...argumentsOn(version, COMMAND)].map(
    (word) => `'${word.replaceAll("'", "'\\''")}'`,
  );
  const { started, ended } = await startLasting('npm', ['exec', '--offline', '-c', command.join(' ')]);
  started.kill('SIGTERM');
  expect(await ended).toBe('SIGTERM');
});

test.skipIf(process.platform === 'win32')(
  'between an old Node and the project’s own: signals are passed on, and an end',
  async () => {
    installNode({ withBinary: true });
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const) {
      const { started, parent, ended } = await startLasting(
        process.execPath,
        argumentsOn('20.20.2', COMMAND),
      );
      expect(parent).toBe(started.pid);
      started.kill(signal);
      expect(await ended).toBe(signal === 'SIGKILL' ? 'SIGTERM' : signal);
    }
  },
);

test('every command of package.json that runs the project’s files asks first', () => {
  const asking = ['bin/require-node.mjs', COMMAND];
  const unasked = Object.entries(manifest.scripts).filter(
    ([, command]) => /\.ts\b|vitest/.test(command) && !asking.some((file) => command.includes(file)),
  );
  expect(unasked).toEqual([]);
  for (const file of Object.values(manifest.bin))
    expect(readFileSync(`${root}${file}`, 'utf8')).toContain("import('./require-node.mjs')");
});
