/**
 * Chooses the candidates of a query, which PostgreSQL's GIN index then finds: the passages whose terms together promise
 * a score among the best. Scoring every passage that holds any term of a query would cost a hundred times more.
 *
 * A passage's expected score is the sum of what its terms usually add. From the terms' document frequencies follows how
 * many passages to expect above any score. The threshold is set where that number meets the budget.
 *
 * The passages above the threshold are requested as tsqueries, one for each term that can be a passage's rarest. The
 * index walks along that term's list, and the rest of the tsquery says which other terms the passage must then hold.
 * One tsquery for all would be much slower: for each passage that it considers, the index would move along the list of
 * every operand, and it does not share the lists of repeated operands.
 */

/**
 * A way in which a passage holds a term: the tsquery operand that finds it, its expected score, and its share of
 * passages.
 */
export type Level = {
  operand: string;
  /** BM25 score that such a passage usually gets from the term. */
  worth: number;
  /** Share of the searched passages that hold the term at this level and at no higher one; in [0, 1]. */
  share: number;
};

/** A term's levels in ascending order; not empty. */
export type TermLevels = Level[];

/** A candidate matches any of the tsqueries. `all`: every passage that holds any of the terms is a candidate. */
export type CandidateQueries = { queries: string[]; all: boolean };

/**
 * Terms that the choice considers, the most valuable ones. More terms lengthen the conditions and hardly improve the
 * choice.
 */
const TERMS_MAX = 14;
/** Operands that the index may look at before the conditions use fewer steps; this many take some milliseconds. */
const WORK_MAX = 80_000;
/** Steps from zero to the threshold that conditions distinguish. More steps lengthen them and hardly improve them. */
const STEPS_MAX = 8;
/** With fewer steps, a pair of informative words and a pair of common ones would look the same. */
const STEPS_MIN = 3;
/** A level rounds up to the next step from this fraction of a step on. */
const ROUNDED_UP_FROM = 0.65;
/** Bins of the distribution of expected scores. */
const BINS = 400;

/** A condition on a passage: tsquery text with its number of operands; `true` always holds, `false` never. */
type Condition = { text: string; operands: number } | boolean;

const worthOf = (levels: TermLevels): number => levels[levels.length - 1]?.worth ?? 0;
const shareOf = (levels: TermLevels): number => levels.reduce((sum, { share }) => sum + share, 0);

/**
 * Share of passages by expected score, in `BINS` bins of `step`. Assumes that each word occurs independently of the
 * others.
 */
function distributeWorth(terms: TermLevels[], step: number): Float64Array {
  let shares = new Float64Array(BINS + 1);
  shares[0] = 1;
  for (const levels of terms) {
    const absent = Math.max(0, 1 - shareOf(levels));
    const next = shares.map((share) => share * absent);
    for (const { worth, share } of levels) {
      const steps = Math.round(worth / step);
      for (let bin = 0; bin <= BINS; bin++) {
        const reached = Math.min(BINS, bin + steps);
        next[reached] = (next[reached] ?? 0) + (shares[bin] ?? 0) * share;
      }
    }
    shares = next;
  }
  return shares;
}

/**
 * Where a threshold selects less than this part of the budget, the next lower one is used, although that exceeds the
 * budget.
 */
const BUDGET_USED_MIN = 1 / 8;

/**
 * The expected score above which at most `share` of the passages lie; undefined where all passages are within that
 * share.
 */
function findThreshold(terms: TermLevels[], share: number): number | undefined {
  const step = terms.reduce((sum, levels) => sum + worthOf(levels), 0) / BINS;
  const shares = distributeWorth(terms, step);
  let above = 0;
  for (let bin = BINS; bin > 0; bin--) {
    const here = shares[bin] ?? 0;
    if (here > 0 && above >= share * BUDGET_USED_MIN && above + here > share) {
      let lowest = bin + 1;
      while (lowest < BINS && shares[lowest] === 0) lowest++;
      return (lowest - 0.5) * step;
    }
    above += here;
  }
  return undefined;
}

function anyOf(conditions: Condition[]): Condition {
  if (conditions.includes(true)) return true;
  const texts = new Map<string, number>();
  for (const condition of conditions) {
    if (typeof condition === 'object') texts.set(condition.text, condition.operands);
  }
  if (texts.size === 0) return false;
  const operands = [...texts.values()].reduce((sum, count) => sum + count, 0);
  const text = [...texts.keys()].join('|');
  return { text: texts.size === 1 ? text : `(${text})`, operands };
}

function bothOf(left: Condition, right: Condition): Condition {
  if (left === false || right === false) return false;
  if (left === true) return right;
  if (right === true) return left;
  return { text: `${left.text}&${right.text}`, operands: left.operands + right.operands };
}

const isSame = (left: Condition, right: Condition): boolean =>
  left === right || (typeof left === 'object' && typeof right === 'object' && left.text === right.text);

const operandsOf = (condition: Condition): number => (typeof condition === 'object' ? condition.operands : 0);

/** A term's levels in ascending order, with their expected scores in steps of the threshold. */
type StepLevels = { operand: string; steps: number }[];

/**
 * Returns a function that returns the condition "the terms from index `from` up to, but without, `to` reach `needed`
 * steps". It keeps the condition short: it splits the terms in two at the better of two places.
 */
