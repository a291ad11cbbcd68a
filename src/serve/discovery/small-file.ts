/** Reads files in DATA_DIR that commands open without knowing who has put them there. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Opening a FIFO waits for its writer unless this flag is set. Windows has neither. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The text of a file, and the id of its owner. */
export type SmallFile = { text: string; uid: number };

/**
 * Reads a regular file.
 * @throws the system's error; a sentence about a FIFO, a directory or a file of more than `maxBytes`
 */
export async function readSmallFile(path: string, maxBytes: number): Promise<SmallFile> {
  const file = await open(path, FLAGS);
  try {
    const found = await file.stat();
    const { size, uid } = found;
    if (!found.isFile()) throw new Error('it is no regular file');
    if (size > maxBytes) throw new Error(`it has ${size} bytes, and at most ${maxBytes} are read`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return { text: buffer.toString('utf8', 0, bytesRead), uid };
  } finally {
    await file.close();
  }
}
