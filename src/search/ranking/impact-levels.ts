/** The impact levels at which passages contain a term, from which candidates.ts chooses. */
import { quoteLexeme } from '../../analysis/lexemes.ts';
import { impactTierLexeme, TIERS, UNTIERED_DENSITY } from '../../indexing/postings/impact-tiers.ts';
import { expectedScoreAt } from '../bm25.ts';
import type { ImpactLevels } from '../candidates/candidates.ts';
import { TIERED_FROM } from '../query/query-analysis.ts';
import { ofSingleWords, operandsOf, type WeighedSynonym } from './synonym-weights.ts';

/** Document frequency of each lexeme in the searched passages, and the number of those passages. */
export type IndexStatistics = { frequencies: ReadonlyMap<string, number>; passageCount: number };

/**
 * Upper bound of passages with any of these lexemes. A passage has one language, so it rarely contains two variants.
 */
export const documentFrequency = (
  lexemes: string[],
  { frequencies, passageCount }: IndexStatistics,
): number =>
  Math.min(
    passageCount,
    lexemes.reduce((sum, lexeme) => sum + (frequencies.get(lexeme) ?? 0), 0),
  );

/** Variants of a term with one weight. */
type WeighedLexemes = { known: string[]; weight: number };

/** An impact level of some variants of a term; `count` passages are of this level or a higher one. */
type CountedLevel = { operands: string[]; expectedScore: number; count: number };

/** The levels of the variants in ascending order: in any place, and where many passages have them, in each tier. */
function levelsByTier({ known, weight }: WeighedLexemes, index: IndexStatistics): CountedLevel[] {
  const levelOf = (lexemes: string[], density: number) => ({
    operands: lexemes.filter((lexeme) => index.frequencies.has(lexeme)).map(quoteLexeme),
    expectedScore: expectedScoreAt(weight, density),
    count: documentFrequency(lexemes, index),
  });
  const untiered = levelOf(known, UNTIERED_DENSITY);
  if (untiered.count <= TIERED_FROM) return [untiered];
  const inTier = (tier: number) => known.map((lexeme) => impactTierLexeme(lexeme, tier));
  return [untiered, ...TIERS.map(({ typical }, tier) => levelOf(inTier(tier), typical))];
}

/**
 * The level of the variants without tiers: variants that count less, and synonyms that are rare or of several words.
 */
const untieredLevel = (
  further: WeighedLexemes,
  synonyms: WeighedSynonym[],
  index: IndexStatistics,
): CountedLevel => ({
  operands: [...further.known.map(quoteLexeme), ...operandsOf(synonyms)],
  expectedScore: expectedScoreAt(
    Math.max(further.weight, ...synonyms.map(({ weight }) => weight)),
    UNTIERED_DENSITY,
  ),
  count: Math.max(
    documentFrequency(further.known, index),
    synonyms.reduce((sum, { count }) => sum + count, 0),
  ),
});

/**
 * The impact levels at which passages contain a term, in ascending order: each finds what the higher ones find. Common
 * synonyms have tiers of their own: without them, all of their passages would be candidates of a rare word.
 */
export function levelsOf(
  { main, further, synonyms }: { main: WeighedLexemes; further: WeighedLexemes; synonyms: WeighedSynonym[] },
  index: IndexStatistics,
): ImpactLevels {
  const isTiered = ({ sequence, count }: WeighedSynonym) =>
    sequence.length === 1 && count > TIERED_FROM && !main.known.includes(sequence[0] ?? '');
  const others = synonyms.filter((synonym) => !isTiered(synonym));
  const groups = [
    [untieredLevel(further, others, index)],
    levelsByTier(main, index),
    levelsByTier(ofSingleWords(synonyms.filter(isTiered)), index),
  ].map((levels) => levels.filter(({ count }) => count > 0));
  const scores = [...new Set(groups.flat().map((level) => level.expectedScore))].sort((a, b) => a - b);
  const levels = scores.map((expectedScore) => {
    const lowest = groups.map((group) => group.find((level) => level.expectedScore >= expectedScore));
    const [ofFurther = 0, own = 0, ofSynonyms = 0] = lowest.map((level) => level?.count);
    const operands = [...new Set(lowest.flatMap((level) => level?.operands ?? []))];
    return {
      operand: operands.length === 1 ? (operands[0] ?? '') : `(${operands.join('|')})`,
      expectedScore,
      count: Math.min(index.passageCount, Math.max(ofFurther, own) + ofSynonyms),
    };
  });
  return levels.map(({ operand, expectedScore, count }, i) => ({
    operand,
    expectedScore,
    probability: Math.max(0, count - (levels[i + 1]?.count ?? 0)) / index.passageCount,
  }));
}
