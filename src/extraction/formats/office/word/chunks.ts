/**
 * Documents of other formats inside a Word document, which Word inserts when it opens it (ECMA-376 part 1, 17.17.2).
 */
import { isBlank } from '../../../../indexing/split/extracted-text.ts';
import { decodeText } from '../../../decode-text.ts';
import { detectType } from '../../../detect-type.ts';
import type { ExtractedFile, FileWarning } from '../../../extracted-file.ts';
import { readHtml } from '../../../markup/read-html.ts';
import type { HtmlRenderer } from '../../../rendering/html-renderer.ts';
import { writeExtracted } from '../../../rendering/write-extracted.ts';
import { withVisibleText } from '../../web/visible-text.ts';

/** Extracts a file inside this one by the reader of its own type. @throws ExtractionError */
export type ExtractPart = (part: { fileName: string; bytes: Uint8Array }) => Promise<ExtractedFile>;

/** `onWarnings`: takes what the reader of an inserted document warns of. */
export type ChunkOptions = {
  renderer: HtmlRenderer;
  extractPart: ExtractPart;
  onWarnings(warnings: readonly FileWarning[]): void;
};

/**
 * Reads an inserted document, and returns what writes it.
 * @throws ExtractionError where it cannot be read
 */
export async function prepareChunk(
  { name, bytes }: { name: string; bytes: Uint8Array },
  { renderer, extractPart, onWarnings }: ChunkOptions,
): Promise<() => void> {
  // Word shows the whole page, also what is boilerplate of a page in the web.
  if (detectType(bytes, name) === 'html')
    return () => readHtml(decodeText(bytes, { markup: 'html' }), withVisibleText(renderer));
  const { extracted, warnings } = await extractPart({ fileName: name, bytes });
  onWarnings(warnings);
  return () => {
    if (!isBlank(extracted.text)) writeExtracted(extracted, renderer);
  };
}
