/**
 * Reads archives: each file in them becomes a part below its path, read by the reader of its own type. An archive is
 * one document with parts, not one document for each file: one upload has one id, so that deleting, replacing, its
 * status and its storage stay one thing. The paths are headings, so a passage says which file it is from.
 */
import { posix } from 'node:path';
import { isTar } from '../../detection/tar-header.ts';
import type { ExtractedFile, FileWarning } from '../../extracted-file.ts';
import { noText, unpacksToTooMuch } from '../../extraction-error.ts';
import type { ReaderContext } from '../../reader-context.ts';
import { openArchive } from '../archive.ts';
import { collectParts } from '../parts/collect-parts.ts';
import { isGzip, type Member, type Members, membersOfTar, unpackGzip } from './tar.ts';

/**
 * Reads a ZIP or tar archive, packed by gzip or not, or a single file packed by gzip.
 * @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX; NO_TEXT_EXTRACTED where no file in it is read
 */
export async function extractArchive(bytes: Uint8Array, context: ReaderContext): Promise<ExtractedFile> {
  const { members, isCutOff } = await membersOf(bytes, context);
  const collector = collectParts('file');
  const files = members.filter(({ path }) => isFile(path)).sort((a, b) => byPath.compare(a.path, b.path));
  if (files.length === 0) throw noText('zip');
  for (const { path, read } of files) {
    await collector.read({ name: path, title: path, level: 1 }, async () =>
      context.extractPart({ fileName: posix.basename(path), bytes: await read() }),
    );
  }
  const { warnings, ...archive } = collector.finish();
  return { ...archive, warnings: isCutOff ? [CUT_OFF, ...warnings] : warnings };
}

const CUT_OFF: FileWarning = {
  code: 'FILE_CUT_OFF',
  message: 'The archive ends early: what comes after its last whole file was not read.',
};

async function membersOf(bytes: Uint8Array, context: ReaderContext): Promise<Members> {
  const { fileName, countUnpacked } = context;
  if (isZip(bytes)) return { members: await membersOfZip(bytes, context), isCutOff: false };
  if (!isGzip(bytes)) return await membersOfTar(bytes);
  const { content, isCutOff } = unpackGzip(bytes);
  countUnpacked(content.length);
  if (isTar(content)) {
    const archive = await membersOfTar(content);
    return { ...archive, isCutOff: isCutOff || archive.isCutOff };
  }
  return { members: [{ path: withoutExtension(fileName), read: async () => content }], isCutOff };
}

/** `notes.txt.gz` → `notes.txt` */
const withoutExtension = (fileName: string): string => fileName.replace(/\.gz$/i, '') || fileName;

async function membersOfZip(
  bytes: Uint8Array,
  { countUnpacked, unpackedLeft }: ReaderContext,
): Promise<Member[]> {
  const archive = await openArchive(bytes, countUnpacked);
  return archive.names.map((path) => ({
    path,
    async read() {
      // A file that is too large by its own account is not unpacked, so that it takes nothing from the others.
      if (archive.declaredSize(path) > unpackedLeft()) throw unpacksToTooMuch();
      return (await archive.read(path)) ?? new Uint8Array();
    },
  }));
}

const isZip = ([first, second]: Uint8Array): boolean => first === 0x50 && second === 0x4b; // PK

/** `2. Plan.md` comes before `10. Review.md`. */
const byPath = new Intl.Collator('en', { numeric: true });

/** What operating systems add to folders, unseen by their users. */
const SYSTEM_FILE = /(?:^|\/)(?:__MACOSX\/.*|\.DS_Store|\._[^/]*|Thumbs\.db|desktop\.ini)$/i;

const isFile = (path: string): boolean => !path.endsWith('/') && !SYSTEM_FILE.test(path);
