/** Reads Word documents (Office Open XML, ECMA-376 part 1, clause 17). */
import type { ExtractedFile, FileWarning } from '../../extracted-file.ts';
import type { Unpacking } from '../../reader-context.ts';
import { renderHtml } from '../../rendering/html-renderer.ts';
import { openOfficeFile } from './flat-package.ts';
import { unreadParts } from './unread.ts';
import type { ExtractPart } from './word/chunks.ts';
import type { WordContext } from './word/story.ts';
import { writeNote, writePart } from './word/translator.ts';
import { openWordFile } from './word/word-file.ts';

/**
 * Notes and comments follow the paragraph that refers to them: at the end they would stand below the last heading,
 * apart from the sentence that they restrict. Headers and footers come last.
 * @throws FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_COMPLEX
 */
export async function extractDocx(
  bytes: Uint8Array,
  { extractPart, countUnpacked }: { extractPart: ExtractPart } & Partial<Unpacking>,
): Promise<ExtractedFile> {
  const archive = await openOfficeFile(bytes, countUnpacked);
  const renderer = renderHtml();
  const unread = unreadParts();
  const inserted: FileWarning[] = [];
  const { body, margins, ...file } = await openWordFile(archive, {
    ...{ renderer, extractPart },
    onUnread: unread.inserted,
    onWarnings: (warnings) => inserted.push(...warnings),
  });
  const context: WordContext = {
    ...file,
    renderer,
    onHidden: unread.hidden,
    onObject: unread.object,
    onSubdocument: () => unread.inserted('a subdocument'),
  };
  writePart(context, body, { isRepeated: false });
  for (const note of file.notes.rest()) writeNote(context, note);
  for (const margin of margins) writePart(context, margin, { isRepeated: true });
  return { extracted: renderer.finish(), warnings: [...unread.warnings(), ...inserted] };
}
