/** Everything that bounds the reading of one file, with the reason for each number. Bytes, unless a name says else. */
import { totalmem } from 'node:os';
import type { DocumentErrorCode, DocumentType } from '../../generated/types.gen.ts';

const MEBIBYTE = 2 ** 20;

/** From the bytes' arrival to the result. A 200-page PDF takes a few seconds; this is for slow, busy machines. */
export const READING_MAX_MS = 120_000;

/**
 * Formats of which nothing is unpacked, so that their bytes tell how long reading may take. The slowest of them, rich
 * text, is read at 1.6 MB a second on a slow core; a process that others leave a tenth of that core takes 6 s for 1 MB.
 */
const PLAIN_FORMATS: ReadonlySet<DocumentType> = new Set(['txt', 'md', 'csv', 'json', 'xml', 'html', 'rtf']);
const PLAIN_READING_MS = 10_000;
const PLAIN_READING_MS_PER_MEBIBYTE = 4_000;

/** How long reading a file of this type and size may take. */
export const readingMaxMsFor = (type: DocumentType, bytes: number): number =>
  PLAIN_FORMATS.has(type)
    ? Math.min(READING_MAX_MS, PLAIN_READING_MS + (bytes / MEBIBYTE) * PLAIN_READING_MS_PER_MEBIBYTE)
    : READING_MAX_MS;

/** Of the machine; where a container is given less than that, that counts. */
export const MACHINE_MEMORY = Math.min(process.constrainedMemory() || totalmem(), totalmem());

/**
 * All memory of the process that reads a file that is in use: the heap, the file, what is unpacked, the program itself.
 * Half of a small machine is left to the service.
 */
export const MEMORY_MAX = Math.min(896 * MEBIBYTE, MACHINE_MEMORY / 2);

/** JavaScript heap of that process; a sheet of a million cells takes 256 MiB. */
export const HEAP_MAX = Math.min(512 * MEBIBYTE, 0.6 * MEMORY_MAX);

/**
 * What the kernel refuses to give that process beyond (RLIMIT_DATA), in case it grows faster than it is looked at.
 * Node reserves up to 600 MB that it never touches, and these count.
 */
export const RESERVED_MEMORY_MAX = MEMORY_MAX + 640 * MEBIBYTE;

/** UTF-16 units of the text that is made of a file, whatever its format: 20 times a long novel. */
export const TEXT_MAX_LENGTH = 10_000_000;

/** What comes back of a file: the longest text, two bytes a character, and twice as much for its structure. */
export const RESULT_MAX = 60 * MEBIBYTE;

/** The line before it, which holds warnings or what is wrong. */
export const RESULT_HEAD_MAX = MEBIBYTE;

/** The unpacked parts of one archive that are read (pictures are not), counted while they are unpacked. */
export const UNPACKED_MAX = 160 * MEBIBYTE;

/** Entries of one archive; a presentation of 500 slides has some 3,000. */
export const ARCHIVE_ENTRIES_MAX = 20_000;

/** Elements inside each other. Office programs stay below 50, with tables in tables. */
export const XML_DEPTH_MAX = 1_000;

/** Pages of a PDF. */
export const PDF_PAGES_MAX = 10_000;

/** Cells of a workbook up to the last with something in it of each row. */
export const CELLS_MAX = 2_000_000;

/** What is wrong with a file, in words for its owner: reading ends here. */
export class UnreadableFile extends Error {
  readonly code: DocumentErrorCode;

  constructor(code: DocumentErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const tooComplex = (what: string) => new UnreadableFile('FILE_TOO_COMPLEX', what);

export const tooLong = () => tooComplex(`The file's text is longer than ${TEXT_MAX_LENGTH} characters.`);

/** The text itself. @throws FILE_TOO_COMPLEX past TEXT_MAX_LENGTH */
export function requireShort(text: string): string {
  if (text.length > TEXT_MAX_LENGTH) throw tooLong();
  return text;
}

export const corrupt = (what: string) => new UnreadableFile('FILE_CORRUPT', what);

/** `reason`: what cannot be read, in our words; those of a library say nothing to the file's owner. */
export const damaged = (reason: string) => corrupt(`The file is damaged or cut off: ${reason}.`);

export const encrypted = () =>
  new UnreadableFile('FILE_ENCRYPTED', 'The file needs a password; import it without one.');
