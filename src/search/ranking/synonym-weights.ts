/** Weighs the synonyms of a query term. */
import { scoreUpperBound } from '../bm25.ts';
import type { Synonym } from '../synonyms/synonym-spans.ts';
import { sequenceQuery, type Variant } from './variants.ts';

/**
 * Weight of a synonym against the query's own word: a passage that has the word itself comes before the same passage
 * with a synonym. Any weight below 1 does that, and a lower one would put passages with other words of the query
 * first.
 */
const SYNONYM_WEIGHT = 0.9;

/** A synonym that passages may have, with its weight, and an upper bound of the number of these passages. */
export type WeighedSynonym = Synonym & { weight: number; count: number };

/** The number of passages with these lexemes side by side, at most, and the weight of a word in so many. */
type WeighSequence = (sequence: string[]) => { count: number; weight: number };

/**
 * The synonyms that passages may have: of several words only where passages have each. `termWeight`: of the
 * query's own word.
 *
 * A common synonym of a rare word counts as what it is, and a rare one of a common word no more than the word: passages
 * with `ThinkPad` everywhere are no rare answers to `laptop`.
 */
export const weighSynonyms = (
  synonyms: Synonym[],
  termWeight: number,
  weigh: WeighSequence,
): WeighedSynonym[] =>
  synonyms.flatMap((synonym) => {
    const { count, weight } = weigh(synonym.sequence);
    return count === 0 ? [] : [{ ...synonym, weight: SYNONYM_WEIGHT * Math.min(termWeight, weight), count }];
  });

/** The synonym as a variant of its term. */
export const toVariant = ({ sequence, weight }: WeighedSynonym): Variant => ({
  sequence,
  upperBound: scoreUpperBound(weight),
  match: 'synonym',
});

/** tsquery texts for the passages that have one of the synonyms. */
export const operandsOf = (synonyms: WeighedSynonym[]): string[] =>
  synonyms.map(({ sequence }) => sequenceQuery(sequence));

/** The synonyms of one word as variants of one weight, the highest of theirs. */
export const ofSingleWords = (synonyms: WeighedSynonym[]): { known: string[]; weight: number } => {
  const single = synonyms.filter(({ sequence }) => sequence.length === 1);
  return {
    known: single.flatMap(({ sequence }) => sequence),
    weight: Math.max(0, ...single.map(({ weight }) => weight)),
  };
};
