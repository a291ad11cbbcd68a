/**
 * Detects the type of a document that is a ZIP archive (APPNOTE.TXT) by the entries that name it, wherever they are.
 */
import { inflateRawSync } from 'node:zlib';
import type { DocumentType } from '../../generated/types.gen.ts';
import { ARCHIVE_ENTRIES_MAX } from './extraction-limits.ts';

type ArchiveType = Extract<DocumentType, 'docx' | 'pptx' | 'xlsx' | 'odt' | 'odp' | 'ods' | 'epub'>;

/**
 * The type of the document in an archive; undefined for another archive.
 *
 * - OpenDocument and EPUB: the entry `mimetype`. It should come first and unpacked, but other programs that pack such
 *   a file anew put it anywhere and deflate it. OpenDocument: else the manifest's entry for the whole document.
 * - Office: the content type of the main part, whose name is free (ECMA-376-2, 10.1.2), else its usual name.
 *
 * An archive whose directory is missing, as in the first bytes of a file, is searched for the same words.
 */
export function zipType(file: Buffer): ArchiveType | undefined {
  const entries = listEntries(file);
  return entries.size > 0 ? typeOfEntries(file, entries) : typeOfBytes(file);
}

/** What an archive says of itself: the names of its entries, and the content of an entry `mimetype`. */
export function archiveFacts(file: Buffer): { names: string[]; mediaType: string } {
  const entries = listEntries(file);
  return { names: [...entries.keys()], mediaType: unpack(file, entries.get('mimetype')).trim() };
}

function typeOfEntries(file: Buffer, entries: Map<string, Entry>): ArchiveType | undefined {
  const read = (name: string) => unpack(file, entries.get(name));
  return (
    typeOfMedia(read('mimetype')) ??
    typeOfMedia(MANIFEST_ROOT.exec(read('META-INF/manifest.xml'))?.[0] ?? '') ??
    typeOfContent(read('[Content_Types].xml')) ??
    MAIN_PARTS.find(([part]) => [...entries.keys()].some((name) => name.startsWith(part)))?.[1]
  );
}

function typeOfBytes(file: Buffer): ArchiveType | undefined {
  const head = file.toString('latin1', 0, FIRST_ENTRY_MAX);
  const media = /mimetype(application\/.*)/s.exec(head)?.[1] ?? '';
  return typeOfMedia(media) ?? MAIN_PARTS.find(([part]) => file.includes(part))?.[1];
}

/** The first entry with its header: the entry `mimetype` holds 60 bytes at most. */
const FIRST_ENTRY_MAX = 200;

/** OpenDocument 1.3, part 2, 4.8.4: the entry `/` is the document itself, the others are its parts. */
const MANIFEST_ROOT = /<[\w:]*file-entry\s(?=[^<>]*full-path="\/")[^<>]*>/;

/** Templates and master documents have the media type of the document, with a suffix. */
const MEDIA_TYPE = /application\/(?:vnd\.oasis\.opendocument\.(text|presentation|spreadsheet)|(epub)\+zip)/;
const MEDIA_TYPES = new Map<string | undefined, ArchiveType>([
  ['text', 'odt'],
  ['presentation', 'odp'],
  ['spreadsheet', 'ods'],
  ['epub', 'epub'],
]);

function typeOfMedia(text: string): ArchiveType | undefined {
  const [, document, book] = MEDIA_TYPE.exec(text) ?? [];
  return MEDIA_TYPES.get(document ?? book);
}

/** The main part of a document, template, slide show or workbook, with or without macros. Embedded files have none. */
const CONTENT_TYPES: [main: RegExp, type: ArchiveType][] = [
  [/(?:wordprocessingml|ms-word)\.[\w.]{1,40}\.main\+xml/i, 'docx'],
  [/(?:presentationml|ms-powerpoint)\.[\w.]{1,40}\.main\+xml/i, 'pptx'],
  [/(?:spreadsheetml|ms-excel)\.[\w.]{1,40}\.main\+xml/i, 'xlsx'],
];

const typeOfContent = (contentTypes: string): ArchiveType | undefined =>
  CONTENT_TYPES.find(([main]) => main.test(contentTypes))?.[1];

/** The usual beginnings of the names of main parts. */
const MAIN_PARTS: [name: string, type: ArchiveType][] = [
  ['word/document', 'docx'],
  ['ppt/presentation', 'pptx'],
  ['xl/workbook', 'xlsx'],
  ['META-INF/container.xml', 'epub'],
];

type Entry = { header: number; packedSize: number; isDeflated: boolean };

const DIRECTORY_END = Buffer.from('PK\x05\x06', 'latin1');
/** The last record, with a comment of 65,535 bytes. */
const DIRECTORY_END_MAX = 22 + 65_535;
const DIRECTORY_HEADER = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const DEFLATED = 8;

/** The archive's directory (4.3.12): entries by name, the last of several; empty where there is none. */
function listEntries(file: Buffer): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  const from = Math.max(0, file.length - DIRECTORY_END_MAX);
  const end = from + file.subarray(from).lastIndexOf(DIRECTORY_END);
  if (end < from || end + 22 > file.length) return entries;
  // Bytes before the archive move all offsets, but the directory ends where its end record begins.
  const start = end - file.readUInt32LE(end + 12);
  const moved = start - file.readUInt32LE(end + 16);
  for (let at = start; entries.size < ARCHIVE_ENTRIES_MAX; ) {
    if (at < 0 || at + 46 > end || file.readUInt32LE(at) !== DIRECTORY_HEADER) break;
    const nameEnd = at + 46 + file.readUInt16LE(at + 28);
    entries.set(file.toString('utf8', at + 46, nameEnd), {
      header: moved + file.readUInt32LE(at + 42),
      packedSize: file.readUInt32LE(at + 20),
      isDeflated: file.readUInt16LE(at + 10) === DEFLATED,
    });
    at = nameEnd + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
  }
  return entries;
}

/** Content types and manifests of 2,000 parts are below 1 MiB. */
const NAMING_PART_MAX = 2 ** 22;

/** The text of a small entry; '' for a missing, large or damaged one. */
function unpack(file: Buffer, entry: Entry | undefined): string {
  if (!entry || entry.header < 0 || entry.header + 30 > file.length) return '';
  if (file.readUInt32LE(entry.header) !== LOCAL_HEADER) return '';
  const start =
    entry.header + 30 + file.readUInt16LE(entry.header + 26) + file.readUInt16LE(entry.header + 28);
  const packed = file.subarray(start, start + Math.min(entry.packedSize, NAMING_PART_MAX));
  if (!entry.isDeflated) return packed.toString('latin1');
  try {
    return inflateRawSync(packed, { maxOutputLength: NAMING_PART_MAX }).toString('latin1');
  } catch {
    return '';
  }
}
