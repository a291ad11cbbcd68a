/** A server that a test kills during an extraction that never ends. */
import { fileURLToPath } from 'node:url';
import { createExtractionPool } from '../sandbox/extraction-pool.ts';

const program = fileURLToPath(new URL('./hostile-process.ts', import.meta.url));
const readBytes = async () => new Uint8Array();
await createExtractionPool({ program }).extract({ accountId: 'a', fileName: 'loop', readBytes });
