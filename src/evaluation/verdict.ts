/** Says in a sentence which way to take, and how much the questions say. */
import type { Comparison, Gain, WayFigures } from './compare-ways.ts';
import { WAYS } from './ways.ts';

/** Fewer questions say little, whatever the interval is: percentiles of so few values are too narrow. */
export const QUESTIONS_ENOUGH = 20;
/** More questions than this are no advice. */
const QUESTIONS_ADVISED_MAX = 1_000;

/** .7124 → `0.712` */
export const formatFigure = (figure: number): string => figure.toFixed(3);

/** .0312 → `+0.031`; −.04 → `−0.040` */
export const formatDifference = (difference: number): string =>
  `${difference < 0 ? '−' : '+'}${formatFigure(Math.abs(difference))}`;

/** `nDCG@10 0.712 instead of 0.600 by words` */
const beside = (way: WayFigures, { from }: Gain): string =>
  `nDCG@10 ${formatFigure(way.ndcg)} instead of ${formatFigure(from.ndcg)} by ${from.way}`;

const changed = ({ better, worse }: Gain): string => `${better} questions better, ${worse} worse`;

const range = ({ interval: { low, high } }: Gain): string =>
  `${formatDifference(low)} to ${formatDifference(high)}`;

/** How many questions would tell a difference of this size from chance: the interval narrows by their square root. */
function questionsNeeded(questions: number, { mean, interval }: Gain): number {
  return Math.ceil((questions * ((interval.high - interval.low) / 2 / mean) ** 2) / 10) * 10;
}

function adviceOf(questions: number, gain: Gain): string {
  const needed = questionsNeeded(questions, gain);
  return needed <= QUESTIONS_ADVISED_MAX && needed > questions ? `; some ${needed} questions may` : '';
}

/** `both (the default)`; where a reranker is set, and is not taken: how to leave it out. */
function named({ way }: WayFigures, rows: readonly WayFigures[]): string {
  const hasReranker = way !== 'rerank' && rows.some((row) => row.way === 'rerank');
  return `${way} (${WAYS[way].how}${hasReranker ? ', "rerank": false' : ''})`;
}

/** The sentence about few questions. */
function describeFew({ questions, taken, rival, gain }: Comparison): string {
  const count = questions === 1 ? 'One question says' : `${questions} questions say`;
  const more = `Ask ${QUESTIONS_ENOUGH} or more.`;
  if (gain === undefined) return `${count} too little, and nothing better than ${taken.way} so far. ${more}`;
  const leading = rival ?? taken;
  return (
    `${count} too little to take one: ${leading.way} leads by ${formatDifference(gain.mean)} ` +
    `(${beside(leading, gain)}; ${changed(gain)}), but that may be ${range(gain)}. ${more}`
  );
}

/** One sentence: which way to take, by how much it is better, and within which bounds in 95 of 100 cases. */
export function describeVerdict(comparison: Comparison): string {
  const { questions, rows, taken, rival, gain } = comparison;
  if (rows.length < 2)
    return `Take ${named(taken, rows)}: every other way found the same documents in the same order.`;
  if (questions < QUESTIONS_ENOUGH) return describeFew(comparison);
  const take = `Take ${named(taken, rows)}`;
  if (gain === undefined)
    return `${take}: nothing else has a higher nDCG@10 than its ${formatFigure(taken.ndcg)}.`;
  if (rival === undefined)
    return `${take}: ${beside(taken, gain)}, ${changed(gain)}; the gain is ${range(gain)} in 95 of 100 cases.`;
  return (
    `${take}: ${rival.way} has ${beside(rival, gain)} (${changed(gain)}), ` +
    `but ${questions} questions do not tell that ` +
    `from chance (${range(gain)} in 95 of 100 cases)${adviceOf(questions, gain)}.`
  );
}

/** Questions need not have shown it. */
const LIMIT_OF_MEANING =
  'By meaning alone, names, numbers and codes are not found: take it only where nobody asks for these.';

/** One sentence for all ways that found the same as another, for one reason. */
function describeSame(same: Comparison['same']): string[] {
  const sameBy = Map.groupBy(same, ({ way, as }) => {
    const { needs } = WAYS[way];
    const reason =
      needs === WAYS[as].needs ? '' : `: the service has no ${needs}, or that changes nothing here`;
    return `found the same as ${as}${reason}.`;
  });
  return [...sameBy].map(([found, ways]) => `${enumerate(ways.map(({ way }) => way))} ${found}`);
}

/** `a`; `a and b`; `a, b and c` */
const enumerate = (names: string[]): string => names.join(', ').replace(/, ([^,]*)$/, ' and $1');

/** What to know besides: which ways found the same as a cheaper one, what did not always run, and what a way cannot. */
export const describeNotes = ({ same, degraded, questions, taken }: Comparison): string[] => [
  ...describeSame(same),
  ...degraded.map(
    ({ way, count, warning }) =>
      `${count} of ${questions} answers by ${way} are not what they could be. ${warning}`,
  ),
  ...(taken.way === 'meaning' ? [LIMIT_OF_MEANING] : []),
];
