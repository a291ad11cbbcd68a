/**
 * Gives each term of a query its weight: inverse document frequency, less for stop words and for variants that the
 * query does not write.
 */

import { isMarked } from '../../analysis/notations/marks.ts';
import type { Queryable } from '../../database/connection/database.ts';
import { impactTierLexeme, TIERS } from '../../indexing/postings/impact-tiers.ts';
import { inverseDocumentFrequency, queryFrequencyWeight, scoreUpperBound } from '../bm25.ts';
import type { ImpactLevels } from '../candidates/candidates.ts';
import type { ExpandedAnalysis, ExpandedTerm } from '../expansion/expansion.ts';
import { readFrequencies } from '../query/lexeme-frequencies.ts';
import { type ScopedQuery, TIERED_FROM } from '../query/query-analysis.ts';
import { isCommon, type NamedTerm, SCORED_TERMS_MAX } from '../query/query-terms.ts';
import type { SynonymSpan } from '../synonyms/synonym-spans.ts';
import type { Scoring } from './best-by-bm25.ts';
import { documentFrequency, type IndexStatistics, levelsOf } from './impact-levels.ts';
import { ofSingleWords, toVariant, type WeighedSynonym, weighSynonyms } from './synonym-weights.ts';
import type { ScoredTerm } from './term-scores.ts';
import { ofLexeme, type Variant } from './variants.ts';

/**
 * A query term: its variants with the upper bounds of their scores, and the impact levels at which passages contain it.
 * `isWeak`: a function word beside other words, by which alone no passage is found. `isTelling`: it says what the query
 * is about, and so do headings: no common word, and no unknown word of another language.
 */
export type WeightedTerm = ScoredTerm &
  NamedTerm & { levels: ImpactLevels; isWeak: boolean; isTelling: boolean };

/**
 * What passages have of the query's informative words. `unknownShare`: the part of their weight that no passage
 * contains, in [0, 1]. `hasKnownWord`: passages contain one of them, or what it is guessed to be.
 */
type Knowledge = { unknownShare: number; hasKnownWord: boolean };

/**
 * `tokens`: all of the query in order. `unknown`: its words that no passage contains. `spans`: its parts that have
 * synonyms.
 */
export type WeightedScoring = Scoring &
  Knowledge & {
    tokens: string[];
    terms: WeightedTerm[];
    unknown: (NamedTerm & Pick<WeightedTerm, 'isTelling' | 'isWeak'>)[];
    spans: SynonymSpan[];
  };

/**
 * Passages of any text that a knowledge base is taken to have besides its own. In ten texts, a rare `much` would
 * outweigh `hotel`: their counts say nothing yet. The more passages there are, the less it matters.
 *
 * nDCG@10, mean of the open collections cut to some documents (`npm run evaluate -- --small`):
 *
 *                              10      30      100     300
 *   own counts only           .9788   .9510   .9302   .9038
 *   30 passages, common .05   .9789   .9542   .9333   .9043
 *   60, no common words       .9797   .9538   .9306   .9039
 *   60, common .05            .9781   .9558   .9332   .9038
 *   60, common .15            .9787   .9572   .9347   .9040
 *   100, common .15           .9779   .9572   .9344   .9045
 *   100, common .3            .9796   .9575   .9342   .9044
 *   and fading                .9800   .9575   .9348   .9042
 *   300, common .05           .9785   .9573   .9291   .9023
 */
const PRIOR_PASSAGES = 100;
/**
 * The prior fades as a knowledge base grows: it counts for half of its passages in one of this many. Without that, the
 * mean of six whole collections is .002 lower.
 */
const PRIOR_FADES_AT = 100;

const priorPassages = (passageCount: number): number =>
  (PRIOR_PASSAGES * PRIOR_FADES_AT) / (PRIOR_FADES_AT + passageCount);

/** The variants of a word that passages contain; all of them have this weight. `completions`: those among them. */
type Variants = { known: string[]; weight: number; isGuess?: boolean; completions?: ReadonlySet<string> };

/** What a word weighs besides its rarity, and the share of passages that usually have it. */
type Weighed = { weight: number; share: number };

/**
 * Gives all variants of a word the same weight: `weight` times the inverse document frequency of the word as a whole.
 * With a weight of its own, the stem of a function word in another language would count as rare. It would then raise
 * the score of a passage whose language was detected wrongly.
 */
function weighVariants(lexemes: string[], weighed: Weighed, index: IndexStatistics): Variants {
  return {
    known: lexemes.filter((lexeme) => index.frequencies.has(lexeme)),
    weight: weightOf(documentFrequency(lexemes, index), weighed, index),
  };
}

/** The weight of a word in this many passages. */
const weightOf = (frequency: number, { weight, share }: Weighed, { passageCount }: IndexStatistics): number =>
  weight *
  inverseDocumentFrequency(
    frequency + priorPassages(passageCount) * share,
    passageCount + priorPassages(passageCount),
  );

