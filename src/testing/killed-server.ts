/** A server to be killed: reads a file that never ends, and prints the id of the process that does so. */
import { execFileSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createExtractionPool } from '../ingestion/extraction-pool.ts';

const program = fileURLToPath(new URL('./hostile-reader.ts', import.meta.url));
const loops = new Promise((resolve) => process.once('SIGUSR2', resolve));
const reading = createExtractionPool({ program }).extract({
  fileName: 'tell and loop',
  bytes: Buffer.from(String(process.pid)),
});
await Promise.race([loops, reading]);
await setTimeout(50);
const children = execFileSync('pgrep', ['-P', String(process.pid), '-f', 'hostile-reader'], {
  encoding: 'utf8',
});
process.stdout.write(`${children.split('\n')[0]}\n`);
await reading;
