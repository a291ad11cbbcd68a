/**
 * The words that count as the title of a document: its title, and the heading above all of its text. The title of a
 * file is its name at first, which says less than the `<title>` of a page or the first line of a report.
 */

import { isBlank, type StructuredText } from './split/extracted-text.ts';
import type { Passage } from './split/passages.ts';

const joined = (title: string, heading: string | undefined): string =>
  heading === undefined || title.toLowerCase().includes(heading.toLowerCase())
    ? title
    : `${title}\n${heading}`;

/** The first heading, if all of the text stands below it and no other heading beside it. */
function headingAboveAll({ text, headings }: StructuredText): string | undefined {
  const first = headings.at(0);
  if (first === undefined || !isBlank(text.slice(0, first.start))) return undefined;
  for (let i = 1; i < headings.length; i++) {
    if ((headings.at(i)?.level ?? 0) <= first.level) return undefined;
  }
  return first.text;
}

/** The words that count as the title of a text with this title. */
export const titleWordsOf = (title: string, text: StructuredText): string =>
  joined(title, headingAboveAll(text));

/** The same of the passages of a document: a heading above all of them, with which the first one begins. */
export function titleWordsOfPassages(title: string, passages: Passage[]): string {
  const [first] = passages;
  const heading = first?.headings[0];
  const isAboveAll =
    heading !== undefined &&
    first?.text.slice(0, 2 * heading.length + HEADING_MARKUP_MAX).includes(heading) === true &&
    passages.every(({ headings }) => headings[0] === heading);
  return joined(title, isAboveAll ? heading : undefined);
}

/** Characters before the words of a heading. */
const HEADING_MARKUP_MAX = 8;
