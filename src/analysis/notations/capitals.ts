/**
 * Capitals as abbreviation: `IT` is not the pronoun, `US` not the object, `WHO` not the question. The word itself is
 * indexed as any other; a hint beside it lets a query in capitals prefer passages that have it in capitals.
 */
import { classesOf, LETTER, LOWER, SURROGATE, UPPER } from '../characters.ts';
import { HINT } from './marks.ts';

/**
 * Letters of an abbreviation that may look like a word, as `AIDS` does. Longer ones are hardly one in small letters.
 */
const LETTERS_MAX = 4;

/** `U.S.`, without its last dot. */
const DOTTED = /^\p{Lu}(?:\.\p{Lu})+$/u;

/** A word of a text → the hint of an abbreviation; undefined for another word. */
export function abbreviationOf(word: string): string | undefined {
  if (DOTTED.test(word)) return abbreviationOf(word.replaceAll('.', ''));
  if (word.length < 2 || word.length > LETTERS_MAX) return undefined;
  for (let i = 0; i < word.length; i++) if ((classesOf(word.charCodeAt(i)) & UPPER) === 0) return undefined;
  return HINT + word;
}

const DOT = 0x2e;

/** UTF-16 units of a line that show whether it is wholly in capitals. */
const JUDGED_LENGTH = 200;

/**
 * Whether the capitals of a line from `start` say something: not in a heading or a notice wholly in capitals, where
 * fewer than a third of the words have small letters. A single word does.
 */
function areTelling(text: string, start: number): { end: number; isTelling: boolean } {
  let [words, inCapitals, hasSmall, isWord] = [0, 0, false, false];
  const endWord = (): void => {
    if (isWord && !hasSmall) inCapitals++;
    [hasSmall, isWord] = [false, false];
  };
  const lineBreak = text.indexOf('\n', start);
  const end = lineBreak === -1 ? text.length : lineBreak;
  for (let at = start; at < Math.min(end, start + JUDGED_LENGTH); at++) {
    const classes = classesOf(text.charCodeAt(at));
    if ((classes & (LETTER | SURROGATE)) === 0) {
      if (text.charCodeAt(at) !== DOT) endWord(); // `U.S.` is one word
    } else {
      if (!isWord) words++;
      isWord = true;
      // Letters of scripts without capitals count as small ones.
      if ((classes & LOWER) !== 0 || (classes & UPPER) === 0) hasSmall = true;
    }
  }
  endWord();
  return { end, isTelling: words === 1 || 3 * (words - inCapitals) >= words };
}

/** Returns whether the capitals at a place of the text say something. Places must ascend: each line is read once. */
export function createCapitals(text: string): (at: number) => boolean {
  let line = { end: -1, isTelling: false };
  return (at) => {
    if (at > line.end) line = areTelling(text, text.lastIndexOf('\n', at) + 1);
    return line.isTelling;
  };
}
