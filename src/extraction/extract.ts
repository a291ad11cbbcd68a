/** File → text, or the reason why it has none. Runs in a child process. */
import type { DocumentError, DocumentType, DocumentWarning } from '../../generated/types.gen.ts';
import { type ExtractedText, isBlank } from '../indexing/split/extracted-text.ts';
import {
  detectType,
  type FileType,
  isEncryptedOffice,
  typeByName,
  unsupportedFormat,
} from './detect-type.ts';
import { boundWarnings, type ExtractedFile } from './extracted-file.ts';
import {
  ExtractionError,
  encrypted,
  noText,
  TOO_MUCH_MEMORY,
  tooComplex,
  unmapped,
} from './extraction-error.ts';
import { type FileToExtract, type ReaderContext, uploadContext } from './reader-context.ts';
import type { Recognition } from './recognition/recognition.ts';

/** The file's type, with its text or its error. */
export type Extraction<Text = ExtractedText> = { type: DocumentType } & (
  | (Omit<ExtractedFile, 'extracted'> & { extracted: Text })
  | (Partial<Pick<ExtractedFile, 'pageCount' | 'warnings'>> & { failure: DocumentError })
);

/**
 * Extracts a file's text. Returns errors of the file instead of throwing them. Calls `onType` before the extraction.
 * `recognition`: reads the text of pictures; undefined where that is turned off.
 * @throws only for a bug of this service: no file should cause another error
 */
export async function extractFile(
  file: FileToExtract,
  onType: (type: DocumentType) => void = () => {},
  recognition?: Recognition,
): Promise<Extraction> {
  const { fileName, bytes } = file;
  const type = detectType(bytes, fileName) ?? 'unknown';
  onType(type);
  try {
    const { extracted, ...read } = await extractAs(
      file,
      type,
      uploadContext(file, extractInner, recognition),
    );
    const { pageCount } = read;
    const warnings = boundWarnings([...read.warnings, ...misnamed(type, fileName)]);
    if (!isBlank(extracted.text)) return { type, ...read, warnings, extracted: storable(extracted) };
    const isUnmapped = read.warnings.some(({ code }) => code === 'TEXT_UNRELIABLE');
    const { code, message } = isUnmapped ? unmapped() : noText(type, recognition !== undefined);
    // The failure itself says that no page has text.
    const others = warnings.filter(({ code }) => code !== 'PAGES_WITHOUT_TEXT');
    const facts = {
      ...(pageCount !== undefined && { pageCount }),
      ...(others.length > 0 && { warnings: others }),
    };
    return { type, failure: { code, message }, ...facts };
  } catch (error) {
    const { code, message } = asExtractionError(error);
    // A password or damage hides the type from the bytes, so the name decides.
    const isHidden =
      type === 'unknown' ? code !== 'UNSUPPORTED_FILE_TYPE' : code === 'FILE_CORRUPT' && type === 'zip';
    return { type: (isHidden && typeByName(fileName)) || type, failure: { code, message } };
  }
}

/** Types that hardly a text is named after: of the others, `notes.doc` and `export.xls` may be texts. */
const NEVER_TEXT: ReadonlySet<DocumentType> = new Set([
  'pdf',
  'docx',
  'pptx',
  'xlsx',
  'epub',
  'image',
  'zip',
]);

/** A warning where a file was read as plain text whose name says that it is none: its bytes may mean nothing. */
function misnamed(type: DocumentType, fileName: string): DocumentWarning[] {
  const named = type === 'txt' ? typeByName(fileName) : undefined;
  if (named === undefined || !NEVER_TEXT.has(named)) return [];
  const message = `Its name says ${named}, but it is none: its bytes were read as plain text.`;
  return [{ code: 'TEXT_UNRELIABLE', message }];
}

/** Extracts a file inside the uploaded one. @throws ExtractionError */
async function extractInner(file: FileToExtract, context: ReaderContext): Promise<ExtractedFile> {
  try {
    const type = detectType(file.bytes, file.fileName) ?? 'unknown';
    const inner = await extractAs(file, type, context);
    if (isBlank(inner.extracted.text)) throw noText(type, context.recognition !== undefined);
    return inner;
  } catch (error) {
    throw asExtractionError(error);
  }
}

type Extractor = (bytes: Uint8Array, context: ReaderContext) => ExtractedFile | Promise<ExtractedFile>;

