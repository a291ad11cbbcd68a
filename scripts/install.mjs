/**
 * Installs the locked dependencies when they are missing or differ from the lock file,
 * so that `npm start` and `npm test` work right after cloning.
 * With --omit=dev it installs only the service's: a third of the packages, in half of the time.
 * It is plain JavaScript, because it runs on the machine's own Node (20 or later).
 * package.json overrides some packages by the empty package `pend`. They are never used here:
 * one counts installations (@scarf/scarf), one serves another runtime (bare-fs), one draws pages (@napi-rs/canvas).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const lock = readFileSync(`${root}package-lock.json`, 'utf8');
const omitDev = process.argv.includes('--omit=dev');

/** Copies of the lock file of the installation: one for all packages, one for the service's only. */
const markerOf = (scope) => `${root}node_modules/.installed-${scope}.json`;
const isInstalled = (scope) => existsSync(markerOf(scope)) && readFileSync(markerOf(scope), 'utf8') === lock;

const isReady = () => isInstalled('all') || (omitDev && isInstalled('service'));

/** Makes a second installation wait: two at once would remove each other's packages. */
const claim = `${root}.installing`;
const LOOK_INTERVAL_MS = 500;

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** Whether this process may install. Waits a moment while another process installs. */
function claimInstallation() {
  try {
    writeFileSync(claim, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const other = Number(existsSync(claim) && readFileSync(claim, 'utf8'));
    if (other > 0 && !isAlive(other)) rmSync(claim, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_INTERVAL_MS);
    return false;
  }
}

/**
 * `npm ci` begins by removing node_modules, even below a running service.
 * Where only the development packages are missing, they are added.
 */
const commandFor = () => (isInstalled('service') ? ['install', '--no-save'] : ['ci']);

function install() {
  process.stderr.write('Installing the locked dependencies; this takes up to a minute, once …\n');
  const npm = process.env.npm_execpath;
  const [command, ...args] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const flags = ['--no-fund', '--no-audit', '--loglevel=error', ...(omitDev ? ['--omit=dev'] : [])];
  const { status } = spawnSync(command, [...args, ...commandFor(), ...flags], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: npm === undefined && process.platform === 'win32',
  });
  if (status === 0) return writeFileSync(markerOf(omitDev ? 'service' : 'all'), lock);
  process.stderr.write('The installation by npm failed; see its messages above.\n');
  process.exit(1);
}

while (!isReady()) {
  if (!claimInstallation()) continue;
  process.once('exit', () => rmSync(claim, { force: true }));
  install();
}

// npm puts the project's Node first into PATH for the next script; this one may be the machine's.
// Imported here, since it looks for packages that have just been installed.
const { findObstacle, ownNode } = await import('../bin/node-version.mjs');
const obstacle = ownNode === undefined ? findObstacle() : undefined;
if (obstacle !== undefined) {
  process.stderr.write(obstacle);
  process.exit(1);
}
