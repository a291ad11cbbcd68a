/** The words of Chinese and Thai, which write no spaces, and their vectors. */
import { toSimplified } from '../analysis/notations/chinese.ts';
import type { CountedVector, LanguageVectors, VectorsIn, WordVector } from './passage-vectors.ts';

/** A run of ideographs, in a Japanese text too, or of Thai. */
const RUN = /(?<chinese>\p{Script=Han}+)|\p{Script=Thai}+/gu;

let segmenter: Intl.Segmenter | undefined;

/** Divides a run by the dictionaries of ICU. NFKC takes the Thai vowel am apart, which they know only as one letter. */
function wordsOfRun(run: string): string[] {
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' });
  const whole = run.replaceAll('\u0e4d\u0e32', '\u0e33');
  return Array.from(segmenter.segment(whole), ({ segment }) => segment.normalize('NFKC'));
}

/** The vectors of a Chinese word: its own, or those of its longest parts that have one. */
function vectorsOfParts(word: string, vectorOf: LanguageVectors['vectorOf']): WordVector[] {
  const found: WordVector[] = [];
  for (let at = 0; at < word.length; ) {
    let end = word.length;
    let vector = vectorOf(word.slice(at, end));
    while (vector === undefined && end > at + 1) vector = vectorOf(word.slice(at, --end));
    if (vector !== undefined) found.push(vector);
    at = end;
  }
  return found;
}

/** ICU's words have a few characters; what is longer is no word. */
const WORD_MAX_LENGTH = 24;

/** Words without spaces and their vectors. `mean` and `trust`: those of the language with more of them. */
export type UnspacedVectors = Pick<LanguageVectors, 'mean' | 'trust'> & {
  words: { word: string; vectors: WordVector[] }[];
};

/** The words of a text in scripts without spaces that have a vector; undefined without any. Linear. */
export function readUnspaced(text: string, vectorsIn: VectorsIn): UnspacedVectors | undefined {
  const words: UnspacedVectors['words'] = [];
  let chineseCount = 0;
  for (const { 0: run, groups } of text.matchAll(RUN)) {
    const isChinese = groups?.chinese !== undefined;
    const vectorOf = vectorsIn(isChinese ? 'chinese' : 'thai')?.vectorOf;
    if (vectorOf === undefined) continue;
    for (const word of wordsOfRun(run)) {
      if (word.length > WORD_MAX_LENGTH) continue;
      const vectors = isChinese
        ? vectorsOfParts(toSimplified(word), vectorOf)
        : [vectorOf(word) ?? []].flat();
      if (vectors.length === 0) continue;
      words.push({ word, vectors });
      if (isChinese) chineseCount++;
    }
  }
  const ofMost = vectorsIn(2 * chineseCount >= words.length ? 'chinese' : 'thai');
  return ofMost === undefined || words.length === 0
    ? undefined
    : { words, mean: ofMost.mean, trust: ofMost.trust };
}

/** The vectors of all words, once for each time that a word occurs. */
export const countUnspaced = ({ words }: UnspacedVectors): CountedVector[] =>
  words.flatMap(({ vectors }) => vectors.map((vector): CountedVector => [vector, 1]));
