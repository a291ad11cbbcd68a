/**
 * A real Chromium for tests. On Linux (x64) it comes from npm with its libraries, so `npm test` needs nothing but npm.
 * Other systems use an installed Chrome.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserServer, chromium, type LaunchOptions } from 'playwright-core';

const modules = join(import.meta.dirname, '../../../node_modules');

/**
 * CI runs as root, where Chromium's sandbox does not work. The other flags switch off everything that no test needs,
 * above all requests to the network.
 */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--no-first-run',
];

/** Code that unpacks the npm package's browser into the system's temporary directory. */
const UNPACK = "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())";

/** The directory of the unpacked browser of the npm package (210 MB, 3 s, once per version). */
function unpackedBrowser(): string {
  const { version } = JSON.parse(readFileSync(join(modules, '@sparticuz/chromium/package.json'), 'utf8')) as {
    version: string;
  }; // what npm demands
  const caches = join(modules, '.cache');
  const directory = join(caches, `chromium-${version}`);
  if (existsSync(directory)) return directory;
  mkdirSync(caches, { recursive: true });
  const unpacking = mkdtempSync(join(caches, 'chromium-'));
  // The package unpacks the libraries beside the browser only where it detects Amazon's machines.
  const env = { ...process.env, TMPDIR: unpacking, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' };
  const { status, stderr } = spawnSync(process.execPath, ['-e', UNPACK], {
    cwd: modules,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Chromium could not be unpacked: ${stderr}`);
  // The package's own font directories are Amazon's. Without any font Chromium crashes at the first letter.
  writeFileSync(join(unpacking, 'fonts.conf'), '<fontconfig><dir prefix="relative">fonts</dir></fontconfig>');
  try {
    renameSync(unpacking, directory);
  } catch {
    // Another test was faster.
    rmSync(unpacking, { recursive: true });
  }
  return directory;
}

function launchOptions(): LaunchOptions {
  if (process.platform !== 'linux' || process.arch !== 'x64') return { channel: 'chrome', args: FLAGS };
  const directory = unpackedBrowser();
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(directory, 'al2023/lib'),
    FONTCONFIG_FILE: join(directory, 'fonts.conf'),
  };
  return { executablePath: join(directory, 'chromium'), env, args: ['--headless=shell', ...FLAGS] };
}

/**
 * Starts a browser that several processes can use; undefined where this machine has none, after a line on the terminal.
 */
export async function startBrowser(): Promise<BrowserServer | undefined> {
  try {
    return await chromium.launchServer(launchOptions());
  } catch (error) {
    if (process.platform === 'linux' && process.arch === 'x64') throw error;
    process.stderr.write('No Chrome is installed here: the tests in a browser are skipped.\n');
    return undefined;
  }
}
