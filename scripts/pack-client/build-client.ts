/** Builds the client: JavaScript and types of src/client/, and the parts of generated/ it uses. */
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');

/** TypeScript writes the names of JavaScript files into the code, but keeps those of the sources in the types. */
async function rewriteTypes(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  const types = files.filter((file) => file.endsWith('.d.ts')).map((file) => join(folder, file));
  for (const file of types) {
    const code = await readFile(file, 'utf8');
    await writeFile(file, code.replace(/((?:from|import\() ?['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'));
  }
}

/** Writes the client into `folder`, where its entry is `src/client/index.js`. */
export async function buildClient(folder: string): Promise<void> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const project = join(root, 'scripts/pack-client');
  await promisify(execFile)(process.execPath, [compiler, '-p', project, '--outDir', folder]);
  await rewriteTypes(folder);
}
