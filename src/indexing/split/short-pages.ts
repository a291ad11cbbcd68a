/** Finds pages that say something alone: slides, small sheets, the files of an archive. */
import type { StructuredText } from './extracted-text.ts';
import { PASSAGE_MAX_SIZE, sizeOf } from './passage-size.ts';

/**
 * The offsets at which a page begins, after another one, that both fit in one passage. A passage does not go on there:
 * its location could name only one of them. The text of longer pages goes on over their ends.
 */
export function* shortPageStarts({ text, pages }: StructuredText): Generator<number> {
  let isAfterShort = false;
  for (let i = 0; i < pages.length; i++) {
    const start = pages.at(i)?.offset ?? text.length;
    const end = pages.at(i + 1)?.offset ?? text.length;
    if (start === end) continue; // nothing stands on it
    const isShort = sizeOf(text, start, end, PASSAGE_MAX_SIZE) <= PASSAGE_MAX_SIZE;
    if (isShort && isAfterShort) yield start;
    isAfterShort = isShort;
  }
}
