/** Whether this Node can run the project, and where the project's own is. Plain JavaScript: an old Node reads it too. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version that package.json brings; `doctor` asks for the same. */
const LEAST_MAJOR = 24;

export const isNodeTooOld = Number(process.versions.node.split('.', 1)[0]) < LEAST_MAJOR;

const { resolve } = createRequire(import.meta.url);

/** The file that a dependency's name leads to from here, wherever the project is run from; undefined: there is none. */
function find(name) {
  try {
    return resolve(name);
  } catch {
    return undefined;
  }
}

/** By what each command line begins with. The package `node` may have been removed, as the Docker image does. */
const isInstalled = find('commander') !== undefined;

const findBinary = (folder) =>
  ['node', 'node.exe'].map((name) => join(folder, 'bin', name)).find((path) => existsSync(path));

const manifest = find('node/package.json');

/** The Node that comes with the dependencies; undefined: it is missing. */
export const ownNode = manifest && findBinary(dirname(manifest));

const installer = fileURLToPath(new URL('install.mjs', import.meta.url));
const needed = `This is Node ${process.versions.node}, and ${LEAST_MAJOR} or later is needed.`;

/** Why nothing can run yet and what to do, for the person who started it; undefined: it can run. */
export function findObstacle() {
  if (!isInstalled)
    return `The dependencies are not installed. Install them by\n  node "${installer}" --omit=dev\n`;
  if (!isNodeTooOld) return undefined;
  if (ownNode !== undefined) return `${needed} The one that comes with the dependencies is\n  ${ownNode}\n`;
  return (
    `${needed} The one that comes with the dependencies is missing: npm was told to run no install scripts. ` +
    'Let npm fetch it by\n' +
    '  npm rebuild node --ignore-scripts=false --foreground-scripts\n' +
    `or put a Node ${LEAST_MAJOR} first into PATH.\n`
  );
}
