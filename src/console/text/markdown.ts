/** Parses Markdown, and finds where each character of it stands in the source. */
import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import type { Marks } from './pieces.ts';

/** A passage has a thousand characters or so. A longer text is shown as it is. */
const LENGTH_MAX = 5_000;
/** To pair the signs of emphasis takes quadratic time. */
const EMPHASIS = /[*_]/g;
const EMPHASIS_MAX = 500;
/** Of lists in lists, and quotes in quotes. */
const DEPTH_MAX = 24;

/**
 * Indentation makes no code, since passages may begin within a list. HTML stays text, and so do addresses without
 * brackets.
 */
const SYNTAX = {
  extensions: [gfmTable(), { disable: { null: ['codeIndented', 'htmlFlow', 'htmlText'] } }],
  mdastExtensions: [gfmTableFromMarkdown()],
};

const depthOf = (node: Nodes, limit: number): number =>
  limit === 0 || !('children' in node)
    ? 0
    : 1 + node.children.reduce((depth, child) => Math.max(depth, depthOf(child, limit - 1)), 0);

/** The tree of a text; undefined: it is too long or too deep, or has too many signs, to be shown as one. */
export function parseMarkdown(text: string): Root | undefined {
  if (text.length > LENGTH_MAX || (text.match(EMPHASIS)?.length ?? 0) > EMPHASIS_MAX) return undefined;
  const root = fromMarkdown(text, SYNTAX);
  return depthOf(root, DEPTH_MAX) < DEPTH_MAX ? root : undefined;
}

/** Signs that a plain text was written as Markdown: headings, tables, fences, emphasis, links. */
const SIGNS = /^#{1,6} \S|^ *\|.*\|[ \t]*$|^```|^~~~|\*\*\S|^ *[-*] \S.*\n *[-*] \S|\[[^\]\n]+\]\(\S/mu;

/** Whether a text looks as if its writer knew Markdown. */
export const looksLikeMarkdown = (text: string): boolean => SIGNS.test(text);

/**
 * The longest gap in the source between two neighbouring characters of the text, in characters: prefixes of lines, and
 * escapes, are no text.
 */
const GAP_MAX = 80;

/**
 * The marks of a node's text, counted in it. The text has no prefixes of quotes and lists, no escapes and no
 * references, which its source has: each character is looked for after the character before.
 * @param start where the source of the text begins
 */
export function marksWithin(value: string, source: string, start: number, marks: Marks): Marks {
  if (marks.length === 0) return [];
  const found: { start: number; end: number }[] = [];
  let position = start;
  let next = 0;
  for (let index = 0; index < value.length; index++) {
    position += Math.max(0, source.slice(position, position + GAP_MAX).indexOf(value.charAt(index)));
    while ((marks[next]?.end ?? Number.POSITIVE_INFINITY) <= position) next++;
    const mark = marks[next];
    const last = found.at(-1);
    if (mark !== undefined && mark.start <= position) {
      if (last?.end === index) last.end = index + 1;
      else found.push({ start: index, end: index + 1 });
    }
    position++;
  }
  return found;
}
