/**
 * Ends with a sentence where the dependencies are missing or Node is too old, before that fails at what it does not know
 * (`node --import`). npm leaves out the scripts that run before others, and so install.mjs, where it is told to run no
 * install scripts.
 */
import { findObstacle } from './node-version.mjs';

const obstacle = findObstacle();
if (obstacle !== undefined) {
  process.stderr.write(obstacle);
  process.exit(1);
}
