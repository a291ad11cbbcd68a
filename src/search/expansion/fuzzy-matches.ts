/**
 * Fuzzy matches: what a query finds by a word that no passage contains. The word may be misspelt, transcribed, a part
 * of compounds that passages contain, or a compound of words that they contain.
 */

import { editDistance } from '../../analysis/edits/edit-distance.ts';
import { foldAccents } from '../../analysis/normalise.ts';
import { type Respellings, respellings, transcriptions } from '../../analysis/spellings.ts';
import { isStemmable, tokenise } from '../../analysis/tokens.ts';
import { isCommon, type QueryTerm } from '../query/query-terms.ts';
import { mayBeLikely } from './likely-words.ts';
import type { Found, LexemePattern } from './vocabulary.ts';

/** A word that no passage contains, its stems in the searched languages, and the spellings one letter away. */
type UnknownWord = { word: string; stems: string[]; spellings: Respellings };

/**
 * A kind of fuzzy matches.
 *
 * - `weight`: against 1 for the word itself. Measured by nDCG@10 of 400 queries of XQuAD with typing errors (`npm run
 *   evaluate -- --misspelt 1`), in English and German. Kinds without a figure made no difference of .001 from .2 to .6:
 *   their words hardly occur there. They stand below `respelled`, since they mean something else.
 * - `from`: letters of the shortest word that has such fuzzy matches.
 * - `isOfErrors`: only words that may be misspelt have such fuzzy matches.
 * - `choose`: those lexemes, of all that the patterns found, that are near; all if it is missing.
 */
type Kind = {
  weight: number;
  from: number;
  isOfErrors?: boolean;
  patternsOf(unknown: UnknownWord): LexemePattern[];
  choose?(lexemes: string[], unknown: UnknownWord): string[];
};

const lengthOf = (text: string): number => Array.from(text).length;

/** The lexemes that begin with no other of them. */
const distinctStems = (lexemes: string[]): string[] =>
  lexemes.filter((lexeme) => !lexemes.some((other) => other !== lexeme && lexeme.startsWith(other)));

const likelyOnes = (lexemes: string[], unknown: UnknownWord): string[] =>
  lexemes.filter((lexeme) => mayBeLikely(unknown, lexeme));

/** `Mueller` for `Müller`, and the other way round. */
const transcribed: Kind = {
  weight: 0.9,
  from: 3,
  patternsOf: ({ word }) => [{ words: transcriptions(word) }],
};

/**
 * One letter away; the first letter is the same. nDCG@10 with one error in each query:
 *
 * | weight | English | German |
 * |---|---|---|
 * | .6 | .9776 | .9393 |
 * | .8 | .9807 | .9468 |
 * | 1 | .9804 | .9512 |
 */
const respelled: Kind = {
  weight: 0.8,
  from: 4,
  isOfErrors: true,
  patternsOf: ({ spellings }) => [{ words: spellings.sameStart }],
  choose: likelyOnes,
};

/** One letter away; the first letter is another. */
const respelledStart: Kind = {
  weight: 0.4,
  from: 4,
  isOfErrors: true,
  patternsOf: ({ spellings }) => [{ words: spellings.otherStart }],
  choose: likelyOnes,
};

/** Letters at the beginning of a word that are right if it has two errors. */
const RIGHT_START = 3;

/** Letters at the end of a word that a stemmer may remove. */
const ENDING_MAX = 4;

/**
 * Two letters away. Nearly all such words begin alike. An error in its ending hides a word's stem, so that the word
 * without its last letters also counts as a stem: `refridgerater` is near `refriger`. Two errors: 0 .9574 and .9021, .2
 * .9592 and .9152, .4 .9641 and .9251, .6 .9660 and .9250.
 */
const respelledTwice: Kind = {
  weight: 0.4,
  from: 8,
  isOfErrors: true,
  patternsOf: ({ stems }) =>
    distinctStems(stems.map(foldAccents))
      .filter((stem) => lengthOf(stem) >= 2 * RIGHT_START)
      .map((stem) => ({ start: Array.from(stem).slice(0, RIGHT_START).join(''), similarTo: stem })),
  choose: (lexemes, { word, stems }) => {
    const plain = foldAccents(word);
    const cut = Array.from({ length: ENDING_MAX }, (_, i) => plain.slice(0, -1 - i));
    const isNear = (lexeme: string) =>
      stems.some((stem) => editDistance(foldAccents(stem), lexeme) <= 2) ||
      cut.some((stem) => editDistance(stem, lexeme) <= 1);
    return lexemes.filter((lexeme) => isNear(foldAccents(lexeme)));
  },
};

/** Letters of the shortest part of a compound. */
const PART_FROM = 4;

/** The compounds that begin or end with the word: `Kostenstelle` and `Reisekosten` for `Kosten`. */
const compound: Kind = {
  weight: 0.4,
  from: 5,
  patternsOf: ({ stems }) => {
    const long = stems.filter((stem) => lengthOf(stem) >= PART_FROM);
    return [...distinctStems(long).map((start) => ({ start })), ...long.map((end) => ({ end }))];
  },
};

/** Another form of the word, whose stem differs: `Ansökningar` for `Ansökan`. */
const sameStart: Kind = {
  weight: 0.3,
  from: 7,
  patternsOf: ({ word }) => [{ start: Array.from(word).slice(0, -2).join('') }],
};

