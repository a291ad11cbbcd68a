/**
 * The limits of the extraction of one file, with the reason for each number. In bytes, unless the name has another
 * unit. The limits of OCR are in recognition/recognition-limits.ts.
 */
import type { DocumentType } from '../../generated/types.gen.ts';
import { MACHINE_MEMORY } from '../config/machine-memory.ts';

const MEBIBYTE = 2 ** 20;

/**
 * From the arrival of the bytes to the result. A 200-page PDF takes a few seconds; slow and busy machines need more.
 */
export const EXTRACTION_MAX_MS = 120_000;

/**
 * For formats that are not compressed, the file's size bounds the time.
 * The slowest of them, rich text, is extracted at 1.6 MB a second on a slow core.
 * A process that gets only a tenth of that core takes 6 s for 1 MB.
 */
export const PLAIN_FORMATS: ReadonlySet<DocumentType> = new Set([
  'txt',
  'md',
  'csv',
  'json',
  'xml',
  'html',
  'rtf',
  'srt',
  'vtt',
]);
const PLAIN_BASE_MS = 10_000;
const PLAIN_MS_PER_MEBIBYTE = 4_000;

/** The time limit for a file of this type and size. */
export const extractionMaxMsFor = (type: DocumentType, bytes: number): number =>
  PLAIN_FORMATS.has(type)
    ? Math.min(EXTRACTION_MAX_MS, PLAIN_BASE_MS + (bytes / MEBIBYTE) * PLAIN_MS_PER_MEBIBYTE)
    : EXTRACTION_MAX_MS;

/**
 * Memory in use by the process that extracts a file: heap, file, unpacked parts and the program itself.
 * On a small machine half of the memory is left to the service.
 */
export const MEMORY_MAX = Math.min(896 * MEBIBYTE, MACHINE_MEMORY / 2);

/** Pixels of one picture before it is made smaller: a page at 600 dpi. Decoded, it takes 4 bytes a pixel. */
export const PICTURE_PIXELS_MAX = Math.floor(MEMORY_MAX / 24);

/** JavaScript heap of that process. A sheet of a million cells takes 256 MiB. */
export const HEAP_MAX = Math.min(512 * MEBIBYTE, 0.6 * MEMORY_MAX);

/**
 * The kernel's limit for that process (RLIMIT_DATA), in case its memory grows between two checks of the watchdog.
 * It counts the 600 MB at most that Node reserves and never touches.
 */
export const RESERVED_MEMORY_MAX = MEMORY_MAX + 640 * MEBIBYTE;

/** UTF-16 units of the extracted text of a file in any format: 20 times a long novel. */
export const TEXT_MAX_LENGTH = 10_000_000;

/** Size of a result: the longest text at two bytes a character, and twice as much for its structure. */
export const RESULT_MAX = 60 * MEBIBYTE;

/** Size of the line before the result, which holds the warnings or the error. */
export const RESULT_HEAD_MAX = MEBIBYTE;

/**
 * Unpacked size of all parts of an upload that are read (pictures are not), also of archives inside it. It is counted
 * during unpacking.
 */
export const UNPACKED_MAX = 160 * MEBIBYTE;

/** Entries of one archive; a presentation of 500 slides has some 3,000. */
export const ARCHIVE_ENTRIES_MAX = 20_000;

/** Files inside an upload that are read: attachments, members of archives, messages of a mailbox. */
export const INNER_FILES_MAX = 10_000;

/** Depth of files inside files: a mail in a mail in an archive has 3. */
export const INNER_DEPTH_MAX = 8;

/** Depth of nested elements. Office programs stay below 50, including tables in tables. */
export const NESTING_MAX = 1_000;

/** Pages of a PDF. */
export const PDF_PAGES_MAX = 10_000;

/** Sheets of a workbook that are read. An archive may name one of its parts as a sheet again and again. */
export const SHEETS_MAX = 10_000;

/** Cells of a workbook: each row counts up to its last cell with content. */
export const CELLS_MAX = 2_000_000;
