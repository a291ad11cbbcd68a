/**
 * Installs the locked dependencies when they are missing or differ from the lock file,
 * so that `npm start` and `npm test` work right after cloning.
 * With --omit=dev it installs only the service's: a third of the packages, in half of the time.
 * Where the machine's Node is too old for the project, it also installs the package `node`, which brings its own.
 * It is plain JavaScript, because it runs on the machine's Node (20 or later).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findObstacle, findOwnNode, isNodeTooOld } from '../bin/node-version.mjs';

/** Its binary has no place in the lock file, since only an old Node needs it: 190 MB. */
const OWN_NODE = 'node@24.21.0';

const root = fileURLToPath(new URL('..', import.meta.url));
const lock = readFileSync(`${root}package-lock.json`, 'utf8');
const omitDev = process.argv.includes('--omit=dev');

/** Copies of the lock file of the installation: one for all packages, one for the service's only. */
const markerOf = (scope) => `${root}node_modules/.installed-${scope}.json`;
const isInstalled = (scope) => existsSync(markerOf(scope)) && readFileSync(markerOf(scope), 'utf8') === lock;

/** Whether npm itself has installed all packages, by its own record: those of other platforms are left out. */
function isInstalledByNpm() {
  const record = `${root}node_modules/.package-lock.json`;
  if (!existsSync(record)) return false;
  const { packages: installed } = JSON.parse(readFileSync(record, 'utf8'));
  return Object.entries(JSON.parse(lock).packages).every(
    ([path, { version, optional }]) => path === '' || optional || installed[path]?.version === version,
  );
}

/** npm puts the project's Node first into PATH: from the second start on it runs this file, and npm may replace it. */
const isOwnNode = process.execPath.startsWith(`${root}node_modules`);
const needsNode = isNodeTooOld || isOwnNode;
const hasNode = () => !needsNode || findOwnNode() !== undefined;
const isReady = () => (isInstalled('all') || (omitDev && isInstalled('service'))) && hasNode();

/** Makes a second installation wait: two at once would remove each other's packages. */
const claim = `${root}.installing`;
const LOOK_INTERVAL_MS = 500;
/** A claim without a process id is one that is just being written, or that was cut off. */
const WRITTEN_WITHIN_MS = 5_000;

/** Whether the process installs. Its id may be another's by now: on Linux its command line decides. */
function isInstalling(pid) {
  try {
    process.kill(pid, 0);
    const commandLine = `/proc/${pid}/cmdline`;
    return !existsSync(commandLine) || /install\.mjs|npm/.test(readFileSync(commandLine, 'utf8'));
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Whether the installer that holds the claim runs, or its npm, which outlives it when it is killed. */
function isHeld() {
  try {
    const pids = readFileSync(claim, 'utf8').split(' ').map(Number);
    if (pids.every((pid) => pid > 0)) return pids.some(isInstalling);
    return Date.now() - statSync(claim).mtimeMs < WRITTEN_WITHIN_MS;
  } catch {
    return true; // it has just been removed
  }
}

/** Returns when this process may install: at once, or after the installation of another process. */
function claimInstallation() {
  for (let look = 0; ; look++) {
    try {
      writeFileSync(claim, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') {
        process.stderr.write(`The dependencies cannot be installed here: ${error.message}.\n`);
        process.exit(1);
      }
    }
    if (!isHeld()) rmSync(claim, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_INTERVAL_MS);
    if (look === 3) process.stderr.write('Waiting for another installation in this folder …\n');
  }
}

/** Runs npm in the project. Ends this process where npm fails. */
async function runNpm(...args) {
  // The file of this process may be gone by now.
  const npm = isOwnNode ? undefined : process.env.npm_execpath;
  const [command, ...first] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const child = spawn(command, [...first, ...args, '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: npm === undefined && process.platform === 'win32',
  });
  if (child.pid !== undefined) writeFileSync(claim, `${process.pid} ${child.pid}`);
  const [status] = await once(child, 'exit').catch((error) => [error.message]);
  if (status === 0) return;
  process.stderr.write('The installation by npm failed; see its messages above.\n');
  process.exit(1);
}

/** Only developers read source maps: a fifth of what npm has unpacked. */
function removeSourceMaps() {
  for (const path of readdirSync(`${root}node_modules`, { recursive: true }))
    if (path.endsWith('.map')) rmSync(`${root}node_modules/${path}`, { force: true });
}

async function install() {
  process.stderr.write('Installing the locked dependencies; this takes up to a minute, once …\n');
  const isForService = omitDev && !isInstalled('all');
  const scope = isForService ? ['--omit=dev'] : [];
  // `npm ci` begins by removing node_modules, even below a running service. What only lacks something is added to.
  const isPartial = isInstalled('service') || isInstalled('all');
  if (!isPartial) await runNpm('ci', ...scope);
  if (isPartial || needsNode)
    await runNpm('install', '--no-save', ...scope, ...(needsNode ? [OWN_NODE] : []));
  if (isForService) removeSourceMaps();
  writeFileSync(markerOf(isForService ? 'service' : 'all'), lock);
}

// A reader who types `npm install` first: a second installation would throw that away.
if (!isReady() && isInstalledByNpm()) writeFileSync(markerOf('all'), lock);
if (!isReady()) {
  claimInstallation();
  process.once('exit', () => rmSync(claim, { force: true }));
  if (!isReady()) await install();
}

// The next script is run by the project's Node where there is one; this one may be run by the machine's.
const obstacle = findOwnNode() === undefined ? findObstacle() : undefined;
if (obstacle !== undefined) {
  process.stderr.write(obstacle);
  process.exit(1);
}
