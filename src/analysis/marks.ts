/**
 * Lexemes beside those of a passage's text, by which the index finds the passages that are dense in a word. They
 * begin with a slash, as no token of a text does.
 */

/** Length in tokens of an ordinary passage, by which longer and shorter ones are compared. */
const ORDINARY_LENGTH = 150;
/** How much a passage's length counts: as in BM25, half of it. */
const LENGTH_SHARE = 0.6;

/**
 * The tiers of density. A word of `from` occurrences or more in a passage of ordinary length is of the tier; passages
 * of a tier have `typical` of them. A word that half of all passages hold is searched by its highest tiers: its best
 * passages are there, 3 % of all postings together.
 */
export const TIERS = [
  { from: 2.6, typical: 3.2 },
  { from: 4.7, typical: 6 },
  { from: 9.3, typical: 12 },
] as const;

/** The typical density of passages that are of no tier: nearly all hold the word once. */
export const UNTIERED_DENSITY = 1.1;

/** The lexeme of the `tier`-th of `TIERS`, counted from 0, for a word's lexeme. */
export const impactTierLexeme = (lexeme: string, tier: number): string => `/${tier + 1}/${lexeme}`;

/** In how many of `TIERS`, from the first on, a passage of `length` tokens is that holds a word `frequency` times. */
export function tierCount(frequency: number, length: number): number {
  if (frequency === 1) return 0; // nearly all; of no tier, however short the passage
  const density = frequency / (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / ORDINARY_LENGTH);
  return TIERS.filter(({ from }) => density >= from).length;
}
