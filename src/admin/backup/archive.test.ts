/** Each damaged archive is refused, and an incomplete one never has the final name. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { constants, zstdCompressSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Entry, readArchive, writeArchive } from './archive.ts';

let folder: string;
let path: string;
let whole: Buffer;

const HEAD = {
  createdAt: '2026-01-01T00:00:00.000Z',
  migrations: ['0001'],
  tables: [{ name: 'accounts', columns: ['id'] }],
};
const ENTRIES: Entry[] = [
  { name: 'tables/accounts/1', bytes: Buffer.from('some rows\n'.repeat(500)) },
  { name: 'files/a', bytes: Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * i * 31) % 251)) },
  { name: 'files/empty', bytes: Buffer.alloc(0) },
];

const write = (target: string, entries: Entry[]) =>
  writeArchive(target, HEAD, async (add) => {
    for (const entry of entries) await add(entry);
    return { rows: { accounts: 500 }, files: 2 };
  });

async function read(target: string) {
  const entries: Entry[] = [];
  const ends = await readArchive(target, async (entry) => void entries.push(entry));
  return { entries, ...ends };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-archive-'));
  path = join(folder, 'whole');
  await write(path, ENTRIES);
  whole = await readFile(path);
});
afterAll(() => rm(folder, { recursive: true }));

test('an archive is read as it was written, and only its owner can read it', async () => {
  const { entries, head, manifest } = await read(path);
  expect(entries).toEqual(ENTRIES);
  expect(head).toMatchObject(HEAD);
  expect(manifest).toMatchObject({ rows: { accounts: 500 }, files: 2 });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

/**
 * Reads an archive of these bytes: it must either be refused with an error that names it, or yield exactly the
 * original entries.
 */
async function expectRefusedOrWhole(bytes: Buffer): Promise<'refused' | 'whole'> {
  const harmed = join(folder, 'harmed');
  await writeFile(harmed, bytes);
  const outcome = await read(harmed).catch((error: Error) => error.message);
  if (typeof outcome === 'string') {
    expect(outcome).toMatch(
      new RegExp(
        String.raw`harmed (is damaged: \w.*|is cut off: its end is missing` +
          String.raw`|is no backup, or its beginning is damaged)\. Restore another backup\.$`,
      ),
    );
    return 'refused';
  }
  expect(outcome.entries).toEqual(ENTRIES);
  return 'whole';
}

test('refuses an archive with a flipped bit', async () => {
  const outcomes: string[] = [];
  for (let place = 0; place < whole.length; place += Math.ceil(whole.length / 100)) {
    const bytes = Buffer.from(whole);
    bytes[place] = (bytes[place] ?? 0) ^ (1 << (place % 8));
    outcomes.push(await expectRefusedOrWhole(bytes));
  }
  // A few bits carry no content, for example in a frame's header: with one of them flipped, all entries are still read.
  expect(outcomes.filter((outcome) => outcome === 'whole').length).toBeLessThan(outcomes.length / 10);
});

test('refuses a truncated archive, however long it is', async () => {
  // The last bytes are zstd's own checksum, without content.
  for (const length of [0, 1, 100, whole.length / 2, whole.length - 200, whole.length - 20]) {
    expect(await expectRefusedOrWhole(whole.subarray(0, length))).toBe('refused');
    await expect(read(join(folder, 'harmed'))).rejects.toThrow('is cut off: its end is missing.');
  }
});

test('refuses a file that is no archive', async () => {
  for (const bytes of [Buffer.from('CREATE TABLE accounts;'), zstdCompressSync(Buffer.alloc(2_000, 'a'))]) {
    expect(await expectRefusedOrWhole(bytes)).toBe('refused');
    await expect(read(join(folder, 'harmed'))).rejects.toThrow('is no backup, or its beginning is damaged.');
  }
});

/** Writes an archive in the format of another version, with zstd's checksum. */
async function writeInFormat(target: string, format: number): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: 'backup.json' }, `{"format": ${format}, "parts": []}`);
  archive.finalize();
  const bytes = zstdCompressSync(await buffer(archive), { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  await writeFile(target, bytes);
  return bytes;
}

test('a file that cannot be read is not called damaged', async () => {
  await expect(read(join(path, 'below'))).rejects.toThrow(/cannot be read: .*Look at its disk/);
});

test.skipIf(process.getuid?.() !== 0)(
  'a file that this user may not read is not called damaged',
  async () => {
    const script = `
    const { readArchive } = await import(${JSON.stringify(new URL('archive.ts', import.meta.url).href)});
    await readArchive(${JSON.stringify(path)}, async () => {}).catch((error) => console.log(error.message));`;
    await chmod(folder, 0o755);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      {
        uid: 65_534,
        gid: 65_534,
      },
    );
    expect(stdout).toMatch(/may not be read by this user \(EACCES\).*Run the command as that user/);
    expect(stdout).not.toContain('damaged');
  },
);

test('refuses an archive in the format of a newer version', async () => {
  const newer = join(folder, 'newer');
  await writeInFormat(newer, 2);
  await expect(read(newer)).rejects.toThrow(
    `${newer} was made by a newer version (format 2): restore it with`,
  );
});

test('a damaged archive that claims a newer format is damaged', async () => {
  const claiming = join(folder, 'claiming');
  const bytes = await writeInFormat(claiming, 11);
  await writeFile(claiming, bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1));
  await expect(read(claiming)).rejects.toThrow(`${claiming} is damaged: its checksum differs.`);
});

test('a format that is no version is damage', async () => {
  const damaged = join(folder, 'no-version');
  await writeInFormat(damaged, 1e308);
  await expect(read(damaged)).rejects.toThrow('backup.json has an unknown format');
});

test('a failed write leaves no file, and replaces the unfinished one of a killed try', async () => {
  const target = join(folder, 'failing');
  await writeFile(`${target}.unfinished`, 'half');
  const failing = writeArchive(target, HEAD, async (add) => {
    for (const entry of ENTRIES) await add(entry);
    throw new Error('the database is gone');
  });
  await expect(failing).rejects.toThrow('the database is gone');
  expect([existsSync(target), existsSync(`${target}.unfinished`)]).toEqual([false, false]);
});
