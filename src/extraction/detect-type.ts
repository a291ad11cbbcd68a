/**
 * Detects a file's type from its bytes, or from its name's extension where the bytes do not decide.
 * The library file-type is not used: a text that begins with `BMW`, `GIF` or `ID3` is a picture or music to it.
 */
import type { DocumentType } from '../../generated/types.gen.ts';
import { COMPOUND_SIGNATURE } from './compound-file.ts';
import { detectUtf16, isGarbled, isPlain } from './detect-encoding.ts';
import { compoundNames, compoundType } from './detection/compound-type.ts';
import { mailType } from './detection/mail-type.ts';
import {
  refusedArchive,
  refusedByExtension,
  refusedBytes,
  refusedFormat,
  refusedText,
} from './detection/refusals.ts';
import type { RefusedFormat } from './detection/refused-formats.ts';
import { isOldTar, isTar } from './detection/tar-header.ts';
import { isJsonLines, subtitleType } from './detection/text-type.ts';
import { PLAIN_FORMATS } from './extraction-limits.ts';
import { isPicture } from './recognition/picture-sizes.ts';
import { archiveFacts, zipType } from './zip-type.ts';

/** The types of files that the contract knows. */
export type FileType = Exclude<DocumentType, 'text' | 'unknown'>;

/** The head to search in: comments and white space may precede a significant word. */
const HEAD_LENGTH = 4096;
/**
 * Comments with licences and notes of programs may precede the root element of a page, and what servers write the
 * headers of a mail that people read.
 */
const PROLOG_MAX = 65_536;

/** A file's type; undefined for content of an unsupported type, whatever its name is. */
export function detectType(bytes: Uint8Array, fileName: string): FileType | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = file.subarray(0, HEAD_LENGTH).toString('latin1');
  const extension = extensionOf(fileName);
  if (head.startsWith('PK\x03\x04')) return archiveType(file, extension);
  if (head.startsWith(COMPOUND_SIGNATURE)) return compoundType(file);
  if (head.startsWith(GZIP) || head.startsWith(NO_ENTRIES) || isTar(file)) return 'zip';
  const mail = mailType(file.toString('latin1', 0, PROLOG_MAX).replaceAll('\0', ''), extension);
  if (mail) return mail;
  if (head.slice(0, PDF_HEADER_MAX_OFFSET).includes('%PDF-')) return 'pdf';
  if (head.startsWith('{\\rtf')) return 'rtf';
  if (isPicture(head)) return 'image';
  if (isOldTar(file) || refusedText(head) || refusedBytes(head) || isBinary(file, head)) return undefined;
  return textType(file, extension);
}

/** What a file of unknown type is. */
export function unsupportedFormat(bytes: Uint8Array, fileName: string): RefusedFormat | undefined {
  return refusedFormat(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), extensionOf(fileName));
}

const GZIP = '\x1f\x8b\x08';
/** An archive without entries. */
const NO_ENTRIES = 'PK\x05\x06';

/** Readers accept a PDF's header anywhere in the first 1,024 bytes (ISO 32000-1, Annex H.3, note 13). */
const PDF_HEADER_MAX_OFFSET = 1024;

/** A document, a format that is not read, or an archive of files. */
function archiveType(file: Buffer, extension: string): FileType | undefined {
  const { names, mediaType } = archiveFacts(file);
  if (refusedArchive(names, extension)) return undefined;
  const document = zipType(file);
  if (document) return document;
  return mediaType !== '' || refusedByExtension(extension) ? undefined : 'zip';
}

/** Whether an OLE file holds an Office file under a password ([MS-OFFCRYPTO] 2.3.4.4). */
export function isEncryptedOffice(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (
    file.toString('latin1', 0, COMPOUND_SIGNATURE.length) === COMPOUND_SIGNATURE &&
    compoundNames(file).some((name) => name.toUpperCase() === 'ENCRYPTEDPACKAGE')
  );
}

/** Heads of common binary files: short ones may contain too few control characters to be recognised. */
const BINARY_SIGNATURES = [
  '\x89PNG',
  '\xff\xd8\xff',
  'GIF87a',
  'GIF89a',
  'II*\0',
  'MM\0*',
  '\xfd7zXZ',
  '7z\xbc\xaf',
  'Rar!\x1a',
  '\x7fELF',
  'OggS\0',
  '\0asm',
  '\xca\xfe\xba\xbe',
];