function createConditions(terms: StepLevels[]): (from: number, to: number, needed: number) => Condition {
  const known = new Map<string, Condition>();
  const most = terms.map((levels) => levels[levels.length - 1]?.steps ?? 0);
  const reachable = (from: number, to: number) => most.slice(from, to).reduce((sum, steps) => sum + steps, 0);

  const cutAt = (cut: number, from: number, to: number, needed: number): Condition => {
    const parts: Condition[] = [];
    let previousRight: Condition = false;
    for (let steps = 0; steps <= needed; steps++) {
      const left = conditionOn(from, cut, steps);
      if (left === false) break;
      // Where several steps share one left side, only the highest of them leaves the least to the right side.
      if (steps < needed && isSame(left, conditionOn(from, cut, steps + 1))) continue;
      const right = conditionOn(cut, to, needed - steps);
      if (right !== false && !isSame(right, previousRight)) parts.push(bothOf(left, right));
      previousRight = right;
    }
    return anyOf(parts);
  };
  const conditionOn = (from: number, to: number, needed: number): Condition => {
    if (needed <= 0) return true;
    if (reachable(from, to) < needed) return false;
    const key = `${from} ${to} ${needed}`;
    let condition = known.get(key);
    if (condition === undefined) {
      condition = to - from === 1 ? single(terms[from] ?? [], needed) : shorterOf(from, to, needed);
      known.set(key, condition);
    }
    return condition;
  };
  const shorterOf = (from: number, to: number, needed: number): Condition => {
    const afterFirst = cutAt(from + 1, from, to, needed);
    const middle = (from + to) >> 1;
    if (middle === from + 1) return afterFirst;
    const inMiddle = cutAt(middle, from, to, needed);
    return operandsOf(inMiddle) < operandsOf(afterFirst) ? inMiddle : afterFirst;
  };
  return conditionOn;
}

/** The lowest level that reaches `needed` steps. */
function single(levels: StepLevels, needed: number): Condition {
  const level = levels.find(({ steps }) => steps >= needed);
  return level === undefined ? false : { text: level.operand, operands: 1 };
}

/** tsqueries, and the work of the index: operands that it looks at, over all passages that it goes through. */
type IndexScan = { queries: string[]; work: number };

/**
 * Returns one tsquery for each term: it matches the passages above the threshold that hold this term and no earlier
 * one. The terms are sorted by rarity, so the index goes along one list for each tsquery. A rarer term in the condition
 * would add its own list.
 */
function scanAbove(
  threshold: number,
  terms: TermLevels[],
  { steps: needed, passageCount }: { steps: number; passageCount: number },
): IndexScan {
  const stepsOf = (worth: number) =>
    Math.min(needed, Math.floor((worth * needed) / threshold + 1 - ROUNDED_UP_FROM));
  const inSteps = terms.map((levels) =>
    levels.map(({ operand, worth }) => ({ operand, steps: stepsOf(worth) })),
  );
  const conditionOn = createConditions(inSteps);
  const enoughAlone: Condition[] = [];
  const queries: string[] = [];
  let work = 0;
  inSteps.forEach((levels, place) => {
    levels.forEach(({ operand, steps }, level) => {
      // A level without more steps than the one below adds no passages: the lower level, or a later term, finds them.
      if (steps === (levels[level - 1]?.steps ?? 0)) return;
      const others = conditionOn(place + 1, terms.length, needed - steps);
      const query = bothOf({ text: operand, operands: 1 }, others);
      const holding = passageCount * shareOf(terms[place]?.slice(level) ?? []);
      if (typeof query === 'object') work += holding * query.operands;
      if (others === true) enoughAlone.push(query);
      else if (typeof query === 'object') queries.push(query.text);
    });
  });
  const alone = anyOf(enoughAlone);
  return { queries: typeof alone === 'object' ? [alone.text, ...queries] : queries, work };
}

/** Every passage that holds any of the terms. */
function everyCandidate(terms: TermLevels[]): string[] {
  const any = anyOf(terms.map(([least]) => (least ? { text: least.operand, operands: 1 } : false)));
  return typeof any === 'object' ? [any.text] : [];
}

/**
 * The candidates for a query of these terms among `passageCount` passages.
 *
 * - About `budget` passages, and more where the terms occur together.
 * - All passages that hold any of the terms, where those are within the budget or the budget is `Infinity`.
 */
export function chooseCandidates(
  terms: TermLevels[],
  { passageCount, budget }: { passageCount: number; budget: number },
): CandidateQueries {
  const expected = passageCount * terms.reduce((sum, levels) => sum + shareOf(levels), 0);
  if (expected <= budget) return { queries: everyCandidate(terms), all: true };
  const byWorth = terms.toSorted((left, right) => worthOf(right) - worthOf(left));
  const mostValuable = byWorth.slice(0, TERMS_MAX);
  const threshold = findThreshold(mostValuable, budget / passageCount);
  if (threshold === undefined) return { queries: everyCandidate(mostValuable), all: false };
  const rarestFirst = mostValuable.toSorted((left, right) => shareOf(left) - shareOf(right));
  let scan: IndexScan;
  let steps = STEPS_MAX;
  do scan = scanAbove(threshold, rarestFirst, { steps, passageCount });
  while (scan.work > WORK_MAX && --steps >= STEPS_MIN);
  return { queries: scan.queries.length > 0 ? scan.queries : everyCandidate(mostValuable), all: false };
}