/** Lexemes side by side: no more passages have them than have the rarest one. */
function weighRarest(sequence: string[], weighed: Weighed, index: IndexStatistics) {
  const count = Math.min(...sequence.map((lexeme) => index.frequencies.get(lexeme) ?? 0));
  return { count, weight: weightOf(count, weighed, index) };
}

/**
 * Weight of further variants (with other accents, or completions of an incomplete word), against 1 for a variant as the
 * query writes it. Where no passage contains the word as written, the further variants count in full.
 *
 * nDCG@10 on made-up words whose syllables differ in accents alone, as in Vietnamese (xquad-en, each word replaced):
 *
 *   0.2 to 0.4   0.7    accents folded away   accents kept
 *   .952         .950   .907                  .959
 */
const FURTHER_WEIGHT = 0.4;

/** Only the two nearest kinds of fuzzy matches count: `TermVariants` has variants of two weights. */
const NEAR_KINDS_MAX = 2;

/**
 * The variants of a term by weight.
 *
 * - `main`: those as the query writes the word. If no passage contains any, those without accents and the completions.
 *   If no passage contains any of these either, the fuzzy matches of the most weight.
 * - `further`: those that count less.
 * - `synonyms`: those that its user has set.
 * - `fullWeight`: weight of the word itself, for the upper bound of a score: a fuzzy match is never as good.
 * - `isExpanded`: the query analysis has not seen the variants in `main`.
 * - `areSynonyms`: passages have synonyms only; synonyms of one word are in `main` too, for their impact tiers.
 */
type TermVariants = Pick<WeightedTerm, keyof NamedTerm | 'isWeak' | 'isTelling'> & {
  main: Variants;
  further: Variants;
  synonyms: WeighedSynonym[];
  fullWeight: number;
  isExpanded: boolean;
  areSynonyms?: boolean;
};

const NO_VARIANTS: Variants = { known: [], weight: 0 };

function weighTerm(term: ExpandedTerm, index: IndexStatistics): TermVariants {
  const { word, tokens, isInformative, lexemes, unaccented, completions = [], fuzzy = [] } = term;
  const weight = term.weight * queryFrequencyWeight(term.frequency);
  const others = [...new Set([...unaccented, ...completions])].filter((lexeme) => !lexemes.includes(lexeme));
  const isWeak = term.isStopWord && !isInformative;
  const isTelling = isInformative && !isCommon(term);
  const named = { word, tokens, isInformative, isWeak, isTelling };
  const longer = new Set(completions).difference(new Set(unaccented));
  const weighed = (factor: number): Weighed => ({ weight: weight * factor, share: term.share });
  const asWritten = weighVariants(lexemes, weighed(1), index);
  const synonymsOf = (own: Variants) =>
    weighSynonyms(term.synonyms ?? [], own.weight, (lexemes) => weighRarest(lexemes, weighed(1), index));
  if (asWritten.known.length > 0) {
    const further = { ...weighVariants(others, weighed(FURTHER_WEIGHT), index), completions: longer };
    const synonyms = synonymsOf(asWritten);
    return { ...named, main: asWritten, further, synonyms, fullWeight: asWritten.weight, isExpanded: false };
  }
  const inFull = { ...weighVariants(others, weighed(1), index), completions: longer };
  if (inFull.known.length > 0) {
    const isExpanded = completions.length > 0;
    const rest = { further: NO_VARIANTS, synonyms: synonymsOf(inFull) };
    return { ...named, main: inFull, ...rest, fullWeight: inFull.weight, isExpanded };
  }
  const synonyms = synonymsOf(asWritten);
  if (synonyms.length > 0) {
    const rest = { main: ofSingleWords(synonyms), further: NO_VARIANTS, synonyms };
    return { ...named, ...rest, fullWeight: asWritten.weight, isExpanded: true, areSynonyms: true };
  }
  const [main = NO_VARIANTS, further = NO_VARIANTS] = fuzzy
    .slice(0, NEAR_KINDS_MAX)
    .map((kind) => ({ ...weighVariants(kind.lexemes, weighed(kind.weight), index), isGuess: true }))
    .sort((left, right) => right.weight - left.weight);
  const rest = { main, further, synonyms, fullWeight: asWritten.weight, isExpanded: true };
  return { ...named, ...rest, isTelling: isTelling && !term.isForeign };
}

/**
 * A common word of the language may be rare in the searched knowledge bases. If it weighs more than this many times as
 * much as each word that is not common, it is telling too: for `the server is full`, a heading with `server` alone
 * answers nothing.
 */
const RARE_WEIGHT = 2;

function withRareWords(terms: TermVariants[], weightOf: (term: TermVariants) => number): TermVariants[] {
  const most = Math.max(0, ...terms.filter(({ isTelling }) => isTelling).map(weightOf));
  const isRare = (term: TermVariants) =>
    term.isInformative && !term.main.isGuess && weightOf(term) > RARE_WEIGHT * most;
  return most === 0 ? terms : terms.map((term) => (isRare(term) ? { ...term, isTelling: true } : term));
}

