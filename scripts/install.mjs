/**
 * Installs the locked dependencies when they are missing or older than the lock file, so that `npm start`
 * and `npm test` work right after cloning. Plain JavaScript: it runs on the machine's own Node (20 or later).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const lockFile = `${root}package-lock.json`;
/** A copy of the lock file that node_modules was installed from; npm's own one leaves out optional packages. */
const installedLockFile = `${root}node_modules/.installed-lock.json`;

const isInstalled = () =>
  existsSync(installedLockFile) && readFileSync(installedLockFile, 'utf8') === readFileSync(lockFile, 'utf8');

if (!isInstalled()) {
  process.stderr.write('Installing the locked dependencies (once, about half a minute) …\n');
  const npm = process.env['npm_execpath'];
  const command = npm === undefined ? ['npm'] : [process.execPath, npm];
  const result = spawnSync(
    command[0],
    [...command.slice(1), 'ci', '--no-fund', '--no-audit', '--loglevel=error'],
    { cwd: root, stdio: ['ignore', 2, 2], shell: npm === undefined && process.platform === 'win32' },
  );
  if (result.status !== 0) {
    process.stderr.write('npm ci failed; its messages stand above.\n');
    process.exit(1);
  }
  writeFileSync(installedLockFile, readFileSync(lockFile));
}
