/** Finds the phrases of a query: the texts in quotation marks. */
import { classesOf, IN_WORD } from '../../analysis/characters.ts';

/** Opening quotation mark → those that close it, in the typography of any language. Single quotes are apostrophes. */
const CLOSING: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['＂', '＂'],
  ['“', '”“'],
  ['”', '”'],
  ['„', '“”'],
  ['‟', '”'],
  ['«', '»'],
  ['»', '«»'],
  ['「', '」'],
  ['『', '』'],
  ['｢', '｣'],
  ['〝', '〞〟'],
]);
/** Marks that open and close alike. Within a word they are no quotes: 5" pipes, Hebrew abbreviations (צה"ל). */
const STRAIGHT = '"＂';

/** A text between quotation marks, from `start` up to `end`, both in UTF-16 units and without the marks. */
export type Quoted = { text: string; start: number; end: number };

/** Whether the character is of a word in a script with spaces. */
const isOfWord = (query: string, at: number): boolean =>
  at >= 0 && at < query.length && (classesOf(query.charCodeAt(at)) & IN_WORD) !== 0;

const canOpen = (query: string, at: number): boolean =>
  !STRAIGHT.includes(query.charAt(at)) || !isOfWord(query, at - 1);

const canClose = (query: string, at: number): boolean =>
  !STRAIGHT.includes(query.charAt(at)) || !isOfWord(query, at + 1);

/** The first mark from `from` on that is one of `closing` and may close; -1 if there is none. */
function findClosing(query: string, closing: string, from: number): number {
  for (let at = from; at < query.length; at++)
    if (closing.includes(query.charAt(at)) && canClose(query, at)) return at;
  return -1;
}

/** The texts in quotation marks, in order. A mark that nothing closes is none. Linear. */
export function quotedTexts(query: string): Quoted[] {
  const found: Quoted[] = [];
  const unclosed = new Set<string>();
  for (let at = 0; at < query.length; at++) {
    const mark = query.charAt(at);
    const closing = CLOSING.get(mark);
    if (closing === undefined || unclosed.has(mark) || !canOpen(query, at)) continue;
    const end = findClosing(query, closing, at + 1);
    if (end === -1) {
      unclosed.add(mark); // no later one is closed either
      continue;
    }
    found.push({ text: query.slice(at + 1, end), start: at + 1, end });
    at = end;
  }
  return found;
}

/** Whether a query ends with a closed phrase: its last word is then complete. */
export const endsWithPhrase = (query: string): boolean => {
  const last = quotedTexts(query).at(-1);
  return last !== undefined && query.slice(last.end + 1).trim() === '';
};

/** The query without its phrases. */
export function withoutQuoted(query: string): string {
  let [rest, from] = ['', 0];
  for (const { start, end } of quotedTexts(query)) {
    rest += `${query.slice(from, start - 1)}\n`;
    from = end + 1;
  }
  return rest + query.slice(from);
}
