/** Builds the client: JavaScript and types of src/client/, and the parts of generated/ it uses. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');

/**
 * Writes the client into `folder`, where its entry is `src/client/index.js`. Its types name each other's sources:
 * `./client.ts` in a file of types leads to `client.d.ts`, for TypeScript 5.0 and later, and for Deno.
 */
export async function buildClient(folder: string): Promise<void> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const project = join(root, 'scripts/pack-client');
  await promisify(execFile)(process.execPath, [compiler, '-p', project, '--outDir', folder]);
}