/** Control characters are counted in this many bytes. */
const CONTROLS_SAMPLE_LENGTH = 65_536;
/**
 * A text with one of each kind of control character is still a text.
 * It is binary if it has more, and they are over a hundredth.
 */
const CONTROLS_TOLERATED = 32;
const CONTROL_MAX_SHARE = 0.01;
/** For files of any length: if more than half of the characters do not occur in texts, the file is not a text. */
const NON_TEXT_MIN_SHARE = 0.5;

/** Zero bytes count separately: programs pad texts with them, or write them in place of lost text. */
function isBinary(file: Buffer, head: string): boolean {
  if (BINARY_SIGNATURES.some((signature) => head.startsWith(signature))) return true;
  if (detectUtf16(file)) return false;
  const sample = file.subarray(0, CONTROLS_SAMPLE_LENGTH);
  const zeros = countBytes(sample, (byte) => byte === 0);
  const controls = countBytes(sample, isControl);
  const areMany = (count: number) => count > CONTROLS_TOLERATED && count > CONTROL_MAX_SHARE * sample.length;
  if (zeros + controls > NON_TEXT_MIN_SHARE * sample.length || areMany(controls)) return true;
  return ((areMany(zeros) || head.startsWith('\0\0\0')) && !isPlain(sample)) || isGarbled(sample);
}

const countBytes = (bytes: Uint8Array, isCounted: (byte: number) => boolean): number =>
  bytes.reduce((count, byte) => count + Number(isCounted(byte)), 0);

/** ASCII control characters other than NUL, tab, line feed, vertical tab, form feed, carriage return and escape. */
function isControl(byte: number): boolean {
  return (byte > 0 && byte < 9) || (byte > 13 && byte < 32 && byte !== 27) || byte === 127;
}

function extensionOf(fileName: string): string {
  return /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
}

/**
 * What precedes the root element: a byte order mark, white space, comments, and in XML the declaration and processing
 * instructions (XML 1.0, 2.8). Reporting tools write several of them. What precedes a page in PHP is a program. Zero
 * bytes are UTF-16's.
 */
