/** Finds where the content of a passage has the phrases of a query. */
import type { ReadSpan, Span } from '../../analysis/token-spans.ts';
import type { Phrase } from '../phrases/phrases.ts';
import type { Matches } from './matches.ts';

/** The tokens that have one of the lexemes. */
const tokensWith = (lexemes: string[], { tokens }: Pick<Matches, 'tokens'>): Set<number> =>
  new Set(lexemes.flatMap((lexeme) => tokens.get(lexeme) ?? []));

/** The ranges of tokens, from the first to the last one, that have the phrase in one of its spellings. */
export function findPhrase(
  { spellings }: Phrase,
  matches: Pick<Matches, 'tokens'>,
): [first: number, last: number][] {
  return spellings.flatMap((spelling) => {
    const [first = new Set<number>(), ...others] = spelling.map((lexemes) => tokensWith(lexemes, matches));
    return [...first]
      .filter((at) => others.every((tokens, i) => tokens.has(at + i + 1)))
      .map((at): [number, number] => [at, at + others.length]);
  });
}

/** The ranges of the content that have the phrases. `spanOf` has the ranges of its tokens. */
export const phraseSpans = (phrases: Phrase[], matches: Matches, spanOf: ReadSpan): Span[] =>
  phrases
    .flatMap((phrase) => findPhrase(phrase, matches))
    .flatMap(([first, last]) => {
      const [start, end] = [spanOf(first)?.start, spanOf(last)?.end];
      return start === undefined || end === undefined ? [] : [{ start, end }];
    });

/** How often the content has the phrase. Its spellings may be found at the same place. */
export const countPhrase = (phrase: Phrase, matches: Matches): number =>
  new Set(findPhrase(phrase, matches).map(([first]) => first)).size;
