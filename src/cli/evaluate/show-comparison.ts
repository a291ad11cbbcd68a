/** A comparison of ways to find, for the terminal: a table, a plot, and what to take. */
import type { Answered, Comparison, WayFigures } from '../../evaluation/compare-ways.ts';
import { measureAnswer } from '../../evaluation/measures.ts';
import { describeNotes, describeVerdict, formatFigure } from '../../evaluation/verdict.ts';
import { printTable } from '../../terminal/table.ts';
import { note, print, style, terminalColumns } from '../../terminal/terminal.ts';

const percent = (share: number | undefined): string => `${Math.round(100 * (share ?? 0))} %`;

const toRow = ({ way, ndcg, foundWithin, better, worse, medianMs }: WayFigures) => ({
  by: way,
  'nDCG@10': formatFigure(ndcg),
  'right one first': percent(foundWithin[0]),
  'in the first 5': percent(foundWithin[4]),
  'first 10': percent(foundWithin[9]),
  better: String(better),
  worse: String(worse),
  'median time': medianMs === undefined ? '-' : `${medianMs.toFixed(medianMs < 10 ? 1 : 0)} ms`,
});

/** Columns of a plot, where the terminal has them. */
const PLOT_WIDTH = 60;
const PLOT_MARGIN = 16;

/** `├──●────┤`: an interval and its middle, at their places from 0 to 1. */
function drawInterval({ ndcg, interval: { low, high } }: WayFigures, width: number): string {
  const columnOf = (figure: number) => Math.round(figure * (width - 1));
  const [from, middle, to] = [columnOf(low), columnOf(ndcg), columnOf(high)];
  return Array.from({ length: to + 1 }, (_, column) => {
    if (column === middle) return '●';
    if (column < from) return ' ';
    return column === from ? '├' : column === to ? '┤' : '─';
  }).join('');
}

/** A line for each way: its nDCG@10 from 0 to 1, with the interval that has it in 95 of 100 cases. */
function printPlot(rows: readonly WayFigures[]): void {
  const width = Math.max(20, Math.min(PLOT_WIDTH, (terminalColumns() ?? 100) - PLOT_MARGIN));
  print(`nDCG@10 from 0 to 1, and where it is in 95 of 100 cases`);
  for (const row of rows)
    print(
      `${row.way.padEnd(8)} ${formatFigure(row.ndcg)} ${style('cyan', drawInterval(row, width))}`.trimEnd(),
    );
  print(`${' '.repeat(15)}${'0'.padEnd(width - 1)}1`);
}

/** Prints table, plot and verdict. */
export async function showComparison(comparison: Comparison): Promise<void> {
  await printTable(comparison.rows.map(toRow));
  print('');
  printPlot(comparison.rows);
  print('');
  print(style('bold', describeVerdict(comparison)));
  for (const sentence of describeNotes(comparison)) note(sentence);
}

/** Prints each question with the place of its first right document by each way; `-`: not among the first ten. */
export async function showQuestions(
  questions: readonly (Answered & { question: string })[],
  { rows }: Comparison,
): Promise<void> {
  const places = ({ answers, grades }: Answered) =>
    rows.map(({ way }) => {
      const { firstRight } = measureAnswer(answers.get(way)?.documents ?? [], grades);
      return [way, String(firstRight ?? '-')];
    });
  await printTable(
    questions.map((answered) => ({ ...Object.fromEntries(places(answered)), question: answered.question })),
  );
  print('');
}
