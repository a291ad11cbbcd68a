/** Completions: the words that begin with the last word of a query, for a search while its user types. */
import { foldAccents } from '../../analysis/normalise.ts';
import { tokenise } from '../../analysis/tokens.ts';
import { impactTierLexeme } from '../../indexing/postings/impact-tiers.ts';
import { inverseDocumentFrequency } from '../bm25.ts';
import type { Found, LexemePattern } from './vocabulary.ts';

/**
 * Completions of a word that count. nDCG@10 of 400 queries of XQuAD, cut off after two letters of their fourth word
 * from the end; with six letters all are equal:
 *
 * | completions | English | German |
 * |---|---|---|
 * | 4 | .7685 | .7802 |
 * | 8 | .7794 | .7887 |
 * | 16 | .7781 | .7976 |
 * | 32 | .7804 | .7957 |
 */
const COMPLETIONS_MAX = 16;
/**
 * Words of so few letters also look for the lexemes of an impact tier: one in ten lexemes has it, and nearly all
 * frequent ones. Without a tier, they would find the first lexemes by alphabet in a large vocabulary.
 */
const TIERED_LENGTH = 2;
const TIER = 1;
/**
 * Letters of the shortest stem of a word that has grown beyond it (`informati` for `inform`), and its least share. From
 * .3 to .8 the figures above differ by less than .001.
 */
const STEM_FROM = 3;
const STEM_SHARE = 0.5;

/**
 * The tokens of the query's last word that may be incomplete: the last token, and the token of a compound as a whole.
 */
export function incompleteTokens(query: string): string[] {
  const lastWord = query.trimEnd().split(/\s/u).at(-1) ?? ''; // a pattern up to the end would take quadratic time
  const { tokens } = tokenise(lastWord);
  const [whole, last] = [tokens[0], tokens.at(-1)];
  if (whole === undefined || last === undefined) return [];
  return [...new Set(whole.endsWith(last) ? [whole, last] : [last])];
}

/** Lexemes with their counts → those that complete a word. Informative ones are frequent, but not everywhere. */
function mostInformative(counts: ReadonlyMap<string, number>, passageCount: number): string[] {
  const informationOf = ([, count]: [string, number]) =>
    count * inverseDocumentFrequency(count, passageCount) ** 2;
  const sorted = [...counts].sort((left, right) => informationOf(right) - informationOf(left));
  return sorted.slice(0, COMPLETIONS_MAX).map(([lexeme]) => lexeme);
}

/**
 * What to look for, and the lexemes to choose of those found. `stems`: of the incomplete word, because the index
 * has no Arabic articles. `passageCount`: of all searched passages.
 */
export function completionsOf(
  { word, stems }: { word: string; stems: string[] },
  passageCount: number,
): { patterns: LexemePattern[]; choose(found: Found[]): string[] } {
  const plain = foldAccents(word);
  const starts = [...new Set([word, plain, ...stems.filter((stem) => !plain.startsWith(stem))])];
  const tiered = Array.from(plain).length <= TIERED_LENGTH ? starts : [];
  const shorter = Array.from(plain, (_, i) => plain.slice(0, i)).slice(STEM_FROM);
  const patterns: LexemePattern[] = [
    { lexemes: shorter },
    ...starts.map((start) => ({ start })),
    ...tiered.map((start) => ({ start: impactTierLexeme(start, TIER) })),
  ];
  const choose = ([ofStem = new Map(), ...found]: Found[]): string[] => {
    const ofTier = found.splice(starts.length).flatMap((lexemes) => [...lexemes]);
    const counts = new Map([
      ...ofTier.map(([lexeme, count]) => [lexeme.slice(impactTierLexeme('', TIER).length), count] as const),
      ...found.flatMap((lexemes) => [...lexemes]),
    ]);
    if (counts.size > 0) return mostInformative(counts, passageCount);
    const longest = shorter.findLast((stem) => ofStem.has(stem));
    return longest !== undefined && longest.length >= STEM_SHARE * plain.length ? [longest] : [];
  };
  return { patterns, choose };
}
