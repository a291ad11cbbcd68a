/**
 * Checks whether this Node can run the project, and finds the project's own Node.
 * It is plain JavaScript, so that an old Node can read it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Such as `>=22.18`: the first Node that runs TypeScript without an option, or a warning. */
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const least = engines.node.slice('>='.length);

const [leastMajor, leastMinor] = least.split('.').map(Number);
const [major, minor] = process.versions.node.split('.').map(Number);

export const isNodeTooOld = major < leastMajor || (major === leastMajor && minor < leastMinor);

const { resolve } = createRequire(import.meta.url);

/** The file of a dependency, from any working directory; undefined where it is missing. */
function find(name) {
  try {
    return resolve(name);
  } catch {
    return undefined;
  }
}

/** The manifest of the package `node`, which only an old Node needs. */
const findManifest = () => find('node/package.json');

/** The Node of the package `node`; undefined where it is missing. */
export function findOwnNode() {
  const manifest = findManifest();
  if (manifest === undefined) return undefined;
  const paths = ['node', 'node.exe'].map((name) => join(dirname(manifest), 'bin', name));
  return paths.find((path) => existsSync(path));
}

/** Only the checkout has it. */
const installer = fileURLToPath(new URL('../scripts/install.mjs', import.meta.url));

const howToInstall = () =>
  existsSync(installer)
    ? `The dependencies are not installed. Install them by\n  node "${installer}" --omit=dev\n`
    : 'The dependencies are not installed. Install this package again by npm.\n';

/** How an old Node gets a new one. */
function howToGetNode() {
  const orNewer = `or put Node ${least} or later first into PATH.\n`;
  const ownNode = findOwnNode();
  if (ownNode !== undefined)
    return `Put the one that npm has installed here first into PATH:\n  export PATH="${dirname(ownNode)}:$PATH"\n`;
  const manifest = findManifest();
  // A script that is named runs even where npm is configured to run no install scripts.
  if (manifest !== undefined)
    return (
      'Only an install script fetches the one of the package `node`, and npm was told to run none. Run it by\n' +
      `  npm run preinstall --prefix "${dirname(manifest)}"\n${orNewer}`
    );
  const install = existsSync(installer) ? `node "${installer}" --omit=dev` : 'npm install node@24';
  return `Let npm install one by\n  ${install}\n${orNewer}`;
}

/** Under Yarn's Plug'n'Play, packages stay in archives, and Node's functions for files are replaced by others. */
const PLUG_AND_PLAY =
  "Yarn's Plug'n'Play cannot run this package. Write `nodeLinker: node-modules` into .yarnrc.yml, then run\n" +
  '  yarn install\n';

/** Why nothing can run yet and what to do, for the person who started it; undefined where everything can run. */
export function findObstacle() {
  if (process.versions.pnp !== undefined) return PLUG_AND_PLAY;
  // Every command line imports this package first.
  if (find('commander') === undefined) return howToInstall();
  if (!isNodeTooOld) return undefined;
  return `This is Node ${process.versions.node}, and ${least} or later is needed. ${howToGetNode()}`;
}
