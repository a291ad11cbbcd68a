/** Collects the postings of a document: the lexemes of each passage as a tsvector, and their document frequencies. */

import { tierCount } from '../../analysis/reserved-lexemes.ts';
import type { TokenisedText } from '../../analysis/tokens.ts';
import type { BinaryArray } from '../../binary-array.ts';
import { writePassageCounts } from './frequency-encoding.ts';
import {
  addLexeme,
  addPlace,
  beginPassage,
  createPostingsAccumulator,
  markOf,
  type PostingsAccumulator,
  placeCountOf,
} from './postings-accumulator.ts';
import type { TokenIds } from './token-ids.ts';
import { addPassageTsvector } from './tsvector-encoding.ts';

/** The tokens of a text as token ids of their document. */
export type NumberedText = TokenisedText<number>;

/** The tokens of a passage, its title and its headings. */
export type PassageTokens = { title: NumberedText; headings: NumberedText; content: NumberedText };

/** PostgreSQL manual 8.11.1: positions run to 16383. */
const POSITION_MAX = 16_383;
/** A title or heading path of more tokens is cut, so that it cannot outweigh the passage. */
const CONTEXT_TOKENS_MAX = 200;
/**
 * A title counts as if the passage repeated it this often, so that scoring needs no formula for titles. nDCG@10 is flat
 * within .001 in the mean from 3 to 5. financebench-a, whose titles name company and year, gains most.
 */
const TITLE_REPEATS = 4;

/** The two highest bits of a position are its weight: A 3, B 2, D 0 (PostgreSQL source, ts_type.h). */
const WEIGHT_A = 3 << 14;
const WEIGHT_B = 2 << 14;
const WEIGHT_D = 0;

/**
 * Functions from a token to its lexeme, and to its second lexeme without accents where it has one; for one language.
 */
export type TokenLexemes = {
  lexeme(token: number): number;
  alternative(token: number): number | undefined;
};

/** Creates the postings of one document; `numbers` are its token ids. */
export function createDocumentPostings(numbers: TokenIds) {
  const table = createPostingsAccumulator(numbers);
  return {
    /**
     * Adds a passage as a tsvector: title tokens first (weight A), then headings (B), content (D) and impact tiers.
     * Fragments have the positions of the tokens next to them.
     */
    addPassage(
      column: BinaryArray,
      { title, headings, content }: PassageTokens,
      lexemes: TokenLexemes,
    ): void {
      beginPassage(table);
      let before = 0;
      const add = (text: NumberedText, weight: number, tokensMax: number): void => {
        const kept = Math.min(text.tokens.length, tokensMax);
        addText(table, text, { lexemes, weight, before, kept });
        before += kept;
      };
      for (let i = 0; i < TITLE_REPEATS; i++) add(title, WEIGHT_A, CONTEXT_TOKENS_MAX);
      add(headings, WEIGHT_B, CONTEXT_TOKENS_MAX);
      add(content, WEIGHT_D, Number.POSITIVE_INFINITY);
      addMarks(table, content.tokens.length);
      addPassageTsvector(column, table);
    },
    /** The document frequencies so far, in the form of `writePassageCounts`. */
    passageCounts: (): Uint8Array[] => writePassageCounts(table),
  };
}

type TextPlaces = { lexemes: TokenLexemes; weight: number; before: number; kept: number };

/** Adds the positions of a text's first `kept` tokens, and of the fragments next to them, after `before` tokens. */
function addText(
  table: PostingsAccumulator,
  { tokens, fragments, fragmentPlaces }: NumberedText,
  { lexemes, weight, before, kept }: TextPlaces,
): void {
  const add = (token: number, position: number): void => {
    addPlace(table, lexemes.lexeme(token), position);
    const alternative = lexemes.alternative(token);
    if (alternative !== undefined) addPlace(table, alternative, position);
  };
  let next = 0;
  // In the order of positions, which PostgreSQL requires: a fragment may also be a token elsewhere.
  for (let at = 0; at < kept; at++) {
    const position = Math.min(before + at + 1, POSITION_MAX) | weight;
    add(tokens[at] as number, position); // at is in range
    for (; fragmentPlaces[next] === at; next++) add(fragments[next] as number, position); // one each
  }
}

/** Adds the impact tiers of the lexemes in which the passage is dense; its content has `length` tokens. */
function addMarks(table: PostingsAccumulator, length: number): void {
  const { found } = table;
  const count = found.length; // the loop appends the tiers after them
  for (let i = 0; i < count; i++) {
    const lexeme = found[i] as number; // i is in range
    const tiers = tierCount(placeCountOf(table, lexeme), length);
    let before = lexeme;
    for (let tier = 0; tier < tiers; tier++) {
      before = markOf(table, before, { lexeme, tier });
      addLexeme(table, before);
    }
  }
}
