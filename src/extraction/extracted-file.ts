/** The result of extracting a file of any format. */
import type { DocumentWarning, DocumentWarningCode } from '../../generated/types.gen.ts';
import type { ExtractedText } from '../indexing/split/extracted-text.ts';

export type FileWarningCode = DocumentWarningCode;

/** `message`: a sentence for the file's owner that names what was not read, and where. */
export type FileWarning = DocumentWarning;

/**
 * A file's text, warnings for its owner, its number of pages where it has pages, and the title of a page of the web.
 */
export type ExtractedFile = {
  extracted: ExtractedText;
  warnings: FileWarning[];
  pageCount?: number;
  title?: string;
};

/** The contract's bounds: warnings of a document, and code points of a message. */
const [WARNINGS_MAX, MESSAGE_MAX] = [32, 1_000];

/** A message as the database can store it; names of parts in it may have any characters and lengths. */
function boundMessage({ code, message }: FileWarning): FileWarning {
  const points = Array.from(
    message
      .slice(0, 3 * MESSAGE_MAX)
      .toWellFormed()
      .replaceAll('\0', ''),
  );
  const isLong = points.length > MESSAGE_MAX;
  return { code, message: isLong ? `${points.slice(0, MESSAGE_MAX - 1).join('')}…` : points.join('') };
}

/** The warnings within the contract's bounds; where there are more, the last one says how many. */
export function boundWarnings(warnings: FileWarning[]): FileWarning[] {
  if (warnings.length <= WARNINGS_MAX) return warnings.map(boundMessage);
  const shown = warnings.slice(0, WARNINGS_MAX - 1).map(boundMessage);
  const message = `There are ${warnings.length - shown.length} more warnings.`;
  return [...shown, { code: 'LIMIT_REACHED', message }];
}
