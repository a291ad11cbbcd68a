/** Reads the text of uploaded files in a worker thread, so that a large one holds up nobody. */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Extraction, UploadedFile } from './extract.ts';

/** Never throws for what is wrong with the file: that comes back as a failure with its reason. */
export type ExtractFile = (file: UploadedFile) => Promise<Extraction>;

/** A thread that had nothing to do for this long ends. */
const IDLE_TIMEOUT_MS = 60_000;

/** `close` ends what runs; its job is tried again by the next server. */
export function createExtractionPool(): { extract: ExtractFile; close(): Promise<void> } {
  const pool = new Piscina<UploadedFile, Extraction>({
    filename: fileURLToPath(new URL('./extract.ts', import.meta.url)),
    name: 'extractFile',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_TIMEOUT_MS,
    env: {},
  });
  return { extract: (file) => pool.run(file), close: () => pool.destroy() };
}