/**
 * Returns the terms to score, the weightiest first, and the upper bound of a score. Terms that no passage contains
 * count in that bound, so that a passage which answers half of the query scores at most half. `unknownShare`: see
 * `WeightedScoring`; what is only guessed is unknown, and what has digits is no word.
 */
export function chooseTerms(
  terms: ExpandedTerm[],
  index: IndexStatistics,
): { chosen: TermVariants[]; unknown: TermVariants[]; upperBound: number } & Knowledge {
  const mostOf = ({ main, synonyms }: TermVariants) =>
    Math.max(main.weight, ...synonyms.map((each) => each.weight));
  const byWeight = withRareWords(
    terms.map((term) => weighTerm(term, index)).sort((left, right) => mostOf(right) - mostOf(left)),
    mostOf,
  );
  const isKnown = ({ main, synonyms }: TermVariants) => main.known.length + synonyms.length > 0;
  const chosen = byWeight.filter(isKnown).slice(0, SCORED_TERMS_MAX);
  // Passages of an earlier analysis lack marked tokens. What no passage has by them, it may have by its words.
  const unknown = byWeight.filter((term) => !isKnown(term) && !term.tokens.every(isMarked));
  const scored = [...chosen, ...unknown];
  const informative = scored.filter(({ isInformative, word }) => isInformative && !/\p{N}/u.test(word));
  const isMissing = (term: TermVariants) => !isKnown(term) || (term.main.isGuess ?? false);
  const informativeSum = sumOfBounds(informative);
  return {
    chosen,
    unknown,
    upperBound: sumOfBounds(scored) || 1, // of a query without words
    unknownShare: informativeSum === 0 ? 0 : sumOfBounds(informative.filter(isMissing)) / informativeSum,
    hasKnownWord: scored.some((term) => term.isInformative && isKnown(term)),
  };
}

/** What the terms add to a score at most. */
const sumOfBounds = (terms: TermVariants[]): number =>
  terms.reduce((sum, { fullWeight }) => sum + scoreUpperBound(fullWeight), 0);

const withUpperBounds = ({ known, weight, isGuess = false, completions }: Variants): Variant[] =>
  known.map((lexeme) => {
    const match = isGuess ? 'guess' : completions?.has(lexeme) ? 'completion' : 'word';
    return ofLexeme(lexeme, scoreUpperBound(weight), match);
  });

/**
 * A term with the upper bounds of its variants and its impact levels. `index` must have the frequencies of its tiers.
 */
export const toWeightedTerm = (term: TermVariants, index: IndexStatistics): WeightedTerm => ({
  word: term.word,
  tokens: term.tokens,
  isInformative: term.isInformative,
  isWeak: term.isWeak,
  isTelling: term.isTelling,
  variants: [
    ...(term.areSynonyms ? [] : [term.main, term.further].flatMap(withUpperBounds)),
    ...term.synonyms.map(toVariant),
  ],
  levels: levelsOf(term, index),
});

/** The lexemes of the impact tiers of those terms, and of those synonyms, that are also queried by tier. */
const tierLexemesOf = (chosen: TermVariants[], index: IndexStatistics): string[] =>
  chosen
    .flatMap(({ main, synonyms }) => [main.known, ofSingleWords(synonyms).known])
    .filter((lexemes) => documentFrequency(lexemes, index) > TIERED_FROM)
    .flatMap((lexemes) =>
      lexemes.flatMap((lexeme) => TIERS.map((_, tier) => impactTierLexeme(lexeme, tier))),
    );

/** The terms to score. Reads the frequencies of their impact tiers, unless the analysis has them. */
export async function weighTerms(
  database: Queryable,
  { accountId, restriction }: Pick<ScopedQuery, 'accountId' | 'restriction'>,
  { tokens, terms, spans, statistics, hasTiers }: ExpandedAnalysis,
): Promise<WeightedScoring> {
  const { searched, frequencies } = statistics;
  const index = { frequencies, passageCount: searched.passageCount };
  const { chosen, unknown, upperBound, ...knowledge } = chooseTerms(terms, index);
  const withoutTiers = chosen.filter(({ isExpanded }) => isExpanded || !hasTiers);
  const tierLexemes = tierLexemesOf(withoutTiers, index);
  const ofTiers =
    tierLexemes.length > 0
      ? await readFrequencies(database, { accountId, restriction, ids: searched.ids }, tierLexemes)
      : [];
  const complete = { ...index, frequencies: new Map([...frequencies, ...ofTiers]) };
  return {
    upperBound,
    ...knowledge,
    tokens,
    unknown,
    spans,
    terms: chosen.map((term) => toWeightedTerm(term, complete)),
  };
}