/** The share of a compound's letters that its parts must have together. German without errors: .4 .9553, .8 .9538. */
const PARTS_SHARE = 0.6;

/** The beginnings or endings of a word, as `cut` returns them for a number of letters; not the word itself. */
function affixesOf(word: string, cut: (letters: string[], length: number) => string[]): string[] {
  const letters = Array.from(foldAccents(word));
  return letters.slice(PART_FROM).map((_, i) => cut(letters, PART_FROM + i).join(''));
}

/**
 * The words with which a compound begins and ends: `Reisekosten` and `Abrechnung` for `Reisekostenabrechnung`. German
 * without errors: .2 .9529, .4 .9553, .6 .9555.
 */
const parts: Kind = {
  weight: 0.4,
  from: 5,
  patternsOf: ({ word, stems }) => [
    {
      lexemes: [
        ...affixesOf(word, (letters, length) => letters.slice(0, length)),
        ...stems.flatMap((stem) => affixesOf(stem, (letters, length) => letters.slice(-length))),
      ],
    },
  ],
  choose: (lexemes, { word, stems }) => {
    const plain = foldAccents(word);
    const longestFirst = lexemes.toSorted((left, right) => right.length - left.length);
    const start = longestFirst.find((part) => plain.startsWith(part)) ?? '';
    const end =
      longestFirst.find(
        (part) =>
          start.length + part.length <= plain.length &&
          stems.some((stem) => foldAccents(stem).endsWith(part)),
      ) ?? '';
    if (start.length + end.length < PARTS_SHARE * plain.length) return [];
    return [start, end].filter((part) => part !== '');
  },
};

/** All kinds, the nearest first. */
const KINDS = [transcribed, respelled, compound, parts, respelledStart, respelledTwice, sameStart];

/** Lexemes of one kind that count: the most frequent ones. From 2 to 8 all figures differ by less than .0005. */
const NEAR_MAX = 4;

/** Fuzzy matches of one kind. */
export type FuzzyMatches = { lexemes: string[]; weight: number };

/** Whether a pattern looks for anything. */
const isAny = ({ words, lexemes, start, end }: LexemePattern): boolean =>
  (words ?? lexemes ?? [start ?? end]).length > 0;

/** A word of another language needs so many letters more: `mache` is no `machine`, but `Konfiguration` is one. */
const FOREIGN_LETTERS = 3;

/**
 * The fuzzy matches of a term: what to look for, and what to choose of the lexemes found by each pattern. A common word
 * is not misspelt: without that, half of the queries of xquad-de and -ar had a look-up for a question word (`wann`,
 * `ماذا`).
 */
export function fuzzyMatchesOf({ word, lexemes: stems, share, isForeign }: QueryTerm): {
  patterns: LexemePattern[];
  choose(found: Found[]): FuzzyMatches[];
} {
  const unknown = { word, stems, spellings: respellings(word) };
  const length = lengthOf(word) - (isForeign ? FOREIGN_LETTERS : 0);
  const mayBeMisspelt = !isCommon({ share });
  const kinds = KINDS.filter(({ from, isOfErrors }) => length >= from && (mayBeMisspelt || !isOfErrors));
  const patterns = kinds.flatMap((kind) =>
    kind
      .patternsOf(unknown)
      .filter(isAny)
      .map((pattern) => ({ kind, pattern })),
  );
  const choose = (found: Found[]): FuzzyMatches[] => {
    const taken = new Set(stems);
    return kinds.flatMap((kind) => {
      const ofKind = patterns.flatMap((pattern, i) => (pattern.kind === kind ? [...(found[i] ?? [])] : []));
      const byFrequency = ofKind.sort(([, left], [, right]) => right - left).map(([lexeme]) => lexeme);
      const near = new Set(kind.choose?.(byFrequency, unknown) ?? byFrequency).difference(taken);
      const lexemes = [...near].slice(0, NEAR_MAX);
      for (const lexeme of lexemes) taken.add(lexeme);
      return lexemes.length > 0 ? [{ lexemes, weight: kind.weight }] : [];
    });
  };
  return { patterns: patterns.map(({ pattern }) => pattern), choose };
}

const HYPHEN = /[-\u2010\u2011]/u;
/** Digits, or letters joined by punctuation or a case change: `CVE-2024-4367`, `node.js`, `getUserById`. */
const IDENTIFIER = /\p{N}|[\p{L}\p{M}][._/@:=&?#%+~\\·]+[\p{L}\p{M}]|\p{Ll}\p{Lu}/u;
/** Whether a text without spaces looks like an identifier. */
export const isIdentifier = (text: string): boolean => IDENTIFIER.test(text);

/** UTF-16 units of the longest word that is guessed: a longer one has too many spellings. */
const GUESSED_MAX_LENGTH = 40;

/** The words of a query that are guessed if no passage contains them. Not identifiers; of `e-mail`, only the parts. */
export function guessableWords(query: string): Set<string> {
  const texts = query.split(/\s+/u).filter((text) => !isIdentifier(text));
  const words = texts.flatMap((text) => text.split(HYPHEN)).flatMap((text) => tokenise(text).tokens);
  return new Set(words.filter((word) => isStemmable(word) && word.length <= GUESSED_MAX_LENGTH));
}
