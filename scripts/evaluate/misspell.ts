/** Queries with a wrong letter or two, as people type them. */
import { createRandom, pick, type Random } from '../../contract-tests/harness/documents/texts.ts';
import type { JudgedQuery } from './collection.ts';

const SEED = 7;
/** Letters of the shortest word that is misspelt. */
const WORD_FROM = 5;
const LETTERS = /\p{L}+/gu;

/** A typing error after the first letter: one letter is missing, doubled, swapped with the next, or another one. */
function misspellOnce(word: string, random: Random): string {
  const letters = Array.from(word);
  const at = 1 + Math.floor(random() * (letters.length - 2));
  const [own = '', next = ''] = letters.slice(at);
  const written = pick(['', own + own, next + own, pick(letters, random)], random);
  return [...letters.slice(0, at), written, ...letters.slice(written === next + own ? at + 2 : at + 1)].join(
    '',
  );
}

/** The query with `errors` typing errors in its longest word; unchanged where that is short. */
function misspellQuery(text: string, errors: number, random: Random): string {
  const words = [...text.matchAll(LETTERS)];
  const longest = words.toSorted(([left], [right]) => right.length - left.length)[0];
  if (longest === undefined || longest[0].length < WORD_FROM) return text;
  let [word] = longest;
  for (let i = 0; i < errors; i++) word = misspellOnce(word, random);
  return text.slice(0, longest.index) + word + text.slice(longest.index + longest[0].length);
}

/** The queries with `errors` typing errors in the longest word of each; always the same ones. */
export function misspell(queries: JudgedQuery[], errors: number): JudgedQuery[] {
  const random = createRandom(SEED);
  return queries.map(({ id, text }) => ({ id, text: misspellQuery(text, errors, random) }));
}
