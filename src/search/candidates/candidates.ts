/**
 * Chooses the candidates of a query: the passages whose terms together promise a score among the best. PostgreSQL's GIN
 * index then finds them. To score every passage that contains any term of the query would cost a hundred times more.
 *
 * A passage's expected score is the sum of what its terms usually add. The document frequencies of the terms determine
 * how many passages to expect above any score. The threshold is the score above which this number meets the budget.
 *
 * The passages above the threshold are queried by several tsqueries, one for each term that can be the rarest one of a
 * passage. The index goes along the posting list of that term. The rest of the tsquery says which other terms the
 * passage must also contain. A single tsquery would be much slower: for each passage the index would move along the
 * lists of all operands, and it reads the list of a repeated operand again.
 */

import { anyOf, bothOf, type Condition, createConditions } from './conditions.ts';

/**
 * A degree to which a passage contains a term: for example once, or densely (an impact tier). `operand` is the tsquery
 * text that finds such passages.
 */
export type ImpactLevel = {
  operand: string;
  /** BM25 score that such a passage usually gets from the term. */
  expectedScore: number;
  /** Probability that a searched passage contains the term at this level and at no higher one. */
  probability: number;
};

/** A term's levels in ascending order; never empty. */
export type ImpactLevels = ImpactLevel[];

/** The terms that make no candidate by themselves: the function words beside other words. */
type Weak = ReadonlySet<ImpactLevels>;

/**
 * tsqueries of candidates.
 *
 * - `queries`: every passage that matches any of them is a candidate.
 * - `further`: of the other passages, the first `FURTHER_MAX` that match any of these are.
 * - `all`: there is no larger set. Without `further`, these are all passages that contain any of the terms.
 */
export type CandidateQueries = { queries: string[]; further: string[]; all: boolean };

/**
 * The most further candidates; PostgreSQL takes those that are stored first. They fill up the results after the best
 * ones: passages with the same common word, mostly once. To score one costs as much as to score any other candidate,
 * and the first reading from disk ten times that.
 *
 * Share of the ten best by BM25 among the candidates of queries like INV-2019-020178, at 250,000 passages:
 *
 *   1,000   3,000   5,000   unlimited
 *   .92     .98     1.00    1.00
 *
 * A rare word beside a word that a fifth of the passages have once took 3 to 4.6 times as long as other queries, with
 * unlimited ones 14 to 22 times.
 */
export const FURTHER_MAX = 3_000;

/**
 * The choice considers the terms of the highest scores that have this share of all terms' scores together, and at most
 * `TERMS_MAX`. Each further term lengthens the tsqueries of all others. With all of 14 terms, the index takes 1.7 times
 * as long at 150,000 passages, for .0035 more of the ten best.
 */
const CONSIDERED_SHARE = 0.9;
const TERMS_MAX = 14;
/**
 * Operands that the index may check before the conditions use fewer steps. Half of the queries reach it at 500,000
 * passages, a fifth at 150,000. Flat from 20,000 to 160,000 at 500,000 passages: 1 to 1.05 times PostgreSQL's time, and
 * .003 more of the ten best. Unlimited: 1.23 times (claims 1.32), and .0043 more.
 */
const WORK_MAX = 80_000;
/**
 * UTF-16 units of a tsquery before the conditions use fewer steps. PostgreSQL rejects a tsquery whose lexemes take a
 * megabyte together. Ordinary ones have at most a few thousand units. Long words with a variant in each of many
 * languages would exceed a megabyte with 14 terms; with `STEPS_MIN` steps they take a third of it.
 */
const TSQUERY_MAX_LENGTH = 100_000;
/**
 * Scores are rounded to this many steps from zero to the threshold. More steps lengthen the conditions: 4 to 8 find the
 * same share of the ten best within .003.
 */
const STEPS_MAX = 6;
/**
 * With fewer steps, two informative words and two common words would look the same. At 500,000 passages, 2 find .024
 * less of the ten best in .8 of the time, and 4 find .0015 more in 1.09 times.
 */
const STEPS_MIN = 3;
/** A score is rounded up from this fraction of a step on. Flat from 0.5 to 0.65. */
const ROUNDED_UP_FROM = 0.65;

/**
 * Added before steps are rounded down: at a threshold that is computed from a score (see `thresholdsOf`), the score
 * must have its steps whatever the last bit of the quotient. Otherwise the lowest threshold could miss a common word.
 */
const ROUNDING_ERROR = 1e-9;

const highestScore = (levels: ImpactLevels): number => levels[levels.length - 1]?.expectedScore ?? 0;
const probabilityOf = (levels: ImpactLevels): number =>
  levels.reduce((sum, { probability }) => sum + probability, 0);

