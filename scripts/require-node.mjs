/**
 * Ends with a sentence where Node is too old, before it fails at what it does not know (`node --import`). npm leaves out
 * the scripts that run before others, and so install.mjs, where it is told to run no install scripts.
 */
import { isNodeTooOld, OLD_NODE } from './node-version.mjs';

if (isNodeTooOld) {
  process.stderr.write(OLD_NODE);
  process.exit(1);
}
