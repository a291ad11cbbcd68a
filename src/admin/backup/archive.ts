/**
 * The file format of a backup: a tar archive (POSIX ustar/pax, which `tar --zstd` reads too) of small entries. The
 * first entry is the header. The last one, the manifest, has the SHA-256 of all entries before it. Writing and reading
 * hold one entry in memory at a time.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { extract, type Pack, pack } from 'tar-stream';
import { z } from 'zod';
import { codeOf, reasonOf } from '../../terms/problem.ts';

/** Incremented when older versions can no longer read the archive. */
const FORMAT = 1;
const HEADER_NAME = 'backup.json';
const MANIFEST_NAME = 'manifest.json';

/** No entry is larger: an uploaded file has 50 MiB at most, a part of a table little more than PART_BYTES. */
const ENTRY_MAX_BYTES = 256 * 1024 ** 2;

/** The schema, and the columns of each table in the order of loading: known before the first row is copied. */
const header = z.object({
  format: z.literal(FORMAT),
  createdAt: z.iso.datetime(),
  migrations: z.array(z.string()).min(1),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()).min(1) })),
});
export type Header = z.infer<typeof header>;

/** The totals, known after the last file. `rows`: table → number of rows. */
const manifest = z.object({
  sha256: z.string(),
  rows: z.record(z.string(), z.number()),
  files: z.number(),
});
export type Manifest = z.infer<typeof manifest>;

export type Entry = { name: string; bytes: Buffer };
/** Adds an entry, and resolves when the next one can be added. */
export type AddEntry = (entry: Entry) => Promise<void>;

const toJson = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);

/** Adds name, length and bytes to the hash, so that it changes also when an entry is renamed or a byte moved. */
function digest(hash: Hash, { name, bytes }: Entry): void {
  hash.update(`${JSON.stringify(name)} ${bytes.length}\n`).update(bytes);
}

function addTo(archive: Pack, { name, bytes }: Entry): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null) => (error ? reject(error) : resolve());
    // The mode is for the owner only, like the archive's. Written as a stream: unlike a buffer, it waits for the file.
    archive.entry({ name, size: bytes.length, mode: 0o600 }, done).end(bytes);
  });
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

type Contents = Pick<Manifest, 'rows' | 'files'>;

async function fillArchive(archive: Pack, head: Header, fill: (add: AddEntry) => Promise<Contents>) {
  const hash = createHash('sha256');
  const add = async (entry: Entry) => {
    digest(hash, entry);
    await addTo(archive, entry);
  };
  await add({ name: HEADER_NAME, bytes: toJson(head) });
  const contents = await fill(add);
  const last: Manifest = { sha256: hash.digest('hex'), ...contents };
  await addTo(archive, { name: MANIFEST_NAME, bytes: toJson(last) });
  archive.finalize();
}

/**
 * Writes the archive `path`, readable by its owner only: the header, the entries added by `fill`, the manifest. While
 * it is incomplete its name is `<path>.unfinished`, which the next try replaces.
 */
