/** What the mock makes of an uploaded file: its text, or the reason why it has none. */
import type {
  DocumentError,
  DocumentErrorCode,
  DocumentType,
  DocumentWarning,
} from '../../../generated/types.gen.ts';
import { detectType, typeByName } from '../../../src/extraction/detect-type.ts';
import { extractFile } from '../../../src/extraction/extract.ts';
import type { ExtractedText } from '../../../src/indexing/split/extracted-text.ts';
import { scanMarkdown } from '../../../src/indexing/split/markdown.ts';
import { HEAD_MAX_BYTES, type ReceivedBytes } from '../uploads.ts';

/** The type of a file, with its text or its error. `pageCount`: only in formats with pages. */
export type FileContent = {
  type: DocumentType;
  pageCount?: number;
  warnings?: DocumentWarning[];
} & ({ extracted: ExtractedText; failure?: undefined } | { extracted?: undefined; failure: DocumentError });

/** The formats that are read as the service reads them. The others need its sandbox. */
const TEXT_TYPES: readonly DocumentType[] = ['txt', 'md', 'csv', 'json', 'xml', 'html', 'rtf', 'srt', 'vtt'];
export const PAGED_TYPES: readonly DocumentType[] = ['pdf', 'pptx', 'ppt', 'xlsx', 'xls', 'odp', 'ods'];

/** The text of a file that the mock does not read. A search for words of its name finds it. */
function standInText(fileName: string, type: DocumentType): ExtractedText {
  const words = fileName.replace(/\.[^.]*$/, '').replaceAll(/[-_.]+/g, ' ');
  const text = scanMarkdown(
    `This is the text of the file ${fileName}: ${words}. The mock does not read files of this kind. ` +
      'The service would return the passages of the file itself here.',
  );
  return PAGED_TYPES.includes(type) ? { ...text, pages: [{ offset: 0, page: 1 }] } : text;
}

/** Words in a file's name, and the failure that they cause. Any other name with `fail` is FILE_CORRUPT. */
const FAILURES: [word: RegExp, failure: DocumentError][] = (
  [
    ['encrypted', 'FILE_ENCRYPTED', 'The file is protected by a password.'],
    ['unsupported', 'UNSUPPORTED_FILE_TYPE', 'The service does not read files of this type.'],
    ['empty', 'NO_TEXT_EXTRACTED', 'The file holds no readable text; its pages may be scanned.'],
    ['complex', 'FILE_TOO_COMPLEX', 'The file is too large after unpacking.'],
    ['timeout', 'PROCESSING_TIMEOUT', 'The file could not be read before the deadline.'],
    ['internal', 'INTERNAL_ERROR', 'The service has a fault; its operator finds more in the log.'],
    ['', 'FILE_CORRUPT', 'The file is damaged or cut off: its end is missing.'],
  ] satisfies [string, DocumentErrorCode, string][]
).map(([word, code, message]) => [new RegExp(word, 'i'), { code, message }]);

/** Failures that end by themselves: the next try reads the file. */
const TRANSIENT: readonly DocumentErrorCode[] = ['PROCESSING_TIMEOUT', 'INTERNAL_ERROR'];

/** The failure that a file's name asks for; undefined: none. `tries`: how often the file was read before. */
export function failureByName(fileName: string, tries: number): DocumentError | undefined {
  if (!/fail/i.test(fileName)) return undefined;
  const failure = FAILURES.find(([word]) => word.test(fileName))?.[1];
  return failure && TRANSIENT.includes(failure.code) && tries > 0 ? undefined : failure;
}

/** Reads a file from its first bytes. */
export async function readFile(
  fileName: string,
  { head, sizeBytes }: Pick<ReceivedBytes, 'head' | 'sizeBytes'>,
): Promise<FileContent> {
  const named = typeByName(fileName);
  const type = named !== undefined && !TEXT_TYPES.includes(named) ? named : detectType(head, fileName);
  if (type === undefined || (TEXT_TYPES.includes(type) && sizeBytes <= HEAD_MAX_BYTES))
    return await extractFile({ fileName, bytes: head });
  const pageCount = PAGED_TYPES.includes(type) ? { pageCount: 1 } : {};
  return { type, ...pageCount, extracted: standInText(fileName, type) };
}
