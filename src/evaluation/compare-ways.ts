/** Compares ways to find, by the answers to the same questions. */
import { type Interval, intervalOfMean } from './interval.ts';
import { DEPTH, type Grades, type Measured, mean, measureAnswer, median } from './measures.ts';
import { type Asked, BASELINE, BY_COST, WAY_NAMES, type Way } from './ways.ts';

/**
 * `documents`: best first, each once. `milliseconds`: undefined where it does not count. `warning`: what did not run,
 * as the service says it.
 */
export type Answer = { documents: string[]; milliseconds?: number | undefined; warning?: string | undefined };

/** The passages that a query has found, best first. */
export type FoundPassages = readonly { document_id: string }[] & {
  warnings?: readonly { code: string; message: string }[];
};

/** Codes of warnings that a part of the search did not run. LANGUAGE_DIFFERS, for one, is about the question. */
const DID_NOT_RUN = /^(?:MEANING|RERANK)_/;

/** The answer that a query has given: its documents in the order of their best passages. */
export const toAnswer = ({ found, milliseconds }: Asked<FoundPassages>): Answer => ({
  documents: [...new Set(found.map(({ document_id }) => document_id))],
  milliseconds,
  warning: found.warnings?.find(({ code }) => DID_NOT_RUN.test(code))?.message,
});

/** A question with its judged documents, and the answer of each way. */
export type Answered = { grades: Grades; answers: ReadonlyMap<Way, Answer> };

/**
 * `interval`: of `ndcg`, the mean of nDCG@10. `foundWithin`: the share of questions that have a right document among
 * the first 1, 2 … 10. `better`, `worse`: questions with another nDCG@10 than by BASELINE.
 */
export type WayFigures = {
  way: Way;
  ndcg: number;
  interval: Interval;
  foundWithin: number[];
  better: number;
  worse: number;
  medianMs: number | undefined;
};

/** The answers in which a part of the way did not run, and what the service says of the first of them. */
export type Degraded = { way: Way; count: number; warning: string };

/**
 * `rows`: the ways that differ, BASELINE first. `same`: those that answered every question as another way did. `taken`:
 * the way to take. `rival`: the way with the highest nDCG@10, if `taken` is another one. `gain`: the difference of
 * `rival`, or else of `taken`, to the next cheaper way that it is compared with.
 */
export type Comparison = {
  questions: number;
  rows: WayFigures[];
  same: { way: Way; as: Way }[];
  degraded: Degraded[];
  taken: WayFigures;
  rival: WayFigures | undefined;
  gain: Gain | undefined;
};

/** The difference in nDCG@10 to `from`. `better`, `worse`: the numbers of questions. */
export type Gain = { from: WayFigures; mean: number; interval: Interval; better: number; worse: number };

/** Differences below this are none: sums of the same numbers in another order. */
const EQUAL = 1e-9;

/** `documents`: of each answer; undefined: a part of the way did not run, so they say nothing about it. */
type MeasuredWay = {
  way: Way;
  measured: Measured[];
  milliseconds: number[];
  documents: (string | undefined)[];
};

function measureWay(way: Way, answered: readonly Answered[]): MeasuredWay {
  const answers = answered.map(({ answers }) => answers.get(way) ?? { documents: [] });
  return {
    way,
    measured: answers.map(({ documents }, i) => measureAnswer(documents, answered[i]?.grades ?? new Map())),
    milliseconds: answers.flatMap(({ milliseconds }) => milliseconds ?? []),
    documents: answers.map(({ documents, warning }) =>
      warning === undefined ? documents.slice(0, DEPTH).join(' ') : undefined,
    ),
  };
}

const differences = (way: MeasuredWay, from: MeasuredWay): number[] =>
  way.measured.map(({ ndcg }, i) => ndcg - (from.measured[i]?.ndcg ?? 0));

const countBetter = (given: readonly number[]): number => given.filter((each) => each > EQUAL).length;
const countWorse = (given: readonly number[]): number => given.filter((each) => each < -EQUAL).length;

