/**
 * How often each language has which n-grams of bytes: the smallest table of the package eld. The package keeps an
 * object for each n-gram, 27 MiB in each thread. Here they are numbers in typed arrays, 1 MiB.
 */
import { type NgramLanguage, parseScores, readEld } from './eld-insides.ts';

/** Position of an n-gram in its word, as bits. */
export const BEGINS_WORD = 1;
export const ENDS_WORD = 2;

/** An n-gram of at most four bytes as a number: the last byte lowest, and the position bits above the bytes. */
export const ngramOf = (bytes: number, position: number): number => position * 2 ** 32 + bytes;

export type LanguageNgrams = {
  languages: NgramLanguage[];
  /** Adds the score of an n-gram to each language that has it; `scores` has the order of `languages`. */
  addScores(ngram: number, scores: Float64Array): void;
};

/** @throws when the package's table has an unknown form */
export function loadLanguageNgrams(): LanguageNgrams {
  const { languages, ngrams } = readEld();
  const scoresByNgram = new Map<number, string>();
  for (const { bytes, isBeginning, isEnd, scores } of ngrams)
    scoresByNgram.set(ngramOf(bytes, (isBeginning ? BEGINS_WORD : 0) + (isEnd ? ENDS_WORD : 0)), scores);
  if (languages.length === 0 || scoresByNgram.size === 0)
    throw new Error('the n-gram table of the package eld has an unknown form');
  return { languages, addScores: scoreAdder(packScores(scoresByNgram)) };
}

type PackedScores = { ngrams: Float64Array; ends: Uint32Array; languagesAndScores: Uint16Array };

/** Packs the sorted n-grams into one array, and their languages and scores into another. */
function packScores(scoresByNgram: ReadonlyMap<number, string>): PackedScores {
  const ngrams = Float64Array.from(scoresByNgram.keys()).sort();
  const ends = new Uint32Array(ngrams.length);
  const pairs: number[] = [];
  ngrams.forEach((ngram, index) => {
    for (const number of parseScores(scoresByNgram.get(ngram) ?? '')) pairs.push(number);
    ends[index] = pairs.length;
  });
  return { ngrams, ends, languagesAndScores: Uint16Array.from(pairs) };
}

/** Not made in `packScores`: a closure there would keep the source's strings, 5 MB in each thread. */
const scoreAdder =
  ({ ngrams, ends, languagesAndScores }: PackedScores): LanguageNgrams['addScores'] =>
  (ngram, scores) => {
    const index = findSorted(ngrams, ngram);
    if (index === undefined) return;
    for (let i = index === 0 ? 0 : (ends[index - 1] as number); i < (ends[index] as number); i += 2) {
      const language = languagesAndScores[i] as number; // all within their arrays
      scores[language] = (scores[language] as number) + (languagesAndScores[i + 1] as number);
    }
  };

/** The index of `value` in sorted values. */
function findSorted(values: Float64Array, value: number): number | undefined {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return values[low] === value ? low : undefined;
}
