/**
 * Impact tiers: under which further lexemes a passage is indexed that is dense in a word (Introduction to Information
 * Retrieval, 7.1.4).
 */
import { RESERVED } from '../../analysis/reserved-lexemes.ts';

/** Length in tokens of an ordinary passage. */
const ORDINARY_LENGTH = 150;
/** How much a passage's length counts, from 0 to 1, like BM25's b. */
const LENGTH_WEIGHT = 0.6;

/**
 * The impact tiers. Their lexemes let the index find the passages that are dense in a word. A passage of ordinary
 * length is in a tier if it contains the word `from` times or more; `typical` is the usual number in the passages of a
 * tier. The highest tiers matter for a word in half of all passages: its best passages are there. They have 3 % of all
 * postings together.
 */
export const TIERS = [
  { from: 2.6, typical: 3.2 },
  { from: 4.7, typical: 6 },
  { from: 9.3, typical: 12 },
] as const;

/** The typical density of passages in no tier: nearly all contain the word once. */
export const UNTIERED_DENSITY = 1.1;

/** A word's lexeme and the index of a tier in `TIERS` → the tier's lexeme: `word`, 0 → `/1/word`. */
export const impactTierLexeme = (lexeme: string, tier: number): string => `${RESERVED}${tier + 1}/${lexeme}`;

/** The number of tiers, from the first on, of a passage of `length` tokens with `frequency` occurrences of a word. */
export function tierCount(frequency: number, length: number): number {
  if (frequency === 1) return 0; // nearly all passages: they are in no tier, not even short ones
  const density = frequency / (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / ORDINARY_LENGTH);
  return TIERS.filter(({ from }) => density >= from).length;
}
