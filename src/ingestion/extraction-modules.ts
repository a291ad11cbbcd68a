/**
 * The modules of the reading process as JavaScript, prepared once for all of these processes: each would strip the
 * types of its thirty modules anew, which is half of its processor time for a small file.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('./extraction-sources.ts', import.meta.url));

/**
 * Gives the descriptor of a file that holds them, for reading; the file has no name and ends with its descriptors.
 * @throws when it cannot be written
 */
export async function openModules(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'knowledge-retrieval-modules-'));
  try {
    const path = join(directory, 'sources.json');
    await writeSources(path);
    return openSync(path, 'r');
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function writeSources(path: string): Promise<void> {
  const file = openSync(path, 'wx', 0o600);
  try {
    const args = ['--disable-warning=ExperimentalWarning', SOURCES];
    const child = spawn(process.execPath, args, { env: {}, stdio: ['ignore', file, 'ignore'] });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`the modules of the reading process could not be prepared (${code})`);
  } finally {
    closeSync(file);
  }
}
