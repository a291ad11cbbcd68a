/** Terms of synonym groups in other notations: `1,800` for `1800`, `email` for `e-mail`, 图书馆 for 圖書館. */
import { inOtherScripts } from '../../analysis/notations/chinese.ts';
import { COMMON_FORM, readableToken } from '../../analysis/notations/marks.ts';
import { otherNotations } from '../../analysis/notations/notations.ts';
import { tokenise } from '../../analysis/tokens.ts';
import { writingsOf } from './synonym-groups.ts';

/**
 * A word, or a compound or number with the tokens of its parts: from the token at `at` on, `length` tokens.
 * `others`: the tokens of its other notations.
 */
export type Whole = { token: string; at: number; length: number; others: string[] };

/** Writings of a term in other notations, of a number or of two words, which hardly have any. */
const OTHERS_MAX = 12;

const lettersOf = (token: string): string => readableToken(token).replace(/[^\p{L}\p{M}\p{N}]+/gu, '');

/** The number of tokens from `from` on that have these letters together, if they are several; otherwise 0. */
function partsOf(letters: string, tokens: string[], from: number): number {
  let joined = '';
  let end = from;
  while (end < tokens.length && joined.length < letters.length) joined += lettersOf(tokens[end++] ?? '');
  return joined === letters && end - from > 1 ? end - from : 0;
}

/** The words of a text without the parts of its compounds and numbers. Reads `tokensMax` tokens. */
export function wholesOf(text: string, tokensMax = Number.POSITIVE_INFINITY): Whole[] {
  const { tokens: all, stackedTokens, stackedAt } = tokenise(text);
  const tokens = all.slice(0, tokensMax);
  const grouped = new Map<number, Whole>();
  for (const [i, token] of stackedTokens.entries()) {
    const at = stackedAt[i] ?? 0;
    const length = token.startsWith(COMMON_FORM) ? partsOf(lettersOf(token), tokens, at) : 0;
    if (length > 0) grouped.set(at, { token, at, length, others: [] });
  }
  const wholes: Whole[] = [];
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] ?? '';
    const found = grouped.get(at) ?? { token, at, length: 1 + partsOf(lettersOf(token), tokens, at + 1) };
    wholes.push({ ...found, others: otherNotations(found.token, true) });
    at += found.length;
  }
  return wholes;
}

const distinct = (writings: string[][]): string[][] => [
  ...new Map(writings.map((tokens) => [tokens.join(' '), tokens])).values(),
];

/** The tokens of a term in all ways in which a query may write it, besides the notations of the query's own words. */
export const queriedWritings = (term: string): string[][] =>
  distinct([...writingsOf(term), wholesOf(term).map(({ token }) => token)]);

/** The tokens of a term in all ways in which passages may write it. */
export function writtenInPassages(term: string): string[][] {
  const wholes = wholesOf(term);
  const tokens = wholes.map(({ token }) => token);
  const scripts = inOtherScripts(term);
  const others =
    scripts.length > 0
      ? scripts.flatMap(writingsOf)
      : wholes.flatMap(({ others }, i) => others.map((other) => tokens.with(i, other)));
  return distinct([...writingsOf(term), tokens, ...others.slice(0, OTHERS_MAX)]);
}
