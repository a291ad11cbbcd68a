/**
 * How often each language has which n-grams of bytes: the smallest table of the package eld. The package keeps an
 * object for each n-gram, 27 MiB in each thread. Here they are numbers in typed arrays, 1 MiB.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A language by its ISO 639-1 code; `average` is the average score of texts in it, from 0 to 1. */
export type NgramLanguage = { code: string; average: number };

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

/** eld subtracts this from each score, to shorten its table. */
const SCORE_MIN = 53;

/**
 * The package does not export these files. package.json pins its version, and the test compares the results with
 * eld's.
 */
const packageFile = (name: string): string =>
  fileURLToPath(new URL(`../${name}`, import.meta.resolve('eld/extrasmall')));

/** Loads synchronously, because Node 24 crashes when a thread ends during an asynchronous import. */
const load = createRequire(import.meta.url);

/** An n-gram in the source of the table, with its scores by language: `' abcd':{11:60,24:3}`, `abcd:{0:7}`. */
const ENTRY = /(?:'((?:[^'\\]|\\.)+)'|"([^"]+)"|([^\s'"{},:]+)):\{([\d:,]+)\}/g;

/**
 * The table's key → the number of the n-gram. A key has one character of eld's dictionary for each byte, and a blank
 * where the word begins or ends.
 */
function parseKey(key: string, byteOf: ReadonlyMap<string, number>): number {
  let bytes = 0;
  for (const character of key.trim().replaceAll('\\', '')) bytes = bytes * 256 + (byteOf.get(character) ?? 0);
  return ngramOf(bytes, (key.startsWith(' ') ? BEGINS_WORD : 0) + (key.endsWith(' ') ? ENDS_WORD : 0));
}

/** @throws when the package's table has an unknown form */
export function loadLanguageNgrams(): LanguageNgrams {
  const source = readFileSync(packageFile('ngrams/extrasmall.js'), 'utf8');
  const { dictionary } = load(packageFile('dictionary.js')) as { dictionary: string[] };
  const { avgScore } = load(packageFile('avgScore.js')) as {
    avgScore: Record<string, number>; // all three files are eld's own
  };
  const byteOf = new Map(dictionary.map((character, byte) => [character, byte]));
  const codes = [...source.matchAll(/\b\d+:'(\w+)'/g)].map(([, code = '']) => code);
  const languages = codes.map((code) => ({ code, average: avgScore[code] ?? 1 }));
  const scoresByNgram = new Map<number, string>();
  for (const [, quoted, doubleQuoted, bare, scores = ''] of source.matchAll(ENTRY)) {
    scoresByNgram.set(parseKey(quoted ?? doubleQuoted ?? bare ?? '', byteOf), scores);
  }
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
    const numbers = scoresByNgram.get(ngram)?.split(/[:,]/) ?? [];
    numbers.forEach(
      (number, i) => void pairs.push(i % 2 === 0 ? Number(number) : Number(number) + SCORE_MIN),
    );
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
