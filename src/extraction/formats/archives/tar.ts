/** Reads tar archives (POSIX.1 pax, GNU) and files packed by gzip (RFC 1952). */
import { constants, gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { damaged, tooComplex, unpacksToTooMuch } from '../../extraction-error.ts';
import { ARCHIVE_ENTRIES_MAX, UNPACKED_MAX } from '../../extraction-limits.ts';

/** A file in an archive. */
export type Member = { path: string; read: () => Promise<Uint8Array> };

export const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b;

/** `isCutOff`: the archive ends early, and more files may have been in it. */
export type Members = { members: Member[]; isCutOff: boolean };

/** @throws FILE_CORRUPT where no file can be read, FILE_TOO_COMPLEX where there are too many */
export async function membersOfTar(bytes: Uint8Array): Promise<Members> {
  const archive = extract();
  archive.end(bytes);
  const members: Member[] = [];
  let isCutOff = false;
  try {
    for await (const entry of archive) {
      const { header } = entry;
      const pieces: Uint8Array[] = [];
      for await (const piece of entry as AsyncIterable<Uint8Array>) pieces.push(piece);
      if (header.type === 'file' || header.type === 'contiguous-file')
        members.push({ path: header.name, read: async () => Buffer.concat(pieces) });
      if (members.length > ARCHIVE_ENTRIES_MAX) break;
    }
  } catch {
    if (members.length === 0) throw damaged('it cannot be read as an archive');
    isCutOff = true;
  }
  if (members.length > ARCHIVE_ENTRIES_MAX)
    throw tooComplex(`The file has more than ${ARCHIVE_ENTRIES_MAX} parts.`);
  return { members, isCutOff };
}

/** What zlib says of a file that ends early. */
const CUT_OFF = 'Z_BUF_ERROR';

/** The file inside, as far as it goes. @throws FILE_CORRUPT, FILE_TOO_COMPLEX */
export function unpackGzip(bytes: Uint8Array): { content: Buffer; isCutOff: boolean } {
  const options = { maxOutputLength: UNPACKED_MAX };
  try {
    return { content: gunzipSync(bytes, options), isCutOff: false };
  } catch (error) {
    if (error instanceof RangeError) throw unpacksToTooMuch();
    if ((error as NodeJS.ErrnoException).code !== CUT_OFF) throw damaged('it cannot be unpacked');
    return {
      content: gunzipSync(bytes, { ...options, finishFlush: constants.Z_SYNC_FLUSH }),
      isCutOff: true,
    };
  }
}