/** The number of steps that an expected score counts, if `needed` steps reach the threshold. */
const stepsOf = (expectedScore: number, threshold: number, needed: number): number =>
  Math.min(needed, Math.floor((expectedScore * needed) / threshold + 1 - ROUNDED_UP_FROM + ROUNDING_ERROR));

/**
 * The probability that the terms of a passage reach `needed` steps together. It assumes that terms occur independently.
 */
function probabilityAbove(terms: ImpactLevels[], threshold: number, needed: number): number {
  let probabilities = new Float64Array(needed + 1);
  probabilities[0] = 1;
  for (const levels of terms) {
    const absent = Math.max(0, 1 - probabilityOf(levels));
    const next = new Float64Array(needed + 1);
    for (let steps = 0; steps <= needed; steps++) next[steps] = (probabilities[steps] ?? 0) * absent;
    for (const { expectedScore, probability } of levels) {
      const steps = stepsOf(expectedScore, threshold, needed);
      for (let before = 0; before <= needed; before++) {
        const reached = Math.min(needed, before + steps);
        next[reached] = (next[reached] ?? 0) + (probabilities[before] ?? 0) * probability;
      }
    }
    probabilities = next;
  }
  return probabilities[needed] ?? 0;
}

/**
 * The thresholds at which the steps of some level change, in ascending order, and one that no passage reaches: where
 * all terms are common, the passages with all of them may be more than the budget.
 */
function thresholdsOf(terms: ImpactLevels[], needed: number): Float64Array {
  const thresholds = [Infinity];
  for (const { expectedScore } of terms.flat())
    for (let steps = 0; steps < needed; steps++)
      thresholds.push((expectedScore * needed) / (steps + ROUNDED_UP_FROM));
  return Float64Array.from(thresholds).sort();
}

/**
 * A threshold should use at least this fraction of the budget. Otherwise the next lower one adds further candidates. It
 * may exceed the budget a thousandfold: a serial number is in one passage, but the year beside it in a fiftieth of all.
 */
const BUDGET_USED_FRACTION = 1 / 4;

/** `lower`: the next lower threshold, if too few passages reach the higher one, and how probably they reach it. */
type Thresholds = { threshold: number; lower?: { threshold: number; probability: number } };

/** The lowest threshold that passages reach with at most this probability. */
function findThresholds(terms: ImpactLevels[], probability: number, needed: number): Thresholds {
  const thresholds = thresholdsOf(terms, needed);
  const probabilityAt = (index: number) => probabilityAbove(terms, thresholds[index] ?? 0, needed);
  let [low, high] = [0, thresholds.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (probabilityAt(middle) <= probability) high = middle;
    else low = middle + 1;
  }
  const threshold = thresholds[low] ?? 0;
  if (low === 0 || probabilityAt(low) >= probability * BUDGET_USED_FRACTION) return { threshold };
  return { threshold, lower: { threshold: thresholds[low - 1] ?? 0, probability: probabilityAt(low - 1) } };
}

/** tsqueries, and the work of the index: the operands that it checks, summed over all passages that it goes through. */
type IndexScan = { queries: string[]; work: number };

/**
 * Returns one tsquery for each term: it matches the passages that exceed the threshold by this term and less rare ones.
 * `terms` are sorted by rarity, the rarest first. So the index goes along one posting list for each tsquery; a rarer
 * term in the condition would add a list of its own.
 */
function scanAbove(
  threshold: number,
  terms: ImpactLevels[],
  { steps: needed, passageCount, weak, strong }: { steps: number; passageCount: number } & Sufficiency,
): IndexScan {
  const inSteps = terms.map((levels) =>
    levels.map(({ operand, expectedScore }) => ({
      operand,
      steps: stepsOf(expectedScore, threshold, needed),
    })),
  );
  const conditionOn = createConditions(inSteps);
  const sufficient: Condition[] = [];
  const queries: string[] = [];
  let work = 0;
  inSteps.forEach((levels, index) => {
    levels.forEach(({ operand, steps }, level) => {
      // A level without more steps than the level below it adds no passages: the lower level finds them too.
      if (steps === (levels[level - 1]?.steps ?? 0)) return;
      const enough = conditionOn(index + 1, terms.length, needed - steps);
      const isWeak = weak.has(terms[index] ?? []);
      const others = isWeak ? bothOf(containsAny(strong), enough) : enough;
      const query = bothOf({ text: operand, operands: 1 }, others);
      const holding = passageCount * probabilityOf(terms[index]?.slice(level) ?? []);
      if (typeof query === 'object') work += holding * query.operands;
      if (others === true) sufficient.push(query);
      else if (typeof query === 'object') queries.push(query.text);
    });
  });
  const alone = anyOf(sufficient);
  return { queries: typeof alone === 'object' ? [alone.text, ...queries] : queries, work };
}

