/** Finds the program of the extraction process as JavaScript. The package has it, the checkout makes it once. */
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { siblingModule } from '../../concurrency/sibling-module.ts';

const PROGRAM = siblingModule(import.meta, 'extraction-process');

/** `src/` in the checkout. */
const SOURCE = fileURLToPath(new URL('../../', import.meta.url));

/** Beside the compile cache, and like that emptied by each installation. */
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/knowledge-retrieval', import.meta.url));

/** Changes with each change of a module and of Node. Tests are not stripped. */
function hashSources(): string {
  const hash = createHash('sha256').update(process.version);
  for (const file of globSync('**/*.ts', { cwd: SOURCE, exclude: ['**/*.test.ts'] }).toSorted())
    hash.update(file).update(readFileSync(join(SOURCE, file)));
  return hash.digest('hex').slice(0, 32);
}

/** Other servers may do the same at the same time: the first one's folder stays. */
async function stripTypes(target: string): Promise<void> {
  const unfinished = `${target}-${randomUUID()}`;
  const program = siblingModule(import.meta, 'strip-types');
  try {
    await promisify(execFile)(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      program,
      SOURCE,
      unfinished,
    ]);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
}

/**
 * The path of the program. In the checkout each process would otherwise strip the types of its forty modules again: two
 * thirds of its processor time for a small file. Where nothing can be written it does so.
 */
export async function findExtractionProgram(): Promise<string> {
  if (!PROGRAM.endsWith('.ts')) return PROGRAM;
  const target = join(CACHE, `javascript-${hashSources()}`);
  try {
    if (!existsSync(target)) await stripTypes(target);
    return join(target, 'extraction/sandbox/extraction-process.mjs');
  } catch {
    return PROGRAM;
  }
}