/** Loaded on demand: most processes extract files of one kind. */
const EXTRACTORS: Record<FileType, () => Promise<Extractor>> = {
  pdf: async () => (await import('./formats/pdf/pdf.ts')).extractPdf,
  docx: async () => (await import('./formats/office/docx.ts')).extractDocx,
  pptx: async () => (await import('./formats/office/pptx.ts')).extractPptx,
  xlsx: async () => (await import('./formats/sheets/xlsx/xlsx.ts')).extractXlsx,
  xls: async () => (await import('./formats/sheets/xls/xls.ts')).extractXls,
  odt: () => odfDocumentExtractor('odt'),
  odp: () => odfDocumentExtractor('odp'),
  ods: async () => (await import('./formats/sheets/ods/ods.ts')).extractOds,
  epub: async () => (await import('./formats/epub/epub.ts')).extractEpub,
  rtf: async () => (await import('./formats/rtf/rtf.ts')).extractRtf,
  eml: async () => (await import('./formats/mail/eml.ts')).extractEml,
  mhtml: async () => (await import('./formats/mail/mhtml.ts')).extractMhtml,
  doc: async () => (await import('./formats/office/doc/doc.ts')).extractDoc,
  ppt: async () => (await import('./formats/office/ppt/ppt.ts')).extractPpt,
  msg: async () => (await import('./formats/mail/msg.ts')).extractMsg,
  zip: async () => (await import('./formats/archives/archives.ts')).extractArchive,
  srt: async () => textOnly((await import('./formats/subtitles.ts')).extractSubtitles),
  vtt: async () => textOnly((await import('./formats/subtitles.ts')).extractSubtitles),
  csv: async () => textOnly((await import('./formats/csv.ts')).extractCsv),
  json: async () => (await import('./formats/json.ts')).extractJson,
  xml: async () => (await import('./formats/xml.ts')).extractXml,
  html: async () => (await import('./formats/html.ts')).extractHtmlFile,
  md: async () => textOnly((await import('./formats/plain.ts')).extractPlain),
  image: async () => {
    const { extractPicture } = await import('./formats/picture.ts');
    return (bytes, { isInner, recognition, fileName }) => {
      if (recognition === undefined) throw refusal(bytes, fileName);
      return extractPicture(bytes, isInner, recognition);
    };
  },
  txt: async () => textOnly((await import('./formats/plain.ts')).extractPlain),
};

/** For formats without pages. */
function textOnly(extract: (bytes: Uint8Array, charset?: string) => ExtractedText): Extractor {
  return (bytes, { charset }) => ({ extracted: extract(bytes, charset), warnings: [] });
}

async function odfDocumentExtractor(type: 'odt' | 'odp'): Promise<Extractor> {
  const { extractOdfDocument } = await import('./formats/office/odf/odf-document.ts');
  return (bytes, context) => extractOdfDocument(bytes, type, context);
}

async function extractAs(
  { bytes, fileName }: FileToExtract,
  type: FileType | 'unknown',
  context: ReaderContext,
): Promise<ExtractedFile> {
  if (type === 'unknown') throw await reasonForUnknown(bytes, fileName);
  const extract = await EXTRACTORS[type]();
  return await extract(bytes, context);
}

/** Why a file of unknown type cannot be extracted: a password or damage may hide an Office file's type. */
async function reasonForUnknown(bytes: Uint8Array, fileName: string): Promise<ExtractionError> {
  if (isEncryptedOffice(bytes)) return encrypted();
  return refusal(bytes, fileName);
}

function refusal(bytes: Uint8Array, fileName: string): ExtractionError {
  const refused = unsupportedFormat(bytes, fileName);
  if (refused)
    return new ExtractionError(
      'UNSUPPORTED_FILE_TYPE',
      `This is ${refused.name}: ${refused.help}.`,
      refused.name,
    );
  const types = Object.keys(EXTRACTORS).join(', ');
  return new ExtractionError('UNSUPPORTED_FILE_TYPE', `The file has none of the supported types: ${types}.`);
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

function asExtractionError(error: unknown): ExtractionError {
  if (error instanceof ExtractionError) return error;
  if (error instanceof RangeError && PAST_A_BOUND.test(error.message)) return tooComplex(TOO_MUCH_MEMORY);
  throw error;
}