function toFigures(of: MeasuredWay, baseline: MeasuredWay): WayFigures {
  const scores = of.measured.map(({ ndcg }) => ndcg);
  const changes = differences(of, baseline);
  const within = (places: number) =>
    mean(of.measured.map(({ firstRight = Number.POSITIVE_INFINITY }) => (firstRight <= places ? 1 : 0)));
  return {
    way: of.way,
    ndcg: mean(scores),
    interval: intervalOfMean(scores),
    foundWithin: Array.from({ length: DEPTH }, (_, index) => within(index + 1)),
    better: countBetter(changes),
    worse: countWorse(changes),
    medianMs: median(of.milliseconds),
  };
}

/**
 * The cheapest of these ways that has answered every question as this one, where both have run whole: itself, if its
 * answers are others.
 */
function cheapestAlike(way: MeasuredWay, ways: MeasuredWay[]): MeasuredWay {
  const isAlike = ({ documents }: MeasuredWay) =>
    documents.every((each, i) => {
      const own = way.documents[i];
      return each === own || each === undefined || own === undefined;
    });
  return ways.find(isAlike) ?? way;
}

function gainOf(of: MeasuredWay, from: MeasuredWay, figuresOf: (of: MeasuredWay) => WayFigures): Gain {
  const changes = differences(of, from);
  return {
    from: figuresOf(from),
    mean: mean(changes),
    interval: intervalOfMean(changes),
    better: countBetter(changes),
    worse: countWorse(changes),
  };
}

/**
 * The way to take, from the cheapest on: a dearer one takes its place if the whole interval of its gain is above 0.
 * `byCost`: at least one.
 */
function choose(
  [cheapest, ...dearer]: [MeasuredWay, ...MeasuredWay[]],
  figuresOf: (of: MeasuredWay) => WayFigures,
): Pick<Comparison, 'taken' | 'rival' | 'gain'> {
  let [taken, gain, best]: [MeasuredWay, Gain | undefined, MeasuredWay] = [cheapest, undefined, cheapest];
  for (const way of dearer) {
    const possible = gainOf(way, taken, figuresOf);
    if (possible.interval.low > 0) [taken, gain] = [way, possible];
    if (figuresOf(way).ndcg > figuresOf(best).ndcg + EQUAL) best = way;
  }
  if (figuresOf(best).ndcg <= figuresOf(taken).ndcg + EQUAL)
    return { taken: figuresOf(taken), rival: undefined, gain };
  return { taken: figuresOf(taken), rival: figuresOf(best), gain: gainOf(best, taken, figuresOf) };
}

function findDegraded(way: Way, answered: readonly Answered[]): Degraded[] {
  const warnings = answered.flatMap(({ answers }) => answers.get(way)?.warning ?? []);
  const [warning] = warnings;
  return warning === undefined ? [] : [{ way, count: warnings.length, warning }];
}

/** Compares the ways that have answered. undefined without an answer by BASELINE, which is the cheapest. */
export function compareWays(answered: readonly Answered[]): Comparison | undefined {
  const ways = WAY_NAMES.filter((way) => answered.some(({ answers }) => answers.has(way)));
  const all = ways.map((way) => measureWay(way, answered));
  const [baseline, ...dearer] = BY_COST.flatMap((way) => all.find((each) => each.way === way) ?? []);
  if (baseline?.way !== BASELINE) return undefined;
  const alike = new Map(all.map((each) => [each, cheapestAlike(each, [baseline, ...dearer])]));
  const figures = new Map(all.map((each) => [each, toFigures(each, baseline)]));
  const figuresOf = (of: MeasuredWay) => figures.get(of) ?? toFigures(of, baseline);
  const differing = (each: MeasuredWay) => alike.get(each) === each;
  return {
    questions: answered.length,
    rows: all.filter(differing).map(figuresOf),
    same: [...alike].filter(([each, as]) => each !== as).map(([each, as]) => ({ way: each.way, as: as.way })),
    degraded: ways.flatMap((way) => findDegraded(way, answered)),
    ...choose([baseline, ...dearer.filter(differing)], figuresOf),
  };
}
