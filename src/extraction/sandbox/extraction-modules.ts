/**
 * The modules of the extraction process as JavaScript, prepared once for all of these processes.
 * Otherwise each process would strip the types of its thirty modules again: half of its processor time for a small
 * file.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('./extraction-sources.ts', import.meta.url));

/**
 * Returns the descriptor of a file that holds them, for reading. The file has no name, and is deleted with its
 * descriptor.
 * @throws when it cannot be written
 */
export async function openModules(): Promise<number> {
  const { reading, writing } = openUnnamed();
  try {
    await writeSources(writing);
    return reading;
  } catch (error) {
    closeSync(reading);
    throw error;
  } finally {
    closeSync(writing);
  }
}

/**
 * Opens a new file twice and unlinks it at once, so that a killed process leaves nothing behind.
 * The reading descriptor is separate: a process with a hostile file could change the modules through a writable one.
 */
function openUnnamed(): { reading: number; writing: number } {
  const path = join(tmpdir(), `knowledge-retrieval-modules-${randomUUID()}`);
  const writing = openSync(path, 'wx', 0o600);
  try {
    return { reading: openSync(path, 'r'), writing };
  } catch (error) {
    closeSync(writing);
    throw error;
  } finally {
    unlinkSync(path);
  }
}

async function writeSources(file: number): Promise<void> {
  const args = ['--disable-warning=ExperimentalWarning', SOURCES];
  const child = spawn(process.execPath, args, { env: {}, stdio: ['ignore', file, 'ignore'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the modules of the reading process could not be prepared (${code})`);
}
