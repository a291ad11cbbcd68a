/**
 * Collects the postings of a document: the lexemes of each passage as a tsvector, their document frequencies, and the
 * vector of each passage.
 */

import type { TokenisedText } from '../../analysis/tokens.ts';
import type { BinaryArray } from '../../database/values/postgres-binary-insides.ts';
import { type CountedVector, packedVector } from '../../meaning/passage-vectors.ts';
import { countUnspaced, type UnspacedVectors } from '../../meaning/unspaced-words.ts';
import { encodeDocumentFrequencies } from './frequency-encoding.ts';
import { tierCount } from './impact-tiers.ts';
import type { LexemeVectors } from './lexeme-vectors.ts';
import { addPassageTsvector } from './postgres-tsvector-insides.ts';
import {
  addLexeme,
  addPosition,
  beginPassage,
  createPostingsAccumulator,
  nextTierOf,
  type PostingsAccumulator,
  positionCountOf,
} from './postings-accumulator.ts';
import type { TokenIds } from './token-ids.ts';

/** The tokens of a text, as token ids of its document. */
export type TokenIdText = TokenisedText<number>;

/** The tokens of a passage, its title and its headings. */
export type PassageTokens = { title: TokenIdText; headings: TokenIdText; content: TokenIdText };

/** PostgreSQL manual 8.11.1: positions run to 16383. */
const POSITION_MAX = 16_383;
/** Tokens of a title or heading path that count; more would outweigh the passage. */
const CONTEXT_TOKENS_MAX = 200;
/**
 * Each passage gets the tokens of its title this often, so that BM25 weighs titles without a formula of their own. The
 * mean nDCG@10 is flat within .001 from 3 to 5. financebench-a gains most: its titles name company and year.
 */
const TITLE_REPEATS = 4;

/** The two highest bits of a position are its weight: A 3, B 2, D 0 (PostgreSQL source, ts_type.h). */
const WEIGHT_A = 3 << 14;
const WEIGHT_B = 2 << 14;
const WEIGHT_D = 0;

/** The lexemes of tokens in one language: one each, or two (see `lexemesOf`), of which `alternative` is the second. */
export type LexemeLookup = {
  lexeme(token: number): number;
  alternative(token: number): number | undefined;
};

/** `vectors`: undefined where the passage's language has none. `unspaced`: its words without spaces. */
export type PassageLexemes = {
  lexemes: LexemeLookup;
  vectors: LexemeVectors | undefined;
  unspaced?: UnspacedVectors | undefined;
};

/** Creates the postings of one document. */
export function createDocumentPostings(tokenIds: TokenIds) {
  const accumulator = createPostingsAccumulator(tokenIds);
  return {
    /**
     * Adds a passage as a tsvector: tokens of the title first (weight A), then of the headings (B) and the content (D),
     * then impact tiers. Stacked tokens have the positions of their neighbours. Also adds its vector, if there are
     * `vectors`; NULL where no word has one.
     */
    addPassage(
      columns: Record<'lexemes' | 'vector', BinaryArray>,
      { title, headings, content }: PassageTokens,
      { lexemes, vectors, unspaced }: PassageLexemes,
    ): void {
      beginPassage(accumulator);
      let before = 0;
      const add = (text: TokenIdText, weight: number, tokensMax: number): void => {
        const kept = Math.min(text.tokens.length, tokensMax);
        addText(accumulator, text, { lexemes, weight, before, kept });
        before += kept;
      };
      for (let i = 0; i < TITLE_REPEATS; i++) add(title, WEIGHT_A, CONTEXT_TOKENS_MAX);
      const ofTitle = accumulator.lexemes.map((lexeme) => positionCountOf(accumulator, lexeme));
      add(headings, WEIGHT_B, CONTEXT_TOKENS_MAX);
      add(content, WEIGHT_D, Number.POSITIVE_INFINITY);
      if (vectors !== undefined) {
        const spaced = countedVectors(accumulator, ofTitle, vectors.vectorOf);
        columns.vector.addBits(packBoth({ counted: spaced, mean: vectors.mean }, unspaced));
      }
      addImpactTiers(accumulator, content.tokens.length);
      addPassageTsvector(columns.lexemes, accumulator);
    },
    /** The document frequencies so far, encoded by `encodeDocumentFrequencies`. */
    documentFrequencies: (): Uint8Array[] => encodeDocumentFrequencies(accumulator),
  };
}

type TextPositions = { lexemes: LexemeLookup; weight: number; before: number; kept: number };

/** Adds the first `kept` tokens of a text, with their stacked tokens, at the positions after `before`. */
function addText(
  accumulator: PostingsAccumulator,
  { tokens, stackedTokens, stackedAt }: TokenIdText,
  { lexemes, weight, before, kept }: TextPositions,
): void {
  const add = (token: number, position: number): void => {
    addPosition(accumulator, lexemes.lexeme(token), position);
    const alternative = lexemes.alternative(token);
    if (alternative !== undefined) addPosition(accumulator, alternative, position);
  };
  let next = 0;
  // In the order of positions, which PostgreSQL requires: a stacked token may be an ordinary one elsewhere.
  for (let at = 0; at < kept; at++) {
    const position = Math.min(before + at + 1, POSITION_MAX) | weight;
    add(tokens[at] as number, position); // at is in range
    for (; stackedAt[next] === at; next++) add(stackedTokens[next] as number, position); // of equal length
  }
}

/** The vector of words with spaces and without. The mean belongs to the more frequent kind. */
function packBoth(
  { counted, mean }: { counted: CountedVector[]; mean: Float32Array },
  unspaced: UnspacedVectors | undefined,
): Uint8Array | undefined {
  if (unspaced === undefined) return packedVector(counted, mean);
  const further = countUnspaced(unspaced);
  const ofMost = further.length > counted.length ? unspaced.mean : mean;
  return packedVector([...counted, ...further], ofMost);
}

/**
 * The vectors of the passage's lexemes that have one, and how often each occurs, in the title once. `ofTitle`: the
 * positions of its first lexemes, which the title has, in all repeats together.
 */
function countedVectors(
  accumulator: PostingsAccumulator,
  ofTitle: number[],
  vectorOf: LexemeVectors['vectorOf'],
): CountedVector[] {
  const counted: CountedVector[] = [];
  for (const [i, lexeme] of accumulator.lexemes.entries()) {
    const vector = vectorOf(lexeme);
    if (vector === undefined) continue;
    const repeated = ofTitle[i] ?? 0;
    counted.push([
      vector,
      positionCountOf(accumulator, lexeme) - repeated + Math.ceil(repeated / TITLE_REPEATS),
    ]);
  }
  return counted;
}

/** Adds the impact tiers of the passage's lexemes. Its content has `length` tokens. */
function addImpactTiers(accumulator: PostingsAccumulator, length: number): void {
  const { lexemes } = accumulator;
  const count = lexemes.length; // the loop appends the tiers after them
  for (let i = 0; i < count; i++) {
    const lexeme = lexemes[i] as number; // i is in range
    const tiers = tierCount(positionCountOf(accumulator, lexeme), length);
    let before = lexeme;
    for (let tier = 0; tier < tiers; tier++) {
      before = nextTierOf(accumulator, before, { lexeme, tier });
      addLexeme(accumulator, before);
    }
  }
}
