/** Unpacks the parts of a ZIP archive in memory. The limits count the bytes that are really unpacked. */
import { promisify } from 'node:util';
import { type Entry, fromBuffer, type Options, type ZipFile } from 'yauzl';
import { damaged, ExtractionError, encrypted, tooComplex, unpacksToTooMuch } from '../extraction-error.ts';
import { ARCHIVE_ENTRIES_MAX, UNPACKED_MAX } from '../extraction-limits.ts';
import { decodeNames } from './archive-names.ts';

/** Parts by name. A name is never used as a path of the file system. */
export type Archive = {
  names: string[];
  /**
   * A part's bytes; undefined where the archive has no part of that name.
   * @throws FILE_TOO_COMPLEX once all parts read exceed UNPACKED_MAX; FILE_CORRUPT; FILE_ENCRYPTED;
   * UNSUPPORTED_FILE_TYPE for a rare method of packing
   */
  read(name: string): Promise<Buffer | undefined>;
  /** The unpacked size of a part by the archive's own account, which may be false. */
  declaredSize(name: string): number;
};

const open = promisify<Buffer, Options, ZipFile>(fromBuffer);

/**
 * Names stay bytes for yauzl, which would refuse an archive for a name like `../x`.
 * Sizes are counted, since the declared ones may be false.
 */
const OPTIONS: Options = {
  lazyEntries: true,
  decodeStrings: false,
  validateEntrySizes: false,
  autoClose: false,
};

/** Bit 0 of an entry's flags: encrypted (APPNOTE.TXT 4.4.4). */
const ENCRYPTED = 1;

/** The methods of packing that are unpacked: stored and deflated (4.4.5). An encrypted entry may have another one. */
const METHODS = [0, 8];

/**
 * `countUnpacked` counts what is unpacked, together with other archives of the same upload.
 * @throws FILE_CORRUPT if it is not an archive, FILE_TOO_COMPLEX if it has too many entries
 */
export async function openArchive(
  bytes: Uint8Array,
  countUnpacked: (bytes: number) => void = unpackedCounter(),
): Promise<Archive> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await open(buffer, OPTIONS).catch(asDamaged('its list of parts is missing or cannot be read'));
  const entries = await listEntries(zip).catch(asDamaged('its list of parts cannot be read'));
  return {
    names: [...entries.keys()],
    declaredSize: (name) => entries.get(name)?.uncompressedSize ?? 0,
    async read(name) {
      const entry = entries.get(name);
      if (!entry) return undefined;
      if (entry.generalPurposeBitFlag & ENCRYPTED) throw encrypted();
      if (!METHODS.includes(entry.compressionMethod))
        throw new ExtractionError('UNSUPPORTED_FILE_TYPE', RARE_METHOD, 'packed in a way that is not read');
      return await unpack(zip, entry, countUnpacked).catch(asDamaged('one of its parts cannot be unpacked'));
    },
  };
}

/**
 * A part's bytes; undefined where it is missing or damaged.
 * @throws FILE_ENCRYPTED, FILE_TOO_COMPLEX
 */
export async function readUndamaged(archive: Archive, name: string): Promise<Buffer | undefined> {
  try {
    return await archive.read(name);
  } catch (error) {
    if (error instanceof ExtractionError && error.code === 'FILE_CORRUPT') return undefined;
    throw error;
  }
}

const RARE_METHOD =
  'The archive is packed in a way that is not read; pack it again as an ordinary ZIP archive.';

/** Counts for one archive alone. */
export function unpackedCounter(): (bytes: number) => void {
  let unpacked = 0;
  return (bytes) => {
    unpacked += bytes;
    if (unpacked > UNPACKED_MAX) throw unpacksToTooMuch();
  };
}

/** The archive's directory. Of several entries with one name the last counts, as in Office programs. */
async function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries: Entry[] = [];
  return await new Promise((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      entries.push(entry);
      if (entries.length > ARCHIVE_ENTRIES_MAX)
        return reject(tooComplex(`The file has more than ${ARCHIVE_ENTRIES_MAX} parts.`));
      zip.readEntry();
    });
    zip.on('end', () => {
      const names = decodeNames(entries);
      resolve(new Map(entries.map((entry, i) => [names[i] ?? '', entry])));
    });
    zip.on('error', reject);
    zip.readEntry();
  });
}

async function unpack(zip: ZipFile, entry: Entry, countUnpacked: (bytes: number) => void): Promise<Buffer> {
  const stream = await promisify<Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip))(entry);
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    length += piece.length;
    countUnpacked(piece.length);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, length);
}

/** Turns any error of the library into a refusal of the file. */
const asDamaged =
  (reason: string) =>
  (error: unknown): never => {
    if (error instanceof ExtractionError) throw error;
    throw damaged(reason);
  };
