/**
 * Scores how much a text looks like each of 60 languages, by the n-grams of its words' bytes. The method comes from
 * the package eld (nitotm/efficient-language-detector-js); the test compares the results with eld's.
 */
import { BEGINS_WORD, ENDS_WORD, loadLanguageNgrams, ngramOf } from './language-ngrams.ts';

const { languages, addScores } = loadLanguageNgrams();

/** The ISO 639-1 codes of the languages, in the order of a text's scores. */
export const SCORED_LANGUAGES: readonly string[] = languages.map(({ code }) => code);

/**
 * `scores` are from 0 to 1. `best` is the index of the highest, undefined where all are 0. `isReliable`: the best score
 * is as high as is usual for texts in that language.
 */
export type LanguageScores = { scores: Float64Array; best: number | undefined; isReliable: boolean };

/**
 * UTF-16 units of a text that are scored. Of the bytes of its words, those up to the first blank after BYTES_ENOUGH are
 * scored, or up to the end of the character at BYTES_MAX.
 */
const TEXT_MAX_LENGTH = 1_000;
const BYTES_ENOUGH = 350;
const BYTES_MAX = 380;
/** The most bytes of a word; the bytes of an n-gram; and the bytes from one n-gram to the next. */
const WORD_MAX_BYTES = 70;
const NGRAM_BYTES = 4;
const STRIDE = 3;
/** Scales scores to [0, 1]: a mean of this score per n-gram becomes .5. */
const SCALE = 25;
/** A score is reliable from this fraction of the language's average score on, and with at least this many n-grams. */
const RELIABLE_FRACTION = 0.75;
const RELIABLE_NGRAMS = 3;

/** Separators of words: everything but letters of the basic plane and apostrophes between such letters. */
const BETWEEN_WORDS = /[\P{L}\u{10000}-\u{10ffff}]+(?<!['`\u2019])/gv;
const BLANK = 0x20;

export function scoreLanguages(text: string): LanguageScores {
  const words = text.slice(0, TEXT_MAX_LENGTH).replace(BETWEEN_WORDS, ' ').trim().toLowerCase();
  const ngrams = ngramsOf(Buffer.from(words));
  const scores = new Float64Array(languages.length);
  for (const ngram of ngrams) addScores(ngram, scores);
  let best: number | undefined;
  scores.forEach((total, index) => {
    if (total > (best === undefined ? 0 : (scores[best] as number))) best = index; // its own keys
  });
  for (const [index, total] of scores.entries()) scores[index] = total / (total + SCALE * ngrams.size);
  if (best === undefined) return { scores, best, isReliable: false };
  const reliable = RELIABLE_FRACTION * (languages[best]?.average ?? 1);
  return { scores, best, isReliable: ngrams.size >= RELIABLE_NGRAMS && (scores[best] as number) >= reliable };
}

/** The distinct n-grams of the words of a text. */
function ngramsOf(text: Uint8Array): Set<number> {
  const ngrams = new Set<number>();
  const end = endOf(text);
  let start = 0;
  for (let i = 0; i <= end; i++) {
    if (i < end && text[i] !== BLANK) continue;
    if (i > start) addWord(ngrams, text.subarray(start, Math.min(i, start + WORD_MAX_BYTES)));
    start = i + 1;
  }
  return ngrams;
}

/**
 * The end of the scored bytes: the first blank after enough bytes, or the end of the first character beyond the bound.
 */
function endOf(text: Uint8Array): number {
  const blank = text.indexOf(BLANK, BYTES_ENOUGH + 1);
  let end = BYTES_MAX + 1;
  while (((text[end] ?? 0) & 0xc0) === 0x80) end++;
  return Math.min(end, blank === -1 ? text.length : blank, text.length);
}

/**
 * Adds a word's n-grams of four bytes, each of which begins with the last byte of the n-gram before, and its last
 * four bytes.
 */
function addWord(ngrams: Set<number>, word: Uint8Array): void {
  const last = Math.max(0, word.length - NGRAM_BYTES);
  let start = 0;
  for (; start < last; start += STRIDE) {
    ngrams.add(ngramOf(bytesOf(word, start), start === 0 ? BEGINS_WORD : 0));
  }
  ngrams.add(ngramOf(bytesOf(word, last), ENDS_WORD + (start === 0 ? BEGINS_WORD : 0)));
}

/** Returns up to four bytes as one number. */
function bytesOf(word: Uint8Array, start: number): number {
  let bytes = 0;
  for (let i = start; i < start + NGRAM_BYTES && i < word.length; i++)
    bytes = bytes * 256 + (word[i] as number);
  return bytes;
}
