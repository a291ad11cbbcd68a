/** File → text, or the reason why it has none. Runs in a child process. */
import type { DocumentError, DocumentType } from '../../generated/types.gen.ts';
import { type ExtractedText, isBlank } from '../indexing/split/extracted-text.ts';
import { scanMarkdown } from '../indexing/split/markdown.ts';
import { decodeText } from './decode-text.ts';
import { detectType, type FileType, isEncryptedOffice, typeByName } from './detect-type.ts';
import type { Reading } from './extracted-file.ts';
import { encrypted, requireShort, tooComplex, UnreadableFile } from './extraction-limits.ts';
import type { OdfType } from './formats/odf.ts';

export type UploadedFile = { fileName: string; bytes: Uint8Array };

/** The file's type, with its text or its error. */
export type Extraction<Text = ExtractedText> = { type: DocumentType } & (
  | (Omit<Reading, 'extracted'> & { extracted: Text })
  | (Pick<Reading, 'pageCount'> & { failure: DocumentError })
);

/**
 * Extracts a file's text. Returns errors of the file instead of throwing them. Calls `tellType` before the extraction.
 * @throws what no file should cause: a bug of ours
 */
export async function extractFile(
  { fileName, bytes }: UploadedFile,
  tellType: (type: DocumentType) => void = () => {},
): Promise<Extraction> {
  const type = detectType(bytes, fileName) ?? 'unknown';
  tellType(type);
  try {
    const { extracted, ...reading } = await read(bytes, type);
    if (!isBlank(extracted.text)) return { type, ...reading, extracted: storable(extracted) };
    const { pageCount } = reading;
    const hint = pageCount === undefined ? '' : '; its pages may be scanned';
    const failure = {
      code: 'NO_TEXT_EXTRACTED',
      message: `The file holds no readable text${hint}.`,
    } as const;
    return { type, failure, ...(pageCount !== undefined && { pageCount }) };
  } catch (error) {
    const { code, message } = asUnreadable(error);
    // A password or damage hides the type from the bytes, so the name decides.
    const isHidden = type === 'unknown' && code !== 'UNSUPPORTED_FILE_TYPE';
    return { type: (isHidden && typeByName(fileName)) || type, failure: { code, message } };
  }
}

type Reader = (bytes: Uint8Array) => Reading | Promise<Reading>;

/** Loaded on demand: a process extracts only one file. */
const READERS: Record<FileType, () => Promise<Reader>> = {
  pdf: async () => (await import('./formats/pdf.ts')).extractPdf,
  docx: async () => textOnly((await import('./formats/docx.ts')).extractDocx),
  pptx: async () => (await import('./formats/pptx.ts')).extractPptx,
  xlsx: async () => (await import('./formats/xlsx.ts')).extractXlsx,
  xls: async () => (await import('./formats/xls.ts')).extractXls,
  odt: () => odfReader('odt'),
  odp: () => odfReader('odp'),
  ods: () => odfReader('ods'),
  epub: async () => textOnly((await import('./formats/epub.ts')).extractEpub),
  rtf: async () => textOnly((await import('./formats/rtf.ts')).extractRtf),
  csv: async () => textOnly((await import('./formats/csv.ts')).extractCsv),
  json: async () => textOnly((await import('./formats/json.ts')).extractJson),
  xml: async () => textOnly((await import('./formats/xml.ts')).extractXml),
  html: async () => htmlReader((await import('./formats/html.ts')).extractHtml),
  md: async () => textOnly(readPlain),
  // Headings and code fences are common in plain text too.
  txt: async () => textOnly(readPlain),
};

const readPlain = (bytes: Uint8Array): ExtractedText => scanMarkdown(requireShort(decodeText(bytes)));

/** For formats without pages. */
function textOnly(extract: (bytes: Uint8Array) => ExtractedText | Promise<ExtractedText>): Reader {
  return async (bytes) => ({ extracted: await extract(bytes), warnings: [] });
}

const htmlReader = (extract: (html: string) => ExtractedText): Reader =>
  textOnly((bytes) => extract(decodeText(bytes, { markup: 'html' })));

async function odfReader(type: OdfType): Promise<Reader> {
  const { extractOdf } = await import('./formats/odf.ts');
  return (bytes) => extractOdf(bytes, type);
}

async function read(bytes: Uint8Array, type: FileType | 'unknown'): Promise<Reading> {
  if (type === 'unknown') throw await reasonAgainst(bytes);
  const reader = await READERS[type]();
  return await reader(bytes);
}

/** Why a file of unknown type cannot be extracted: a password or damage may hide an Office file's type. */
async function reasonAgainst(bytes: Uint8Array): Promise<UnreadableFile> {
  if (isEncryptedOffice(bytes)) return encrypted();
  const { openArchive } = await import('./formats/archive.ts');
  const isArchive = bytes[0] === 0x50 && bytes[1] === 0x4b; // PK
  const failure = isArchive ? await openArchive(bytes).catch((error: unknown) => error) : undefined;
  if (failure instanceof UnreadableFile) return failure;
  const types = Object.keys(READERS).join(', ');
  return new UnreadableFile(
    'UNSUPPORTED_FILE_TYPE',
    `The file is none of the types that can be read: ${types}.`,
  );
}

/** PostgreSQL cannot store lone surrogates. Each becomes U+FFFD, which keeps all offsets. */
function storable(extracted: ExtractedText): ExtractedText {
  if (extracted.text.isWellFormed()) return extracted;
  return {
    ...extracted,
    text: extracted.text.toWellFormed(),
    headings: extracted.headings.map((heading) => ({ ...heading, text: heading.text.toWellFormed() })),
    tables: extracted.tables.map((table) => ({ ...table, header: table.header.toWellFormed() })),
  };
}

/** V8's errors for a full stack, and for strings or buffers above the maximum size. */
const PAST_A_BOUND = /call stack|string length|allocation failed|array (?:buffer )?length/i;

function asUnreadable(error: unknown): UnreadableFile {
  if (error instanceof UnreadableFile) return error;
  if (error instanceof RangeError && PAST_A_BOUND.test(error.message))
    return tooComplex('Reading the file takes more memory than the service gives to one.');
  throw error;
}
