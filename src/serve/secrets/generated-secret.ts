/** Secrets that a start makes itself, in files that only their owner can read. */
import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { codeOf } from '../../terms/problem.ts';

/** Returns the secret in the file. Makes one of 64 characters where there is no file. @throws the system's error */
export async function readOrGenerateSecret(path: string): Promise<string> {
  // Written to another file and then linked: neither a killed start nor two simultaneous ones leave a partial secret.
  const written = `${path}.${randomUUID()}`;
  await writeFile(written, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
  try {
    await link(written, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(written);
  }
  return await readFile(path, 'utf8');
}
