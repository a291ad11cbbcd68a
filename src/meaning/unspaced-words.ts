/** The words of Chinese and Thai, which write no spaces, and their vectors. */
import { toSimplified } from '../analysis/notations/chinese.ts';
import type { CountedVector, LanguageVectors, VectorsIn, WordVector } from './passage-vectors.ts';

/** Runs of ideographs, in a Japanese text too, and of Thai. */
const RUNS = /\p{Script=Han}+|\p{Script=Thai}+/gu;
const IDEOGRAPH = /^\p{Script=Han}/u;

let segmenter: Intl.Segmenter | undefined;

/**
 * The words of the runs of a text, by the dictionaries of ICU. NFKC takes the Thai vowel am apart, which they know only
 * as one letter. All runs at once: to divide each one by itself takes twice as long.
 */
function* divide(text: string): Generator<string> {
  const runs = text.match(RUNS)?.join('\n');
  if (runs === undefined) return;
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' });
  for (const { segment } of segmenter.segment(runs.replaceAll('\u0e4d\u0e32', '\u0e33')))
    if (segment !== '\n') yield segment;
}

/** The vectors of a Chinese word: its own, or the vectors of its longest parts that have one. */
function vectorsOfParts(word: string, vectorOf: LanguageVectors['vectorOf'] = () => undefined): WordVector[] {
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

/** A word and its vectors. A Chinese word without a vector has the vectors of its parts. */
type UnspacedWord = { word: string; vectors: WordVector[]; isChinese: boolean };

/** Words without spaces that have vectors. `mean` and `trust`: of the language that has more of them. */
export type UnspacedVectors = Pick<LanguageVectors, 'mean' | 'trust'> & { words: UnspacedWord[] };

/**
 * Returns a function that reads the words of a text in scripts without spaces that have a vector; undefined without
 * any. Linear. It remembers the words of earlier texts, which takes half of the time.
 */
export function createUnspacedReader(vectorsIn: VectorsIn): (text: string) => UnspacedVectors | undefined {
  const known = new Map<string, UnspacedWord>();
  const [chinese, thai] = [vectorsIn('chinese'), vectorsIn('thai')];
  const read = (segment: string): UnspacedWord => {
    const word = segment.normalize('NFKC');
    const isChinese = IDEOGRAPH.test(word);
    if (word.length > WORD_MAX_LENGTH) return { word, isChinese, vectors: [] };
    const vectors = isChinese
      ? vectorsOfParts(toSimplified(word), chinese?.vectorOf)
      : [thai?.vectorOf(word) ?? []].flat();
    return { word, isChinese, vectors };
  };
  return (text) => {
    const words: UnspacedWord[] = [];
    let chineseCount = 0;
    for (const segment of divide(text)) {
      let word = known.get(segment);
      if (word === undefined) {
        word = read(segment);
        known.set(segment, word);
      }
      if (word.vectors.length === 0) continue;
      words.push(word);
      if (word.isChinese) chineseCount++;
    }
    const ofMost = 2 * chineseCount >= words.length ? chinese : thai;
    return ofMost === undefined || words.length === 0
      ? undefined
      : { words, mean: ofMost.mean, trust: ofMost.trust };
  };
}

/** The vectors of all words, once for each time that a word occurs. */
export const countUnspaced = ({ words }: UnspacedVectors): CountedVector[] =>
  words.flatMap(({ vectors }) => vectors.map((vector): CountedVector => [vector, 1]));