/** Whether fewer steps are needed, to bound the work of the index or the length of a tsquery. */
const isTooMuch = ({ queries, work }: IndexScan): boolean =>
  work > WORK_MAX || queries.some((query) => query.length > TSQUERY_MAX_LENGTH);

/** The condition that a passage contains any of the terms. */
const containsAny = (terms: ImpactLevels[]): Condition =>
  anyOf(terms.map(([least]) => (least ? { text: least.operand, operands: 1 } : false)));

/** Every passage that contains any of the terms. */
function everyCandidate(terms: ImpactLevels[]): string[] {
  const any = containsAny(terms);
  return typeof any === 'object' ? [any.text] : [];
}

/** How many passages there are, and how many of them to choose. */
type Extent = { passageCount: number; budget: number };

/** The terms that do not suffice, and the terms of which a passage must contain one. */
type Sufficiency = { weak: Weak; strong: ImpactLevels[] };

/** The terms of the highest scores, by descending score. */
const mostImportant = (terms: ImpactLevels[]): ImpactLevels[] =>
  terms.toSorted((left, right) => highestScore(right) - highestScore(left)).slice(0, TERMS_MAX);

/** The terms to consider (see `CONSIDERED_SHARE`), by descending score; more if too few passages contain these. */
function chooseConsidered(terms: ImpactLevels[], { passageCount, budget }: Extent): ImpactLevels[] {
  const enough = CONSIDERED_SHARE * terms.reduce((sum, levels) => sum + highestScore(levels), 0);
  let [score, passages] = [0, 0];
  return mostImportant(terms).filter((levels) => {
    const isConsidered = score < enough || passages < budget;
    score += highestScore(levels);
    passages += passageCount * probabilityOf(levels);
    return isConsidered;
  });
}

/** The scans for `queries` and `further`, and the number of passages to expect of the latter. */
type Choice = { within: IndexScan; further: IndexScan; expected: number };

const NOTHING: IndexScan = { queries: [], work: 0 };

function chooseAmong(considered: ImpactLevels[], extent: Extent & Sufficiency): Choice {
  const { passageCount, budget } = extent;
  const rarestFirst = considered.toSorted((left, right) => probabilityOf(left) - probabilityOf(right));
  const chooseIn = (steps: number): Choice => {
    const { threshold, lower } = findThresholds(considered, budget / passageCount, steps);
    const within = scanAbove(threshold, rarestFirst, { ...extent, steps });
    if (lower === undefined) return { within, further: NOTHING, expected: 0 };
    const further = scanAbove(lower.threshold, rarestFirst, { ...extent, steps });
    return { within, further, expected: passageCount * lower.probability };
  };
  let steps = STEPS_MAX;
  let choice = chooseIn(steps);
  while ((isTooMuch(choice.within) || isTooMuch(choice.further)) && steps > STEPS_MIN)
    choice = chooseIn(--steps);
  return choice;
}

/**
 * The candidates for a query of these terms among `passageCount` passages.
 *
 * - About `budget` passages, and more if the terms often occur together.
 * - Further ones, if that threshold uses little of the budget.
 * - All passages that contain any of the terms that are not weak, if those are within the budget or the budget is
 *   `Infinity`. Then no larger set follows, which would be the same one.
 * - None that contain weak terms only.
 */
export function chooseCandidates(
  terms: ImpactLevels[],
  { weak = new Set(), ...given }: Extent & { weak?: Weak },
): CandidateQueries {
  const { passageCount, budget } = given;
  const strong = terms.filter((levels) => !weak.has(levels));
  const extent = { ...given, weak, strong };
  const expected = passageCount * strong.reduce((sum, levels) => sum + probabilityOf(levels), 0);
  if (Math.min(passageCount, expected) <= budget)
    return { queries: everyCandidate(strong), further: [], all: true };
  const considered = chooseConsidered(terms, extent);
  const choice = chooseAmong(considered, extent);
  // Where only some of the further candidates count, all terms help to tell the best of them.
  const { within, further } =
    choice.expected > FURTHER_MAX ? chooseAmong(mostImportant(terms), extent) : choice;
  const isEmpty = within.queries.length + further.queries.length === 0;
  return {
    queries: within.queries,
    further: isEmpty ? everyCandidate(considered.filter((levels) => !weak.has(levels))) : further.queries,
    all: false,
  };
}
