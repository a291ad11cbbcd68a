/**
 * Ends with a sentence where the dependencies are missing or Node is too old.
 * Otherwise Node would fail at an unknown option (`node --import`).
 * If npm is configured to run no install scripts, it also skips scripts before others, and thus install.mjs.
 */
import { findObstacle } from './node-version.mjs';

const obstacle = findObstacle();
if (obstacle !== undefined) {
  process.stderr.write(obstacle);
  process.exit(1);
}
