/** The documents of a crash run. Each has several passages, and each passage has a unique word. */
import { COMMON_ENGLISH, createRandom, pick, type Random } from '../../harness/documents/texts.ts';

/** `blank`: a file without text, whose import fails. */
export type DocumentKind = 'text' | 'file' | 'blank';

/** `words`: the unique word of each passage, in order; empty for a blank file. */
export type PlannedDocument = {
  title: string;
  kind: DocumentKind;
  content: string;
  sizeBytes: number;
  words: string[];
};

/** A passage holds 1,000 letters at most. Two such sections never share a passage, and one never needs two. */
const SECTION_LETTERS = 700;
export const SECTIONS = 3;

/** Without vowels and s: no stemmer shortens such a word, and no prose contains it. */
const LETTERS = 'bcdfghjkmnpqrtvz';
const WORD_DIGITS = 7;
/** A query for a word of a deleted document also finds words that differ in two letters. */
const LETTERS_PER_DIGIT = 3;

/** The number in base 16, with these letters as digits. */
function wordOf(number: number, section: number): string {
  const digits = [section, ...Array.from({ length: WORD_DIGITS }, (_, i) => (number >> (4 * i)) & 15)];
  return `x${digits.map((digit) => LETTERS[digit]?.repeat(LETTERS_PER_DIGIT)).join('')}`;
}

/** The word that all versions of a document have in each passage. No document has its number. */
export const versionsWord = (number: number): string => wordOf(number, SECTIONS);

function sectionOf(word: string, { shared, random }: { shared: string; random: Random }): string {
  let section = `The ${word} stands in this section only${shared}:`;
  while (section.length < SECTION_LETTERS) section += ` ${pick(COMMON_ENGLISH, random)}`;
  return `${section}.`;
}

/** Makes the document with this number, always the same one. `word`: in each passage, if it is a version of several. */
export function planDocument(number: number, kind: DocumentKind, word?: string): PlannedDocument {
  const random = createRandom(number);
  const sections = kind === 'blank' ? 0 : SECTIONS;
  const shared = word === undefined ? '' : `, unlike ${word}`;
  const words = Array.from({ length: sections }, (_, section) => wordOf(number, section));
  const content =
    kind === 'blank' ? ' \n' : words.map((each) => sectionOf(each, { shared, random })).join('\n\n');
  const title = kind === 'text' ? `document ${number}` : `document ${number}.txt`;
  return { title, kind, content, sizeBytes: Buffer.byteLength(content), words };
}
