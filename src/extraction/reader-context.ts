/**
 * What a reader may use besides the bytes of its file: the readers of files inside it, within the bounds of one upload.
 */
import type { ExtractedFile } from './extracted-file.ts';
import { tooComplex, unpacksToTooMuch } from './extraction-error.ts';
import { INNER_DEPTH_MAX, INNER_FILES_MAX, UNPACKED_MAX } from './extraction-limits.ts';
import type { Recognition } from './recognition/recognition.ts';

/** `charset`: the encoding of its text as its server has named it. */
export type FileToExtract = { fileName: string; bytes: Uint8Array; charset?: string | undefined };

export type ReaderContext = {
  fileName: string;
  /** The encoding of its text that stands elsewhere, if it does. */
  charset?: string | undefined;
  /** Whether the file is inside another one. */
  isInner: boolean;
  /** Reads the text of pictures; undefined where that is turned off. */
  recognition: Recognition | undefined;
  /**
   * Extracts a file inside this one, such as an attachment, by the reader of its own type.
   * @throws ExtractionError, also where that file holds no text
   */
  extractPart(part: FileToExtract): Promise<ExtractedFile>;
  /** Counts what is unpacked. @throws FILE_TOO_COMPLEX once the whole upload unpacks to more than UNPACKED_MAX */
  countUnpacked(bytes: number): void;
  /** The bytes that may still be unpacked. */
  unpackedLeft(): number;
};

/** What a reader of an archive needs. Without it, the archive is counted alone. */
export type Unpacking = Pick<ReaderContext, 'countUnpacked'>;

/** Reads a file inside the upload, with its context. */
type Extract = (file: FileToExtract, context: ReaderContext) => Promise<ExtractedFile>;

/** What all files inside an upload have taken so far, together. */
type Taken = { files: number; unpacked: number };

/** The context of an uploaded file. `extract` reads the files inside it, `recognition` the text of pictures. */
export const uploadContext = (
  { fileName, charset }: Omit<FileToExtract, 'bytes'>,
  extract: Extract,
  recognition: Recognition | undefined,
): ReaderContext => ({
  ...contextAt(fileName, { extract, recognition, taken: { files: 0, unpacked: 0 } }, 0),
  charset,
});

/** What the files of an upload share. */
type Shared = { extract: Extract; recognition: Recognition | undefined; taken: Taken };

function contextAt(fileName: string, shared: Shared, depth: number): ReaderContext {
  const { extract, recognition, taken } = shared;
  return {
    fileName,
    isInner: depth > 0,
    recognition,
    async extractPart(part) {
      taken.files++;
      if (taken.files > INNER_FILES_MAX)
        throw tooComplex(`The file holds more than ${INNER_FILES_MAX} files.`);
      if (depth >= INNER_DEPTH_MAX)
        throw tooComplex(`Files are nested deeper than ${INNER_DEPTH_MAX} levels.`);
      return await extract(part, contextAt(part.fileName, shared, depth + 1));
    },
    countUnpacked(bytes) {
      taken.unpacked += bytes;
      if (taken.unpacked > UNPACKED_MAX) throw unpacksToTooMuch();
    },
    unpackedLeft: () => UNPACKED_MAX - taken.unpacked,
  };
}
