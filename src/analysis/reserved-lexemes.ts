/** Lexemes that a passage has in addition to those of its text: its knowledge base, and its impact tiers (IIR 7.1.4). */

/** No token of a text begins with it. */
const RESERVED = '/';

/** Each passage has the lexeme of its knowledge base, so that the index finds the passages of one: `/<id>`. */
export const knowledgeBaseLexeme = (knowledgeBaseId: string): string => `${RESERVED}${knowledgeBaseId}`;

/** Length in tokens of an ordinary passage, with which longer and shorter ones are compared. */
const ORDINARY_LENGTH = 150;
/** How much a passage's length counts: as in BM25, about half of it. */
const LENGTH_SHARE = 0.6;

/**
 * The impact tiers, by density: the index finds by their lexemes the passages that are dense in a word. A passage of ordinary length is in a tier if it holds the word `from` times or more;
 * `typical` is what the passages of a tier have. The highest tiers stand for a word that half of all passages hold: its
 * best passages are there, and they have 3 % of all postings together.
 */
export const TIERS = [
  { from: 2.6, typical: 3.2 },
  { from: 4.7, typical: 6 },
  { from: 9.3, typical: 12 },
] as const;

/** The typical density of passages in no tier: nearly all hold the word once. */
export const UNTIERED_DENSITY = 1.1;

/** A word's lexeme and the index of a tier in `TIERS` → the tier's lexeme: `word`, 0 → `/1/word`. */
export const impactTierLexeme = (lexeme: string, tier: number): string => `${RESERVED}${tier + 1}/${lexeme}`;

/** The number of tiers, from the first on, that a passage of `length` tokens with `frequency` occurrences is in. */
export function tierCount(frequency: number, length: number): number {
  if (frequency === 1) return 0; // nearly all passages; they are in no tier, however short
  const density = frequency / (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / ORDINARY_LENGTH);
  return TIERS.filter(({ from }) => density >= from).length;
}
