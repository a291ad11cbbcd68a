/** A server to be killed: reads a file that never ends, by a process that connects to the port that is its argument. */
import { fileURLToPath } from 'node:url';
import { createExtractionPool } from '../ingestion/extraction-pool.ts';

const program = fileURLToPath(new URL('./hostile-reader.ts', import.meta.url));
const readBytes = async () => Buffer.from(process.argv[2] ?? '');
await createExtractionPool({ program }).extract({ fileName: 'connect and loop', readBytes });
