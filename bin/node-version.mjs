/**
 * Checks whether this Node can run the project, and finds the project's own Node.
 * It is plain JavaScript, so that an old Node can read it.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The major version of the dependency `node`; `doctor` requires the same. */
const LEAST_MAJOR = 24;

export const isNodeTooOld = Number(process.versions.node.split('.', 1)[0]) < LEAST_MAJOR;

const { resolve } = createRequire(import.meta.url);

/** The file of a dependency, from any working directory; undefined where it is missing. */
function find(name) {
  try {
    return resolve(name);
  } catch {
    return undefined;
  }
}

/** Every command line imports this package first. The package `node` may be missing, as in the Docker image. */
const isInstalled = find('commander') !== undefined;

const findBinary = (folder) =>
  ['node', 'node.exe'].map((name) => join(folder, 'bin', name)).find((path) => existsSync(path));

const manifest = find('node/package.json');

/** The Node of the dependencies; undefined where it is missing. */
export const ownNode = manifest && findBinary(dirname(manifest));

/** Only the checkout has it. */
const installer = fileURLToPath(new URL('../scripts/install.mjs', import.meta.url));

const howToInstall = () =>
  existsSync(installer)
    ? `The dependencies are not installed. Install them by\n  node "${installer}" --omit=dev\n`
    : 'The dependencies are not installed. Install this package again by npm.\n';

const needed = `This is Node ${process.versions.node}, and ${LEAST_MAJOR} or later is needed.`;

/** Why nothing can run yet and what to do, for the person who started it; undefined where everything can run. */
export function findObstacle() {
  if (!isInstalled) return howToInstall();
  if (!isNodeTooOld) return undefined;
  if (ownNode !== undefined) return `${needed} The one that comes with the dependencies is\n  ${ownNode}\n`;
  const orNewer = `put a Node ${LEAST_MAJOR} first into PATH.\n`;
  if (manifest === undefined)
    return `${needed} npm has none for this system, or was told to omit it: ${orNewer}`;
  // A script that is named runs even where npm is configured to run no install scripts.
  return (
    `${needed} The one that comes with the dependencies is missing: npm was told to run no install scripts. ` +
    'Let npm fetch it by\n' +
    `  npm run preinstall --prefix "${dirname(manifest)}"\n` +
    `or ${orNewer}`
  );
}
