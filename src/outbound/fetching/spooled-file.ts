/** A file on its way to the store: its size and hash are known before it is stored, and it takes no memory. */
import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `bytes` may be read several times, until `close`. */
export type SpooledFile = {
  sizeBytes: number;
  sha256: Buffer;
  bytes(): AsyncIterable<Buffer>;
  close(): Promise<void>;
};

/**
 * Writes the pieces to a temporary file. It has no name after its opening, so nothing of it is left where the process
 * is killed; Windows removes it at the end.
 * @throws the error of `pieces`
 */
export async function spool(pieces: AsyncIterable<Buffer>): Promise<SpooledFile> {
  const path = join(tmpdir(), `knowledge-retrieval-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  const remove = () => rm(path, { force: true }).catch(() => {});
  const close = () => file.close().finally(remove);
  try {
    await remove();
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const piece of pieces) {
      hash.update(piece);
      await file.writeFile(piece);
      sizeBytes += piece.length;
    }
    return {
      sizeBytes,
      sha256: hash.digest(),
      bytes: () => file.createReadStream({ start: 0, autoClose: false }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
