/**
 * tsqueries for the passages that have the phrases of a query. The index cannot compare positions: PostgreSQL would
 * read each passage with all words, and compare them in the whole tsquery, in which spellings repeat their words. So
 * `index` has each word once, and `phrases` is for the passages that the index finds.
 *
 * A phrase is in the title, in the headings or in the content, which have the labels A, B and D. Otherwise the end of
 * the title and the beginning of the content would make one. (A title is indexed several times in a row, so that a
 * phrase may also begin at its end and go on at its beginning: `Smith, Anna` has "Anna Smith".)
 */
import { quoteLexeme } from '../../analysis/lexemes.ts';
import { anyOf, bothOf, type Condition } from '../candidates/conditions.ts';
import type { Phrase } from './phrases.ts';

/**
 * Passages with all `phrases` match `index` and each of the tsqueries `phrases`. There are `passagesMax` of them at
 * most.
 */
export type PhraseConditions = { index: string; phrases: string[]; passagesMax: number };

/**
 * Words of a phrase that the index looks for: its rarest ones. The index moves along the list of each for every passage
 * with the rarest one.
 */
const INDEXED_WORDS_MAX = 12;

const LABELS = ['D', 'B', 'A'];

const operand = (lexemes: string[], label = ''): string => {
  const quoted = lexemes.map((lexeme) => quoteLexeme(lexeme) + (label && `:${label}`));
  return quoted.length === 1 ? (quoted[0] ?? '') : `(${quoted.join('|')})`;
};

/** The tokens of a spelling side by side. */
const inOrder = (spelling: string[][], label?: string): string =>
  `(${spelling.map((lexemes) => operand(lexemes, label)).join('<->')})`;

/** The spellings in one part of the passage. Where none is in the whole of it, labels need no comparison. */
function inOnePart({ spellings }: Phrase): string {
  const anywhere = spellings.map((spelling) => inOrder(spelling)).join('|');
  if (spellings.every(({ length }) => length === 1)) return anywhere;
  const labelled = LABELS.flatMap((label) => spellings.map((spelling) => inOrder(spelling, label)));
  return `(${anywhere})&(${labelled.join('|')})`;
}

/** A word of a phrase, as an operand, with the number of passages that have it at most. */
type Word = { operand: string; passages: number };

/** The words that all of these spellings have, the rarest first. */
function commonWords(spellings: string[][][], frequencies: ReadonlyMap<string, number>): Word[] {
  const [first = [], ...others] = spellings.map(
    (spelling) => new Map(spelling.map((at) => [operand(at), at])),
  );
  const common = [...first].filter(([text]) => others.every((spelling) => spelling.has(text)));
  return common
    .map(([text, lexemes]) => ({
      operand: text,
      passages: lexemes.reduce((sum, lexeme) => sum + (frequencies.get(lexeme) ?? 0), 0),
    }))
    .sort((left, right) => left.passages - right.passages)
    .slice(0, INDEXED_WORDS_MAX);
}

/** The spellings that have no word beside the words of another spelling. */
function shortest(spellings: string[][][]): string[][][] {
  const words = spellings.map((spelling) => new Set(spelling.map((lexemes) => operand(lexemes))));
  return spellings.filter((_, i) => {
    const own = words[i] ?? new Set();
    return !words.some((other, k) => k !== i && other.isSubsetOf(own) && (other.size < own.size || k < i));
  });
}

/** A condition of the index that a phrase implies, and the passages that fulfil it at most. */
type Implied = { condition: Condition; passagesMax: number };

/** What all of these spellings have; or, if they share no word, what any of them begins with. */
function impliedByAll(spellings: string[][][], frequencies: ReadonlyMap<string, number>): Implied {
  const [rarest, ...others] = commonWords(spellings, frequencies);
  if (rarest === undefined) {
    const firsts = spellings.flatMap(([first]) => (first ? { text: operand(first), operands: 1 } : []));
    return { condition: anyOf(firsts), passagesMax: Number.POSITIVE_INFINITY };
  }
  const condition = [rarest, ...others].map((word) => ({ text: word.operand, operands: 1 }));
  return { condition: condition.reduce<Condition>(bothOf, true), passagesMax: rarest.passages };
}

/** Spellings in two halves: the line breaks in one half of a run leave the bigrams of the other half. */
function impliedBy({ spellings }: Phrase, frequencies: ReadonlyMap<string, number>): Implied {
  const short = shortest(spellings);
  const middle = (short.length + 1) >> 1;
  const halves = [short.slice(0, middle), short.slice(middle)].filter(({ length }) => length > 0);
  const implied = halves.map((half) => impliedByAll(half, frequencies));
  return {
    condition: anyOf(implied.map(({ condition }) => condition)),
    passagesMax: implied.reduce((sum, { passagesMax }) => sum + passagesMax, 0),
  };
}

/** The conditions on passages that have all these phrases; each has spellings. */
export function phraseConditions(
  phrases: Phrase[],
  frequencies: ReadonlyMap<string, number>,
): PhraseConditions {
  const implied = phrases.map((phrase) => impliedBy(phrase, frequencies));
  const distinct = new Set(
    implied.flatMap(({ condition }) => (typeof condition === 'object' ? condition.text : [])),
  );
  return {
    index: [...distinct].join('&'),
    phrases: phrases.map(inOnePart),
    passagesMax: Math.min(...implied.map(({ passagesMax }) => passagesMax)),
  };
}