const PROLOG_PART = /(?:^\xef\xbb\xbf|^\xff\xfe|^\xfe\xff|\s+|<!--.*?-->|<\?(?!php\b|=).*?\?>)/sy;
const XML_START = '<?xml';
const HTML_START = /<(?:!doctype\s+(?:\w+:)?html|(?:\w+:)?html)[\s>[]/iy;
const HTML_EXTENSION = /^x?html?$/;
/** A file named .html needs one of these elements, since a plain note may have that name too. */
const HTML_ELEMENT =
  /<(?:head|body|title|meta|div|p|h[1-6]|table|ul|ol|span|a|br|script|article|section)[\s>/]/i;

/** Types whose content looks like plain text. */
const TEXT_TYPE_BY_EXTENSION = new Map<string, FileType>([
  ['md', 'md'],
  ['markdown', 'md'],
  ['mdown', 'md'],
  ['csv', 'csv'],
  ['tsv', 'csv'],
]);

/** Further extensions of a type, from which it is known before the content has been read. */
const OTHER_EXTENSIONS = new Map<string, FileType>([
  ['pps', 'ppt'],
  ['mht', 'mhtml'],
  ['mbox', 'eml'],
  ['ass', 'srt'],
  ['tgz', 'zip'],
  ['gz', 'zip'],
  ['tar', 'zip'],
  ['ipynb', 'json'],
  ['jsonl', 'json'],
  ['ndjson', 'json'],
  ...['png', 'jpg', 'jpeg', 'jfif', 'tif', 'tiff', 'webp', 'gif', 'bmp'].map((name): [string, FileType] => [
    name,
    'image',
  ]),
]);

/** Types whose extension is the type's name. */
const NAMED_TYPES: readonly FileType[] = [
  'pdf',
  'docx',
  'pptx',
  'xlsx',
  'xls',
  'odt',
  'odp',
  'ods',
  'rtf',
  'epub',
  'xml',
  'json',
  'txt',
  'doc',
  'ppt',
  'eml',
  'msg',
  'mhtml',
  'zip',
  'srt',
  'vtt',
];

/** A file's type from its name alone, until its content has been read; undefined where the name does not decide. */
export function typeByName(fileName: string): FileType | undefined {
  const extension = extensionOf(fileName);
  if (HTML_EXTENSION.test(extension)) return 'html';
  return (
    TEXT_TYPE_BY_EXTENSION.get(extension) ??
    OTHER_EXTENSIONS.get(extension) ??
    NAMED_TYPES.find((type) => type === extension)
  );
}

/** Whether a file's name says that it is plain, or says nothing. The file may be something else than its name says. */
export function isPlainByName(fileName: string): boolean {
  const type = typeByName(fileName);
  return type === undefined || PLAIN_FORMATS.has(type);
}

const JSON_EXTENSION = /^(?:json|ipynb|geojson|jsonl|ndjson|jsonld)$/;

function textType(file: Buffer, extension: string): FileType {
  const text = file.toString('latin1', 0, PROLOG_MAX).replaceAll('\0', '');
  const subtitles = subtitleType(text.slice(0, HEAD_LENGTH));
  if (subtitles) return subtitles;
  const start = prologEnd(text);
  HTML_START.lastIndex = start;
  if (HTML_START.test(text)) return 'html';
  const root = text.slice(start, start + HEAD_LENGTH);
  if (text.slice(0, start + XML_START.length).includes(XML_START))
    return officeXmlType(text.slice(0, start), root) ?? flatType(text, start) ?? 'xml';
  if (HTML_EXTENSION.test(extension) && HTML_ELEMENT.test(root)) return 'html';
  if (/^(?:xml|svg|rss|atom|xsd|xsl|xslt|ttml|dfxp|fb2)$/.test(extension) && root.startsWith('<'))
    return 'xml';
  if (JSON_EXTENSION.test(extension) && /^[[{"\d\-tfn]/.test(root)) return 'json';
  if (!TEXT_TYPE_BY_EXTENSION.has(extension) && isJsonLines(text.slice(0, HEAD_LENGTH))) return 'json';
  return TEXT_TYPE_BY_EXTENSION.get(extension) ?? (/^<(?:head|body)[\s>]/i.test(root) ? 'html' : 'txt');
}

const WORD_2003 = /^<(?:\w+:)?wordDocument\s/;
const EXCEL_2003 = /^<(?:\w+:)?Workbook\s[^>]*schemas-microsoft-com:office:spreadsheet/;
const FLAT_PACKAGE = /^<(?:\w+:)?package\s[^>]*office\/2006\/xmlPackage/;

/** The type of an Office file that is one XML document. Its program stands in a processing instruction. */
function officeXmlType(prolog: string, root: string): FileType | undefined {
  if (WORD_2003.test(root)) return 'docx';
  if (EXCEL_2003.test(root)) return 'xls';
  if (!FLAT_PACKAGE.test(root)) return undefined;
  if (prolog.includes('"Word.Document"')) return 'docx';
  return prolog.includes('"PowerPoint.Show"') ? 'pptx' : undefined;
}

/** OpenDocument as one XML file (`.fodt`, `.fods`) names its type in the root element, after all its namespaces. */
const FLAT_OPENDOCUMENT =
  /<office:document\s[^>]*?office:mimetype="application\/vnd\.oasis\.opendocument\.(text|presentation|spreadsheet)\b/y;

const FLAT_TYPES: ReadonlyMap<string | undefined, FileType> = new Map([
  ['text', 'odt'],
  ['presentation', 'odp'],
  ['spreadsheet', 'ods'],
]);

function flatType(text: string, start: number): FileType | undefined {
  FLAT_OPENDOCUMENT.lastIndex = start;
  const type = FLAT_OPENDOCUMENT.exec(text)?.[1];
  return FLAT_TYPES.get(type);
}

/** Where the root element or its document type begins. In linear time. */
function prologEnd(text: string): number {
  let end = 0;
  for (PROLOG_PART.lastIndex = 0; PROLOG_PART.test(text); ) end = PROLOG_PART.lastIndex;
  return end;
}
