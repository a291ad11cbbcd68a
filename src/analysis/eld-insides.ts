/**
 * Reads the table of the package eld, which has the scores of n-grams by language: see docs/private-insides.md.
 *
 * The package exports a detector, and none of these files; they have the form of eld 2.1.0, the version that
 * package.json pins. If another version has another form, no document can be analysed. Instead: eld's own detector,
 * which takes 27 MiB in each thread.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A language by its ISO 639-1 code; `average` is the average score of texts in it, from 0 to 1. */
export type NgramLanguage = { code: string; average: number };

/**
 * An n-gram: its bytes as a number, the last one lowest, and whether it begins or ends a word. `scores`: see
 * parseScores.
 */
export type EldNgram = { bytes: number; isBeginning: boolean; isEnd: boolean; scores: string };

/** eld subtracts this from each score, to shorten its table. */
const SCORE_MIN = 53;

const packageFile = (name: string): string =>
  fileURLToPath(new URL(`../${name}`, import.meta.resolve('eld/extrasmall')));

/** Loads synchronously, because Node 24 crashes when a thread ends during an asynchronous import. */
const load = createRequire(import.meta.url);

/** An n-gram in the source of the table, with its scores by language: `' abcd':{11:60,24:3}`, `abcd:{0:7}`. */
const ENTRY = /(?:'((?:[^'\\]|\\.)+)'|"([^"]+)"|([^\s'"{},:]+)):\{([\d:,]+)\}/g;

/** `11:60,24:3` → 11, 113, 24, 56: a language's index and its score, in turn. */
export const parseScores = (scores: string): number[] =>
  scores.split(/[:,]/).map((number, i) => (i % 2 === 0 ? Number(number) : Number(number) + SCORE_MIN));

/** A key has one character of eld's dictionary for each byte, and a blank where the word begins or ends. */
function parseEntry(key: string, scores: string, byteOf: ReadonlyMap<string, number>): EldNgram {
  let bytes = 0;
  for (const character of key.trim().replaceAll('\\', '')) bytes = bytes * 256 + (byteOf.get(character) ?? 0);
  return { bytes, isBeginning: key.startsWith(' '), isEnd: key.endsWith(' '), scores };
}

function* readNgrams(source: string, byteOf: ReadonlyMap<string, number>): Generator<EldNgram> {
  for (const [, quoted, doubleQuoted, bare, scores = ''] of source.matchAll(ENTRY))
    yield parseEntry(quoted ?? doubleQuoted ?? bare ?? '', scores, byteOf);
}

/** Reads the smallest of eld's tables. The n-grams are read one by one, since all at once would take much memory. */
export function readEld(): { languages: NgramLanguage[]; ngrams: Iterable<EldNgram> } {
  const source = readFileSync(packageFile('ngrams/extrasmall.js'), 'utf8');
  const { dictionary } = load(packageFile('dictionary.js')) as { dictionary: string[] };
  const { avgScore } = load(packageFile('avgScore.js')) as {
    avgScore: Record<string, number>; // all three files are eld's own
  };
  const byteOf = new Map(dictionary.map((character, byte) => [character, byte]));
  const codes = [...source.matchAll(/\b\d+:'(\w+)'/g)].map(([, code = '']) => code);
  const languages = codes.map((code) => ({ code, average: avgScore[code] ?? 1 }));
  return { languages, ngrams: readNgrams(source, byteOf) };
}