export async function writeArchive(
  path: string,
  head: Omit<Header, 'format'>,
  fill: (add: AddEntry) => Promise<Contents>,
): Promise<void> {
  const unfinished = `${path}.unfinished`;
  await rm(unfinished, { force: true });
  const archive = pack();
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  const writing = pipeline(archive, compress, createWriteStream(unfinished, { flags: 'wx', mode: 0o600 }));
  try {
    await Promise.all([
      writing,
      fillArchive(archive, { format: FORMAT, ...head }, fill).catch((error) => {
        archive.destroy(error);
        throw error;
      }),
    ]);
    await syncPath(unfinished);
    await rename(unfinished, path);
    await syncPath(dirname(path));
  } catch (error) {
    // A file that is still being opened would appear after its deletion.
    await writing.catch(() => {});
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Errors for the operator. */
const REMEDY = 'Restore another backup.';
const damaged = (path: string, reason: string): Error =>
  new Error(`${path} is damaged: ${reason}. ${REMEDY}`);
const cutOff = (path: string): Error => new Error(`${path} is cut off: its end is missing. ${REMEDY}`);
const noBackup = (path: string): Error =>
  new Error(`${path} is no backup, or its beginning is damaged. ${REMEDY}`);

/** What zstd says when its own checksum differs. */
const WRONG_CHECKSUM = 'ZSTD_error_checksum_wrong';

/** Translates errors of the libraries, after `count` entries were read. Errors of tar-stream have no code. */
function explainReading(path: string, error: unknown, count: number): Error {
  const [code, reason] = [codeOf(error), reasonOf(error)];
  if (code === 'EISDIR') return new Error(`${path} is a directory, and no backup.`);
  if (code === 'EACCES' || code === 'EPERM')
    return new Error(
      `${path} may not be read by this user (${code}): backups are for their owner. Run the command as that user, or ` +
        `give the file to this one (chown).`,
    );
  // The disk or the network of the file, which says nothing of the backup.
  if (error instanceof Error && 'syscall' in error)
    return new Error(`${path} cannot be read: ${reason}. Look at its disk, and try again.`);
  if (code === 'Z_BUF_ERROR' || reason === 'Unexpected end of data') return cutOff(path);
  const isHeader = reason.startsWith('Invalid tar header');
  if (code === 'ZSTD_error_prefix_unknown' || (isHeader && count === 0)) return noBackup(path);
  if (code === WRONG_CHECKSUM) return damaged(path, 'its checksum differs');
  return damaged(path, isHeader ? `the header of its entry ${count + 1} is broken` : reason);
}

/** Reads the entries in the archive's order. @throws an error for the operator */
async function* readEntries(path: string): AsyncGenerator<Entry> {
  const entries = extract();
  const reading = pipeline(createReadStream(path), createZstdDecompress(), entries);
  reading.catch(() => {}); // The loop below gets the error too.
  let count = 0;
  try {
    for await (const entry of entries) {
      const { name, size = 0 } = entry.header;
      if (size > ENTRY_MAX_BYTES) throw new Error(`${name} would have ${size} bytes`);
      yield { name, bytes: await buffer(entry) };
      count++;
    }
    await reading;
  } catch (error) {
    throw explainReading(path, error, count);
  }
}

/** Reads the header, which begins `entries`. @throws an error for the operator */
async function parseHeader(path: string, entry: Entry, entries: AsyncGenerator<Entry>): Promise<Header> {
  if (entry.name !== HEADER_NAME) throw noBackup(path);
  const { format } = parseAs(z.object({ format: z.int() }), path, entry);
  if (format <= FORMAT) return parseAs(header, path, entry);
  for await (const _ of entries); // A damaged archive may claim any format: zstd's checksum is at the end.
  throw new Error(`${path} was made by a newer version (format ${format}): restore it with that version.`);
}

function parseAs<Value>(type: z.ZodType<Value>, path: string, { name, bytes }: Entry): Value {
  try {
    return type.parse(JSON.parse(bytes.toString()));
  } catch {
    throw damaged(path, `${name} has an unknown format`);
  }
}

/**
 * Reads the archive once, and calls `use` for each entry between header and manifest.
 * @returns header and manifest
 * @throws when the archive is damaged, perhaps only after the last entry
 */
export async function readArchive(
  path: string,
  use: (entry: Entry, head: Header) => Promise<void>,
): Promise<{ head: Header; manifest: Manifest }> {
  const hash = createHash('sha256');
  let head: Header | undefined;
  let last: Manifest | undefined;
  const entries = readEntries(path);
  for await (const entry of entries) {
    if (last !== undefined) throw damaged(path, `${entry.name} follows the manifest`);
    if (entry.name === MANIFEST_NAME) last = parseAs(manifest, path, entry);
    else digest(hash, entry);
    if (head === undefined) head = await parseHeader(path, entry, entries);
    else if (last === undefined) await use(entry, head);
  }
  if (head === undefined || last === undefined) throw cutOff(path);
  if (hash.digest('hex') !== last.sha256) throw damaged(path, 'its checksum differs');
  return { head, manifest: last };
}
