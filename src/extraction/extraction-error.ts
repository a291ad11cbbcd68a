/** The errors of a file that cannot be extracted. Their messages are for the file's owner. */
import type { DocumentErrorCode, DocumentType } from '../../generated/types.gen.ts';
import { PICTURE_PIXELS_MAX, TEXT_MAX_LENGTH, UNPACKED_MAX } from './extraction-limits.ts';

/** Ends the extraction of the file. `format`: the name of a format that is not read, as in "a PNG picture". */
export class ExtractionError extends Error {
  readonly code: DocumentErrorCode;
  readonly format: string | undefined;

  constructor(code: DocumentErrorCode, message: string, format?: string) {
    super(message);
    this.code = code;
    this.format = format;
  }
}

export const tooComplex = (what: string) => new ExtractionError('FILE_TOO_COMPLEX', what);

export const tooLong = () => tooComplex(`The file's text is longer than ${TEXT_MAX_LENGTH} characters.`);

/**
 * Returns the same text.
 * @throws FILE_TOO_COMPLEX past TEXT_MAX_LENGTH
 */
export function requireShort(text: string): string {
  if (text.length > TEXT_MAX_LENGTH) throw tooLong();
  return text;
}

export const unpacksToTooMuch = () =>
  tooComplex(`The file unpacks to more than ${UNPACKED_MAX / 2 ** 20} MiB.`);

/** What helps where pictures are not read because the service's operator has turned that off. */
export const OCR_IS_OFF = 'the operator of the service has turned OCR off (OCR=off)';

/** Where the text may be in pictures, which are not read. A blank workbook or letter is just blank. */
const PICTURES: Partial<Record<DocumentType, string>> = {
  pdf: `; its pages may be scanned, and ${OCR_IS_OFF}`,
  pptx: '; its slides may be pictures',
  odp: '; its slides may be pictures',
  ppt: '; its slides may be pictures',
};

const RECOGNISED: Partial<Record<DocumentType, string>> = {
  pdf: `, and OCR has found none in its pictures of up to ${Math.floor(PICTURE_PIXELS_MAX / 1e6)} million pixels`,
  image: ': OCR has found none',
};

/** `recognises`: the pictures of this type were read too. */
export const noText = (type: DocumentType, recognises = false): ExtractionError => {
  const where = recognises ? RECOGNISED[type] : PICTURES[type];
  return new ExtractionError(
    'NO_TEXT_EXTRACTED',
    `The file holds no readable text${where ?? PICTURES[type] ?? ''}.`,
  );
};

/** Of a PDF whose text is there, but as glyphs that no letters are known for. */
export const unmapped = (): ExtractionError =>
  new ExtractionError(
    'NO_TEXT_EXTRACTED',
    'The file holds no readable text: its fonts do not say which letters they have.',
  );

/** The message of FILE_TOO_COMPLEX where a file exhausts the memory of its process. */
export const TOO_MUCH_MEMORY = 'The file needs more memory than the service allows for one file.';

export const corrupt = (what: string) => new ExtractionError('FILE_CORRUPT', what);

/** `reason`: in our words, since a library's message would not help the file's owner. */
export const damaged = (reason: string) => corrupt(`The file is damaged or cut off: ${reason}.`);

export const encrypted = () =>
  new ExtractionError('FILE_ENCRYPTED', 'The file needs a password; import it without one.');

export const encryptedMessage = () =>
  new ExtractionError(
    'FILE_ENCRYPTED',
    'The message is encrypted: open it in the mail program, and save it without encryption.',
  );
