/**
 * A server without free file descriptors, which it needs to start a process. Prints the results of three extractions:
 * two without descriptors, one after they are free again.
 */
import { closeSync, openSync } from 'node:fs';
import { createExtractionPool } from '../sandbox/extraction-pool.ts';

const pool = createExtractionPool();
const read = async (): Promise<string> => {
  try {
    const readBytes = async () => Buffer.from('Some text.');
    return (await pool.extract({ accountId: 'a', fileName: 'a.txt', readBytes })).type;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code); // of spawn
  }
};

const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {}
const starved = [await read(), await read()];
for (const descriptor of taken) closeSync(descriptor);
process.stdout.write(JSON.stringify([...starved, await read()]));
pool.close();
