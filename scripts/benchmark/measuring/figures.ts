/** The results of a benchmark: named figures with their targets, as a table and as JSON. */

/** The target, in the figure's own unit. */
export type Target = { atLeast: number } | { atMost: number };

/** One measured number. A figure without a target only explains the others. */
export type Figure = { name: string; value: number; unit: string; target?: Target };

/** Receives the results of a part: `progress` for people who wait, `note` for how it was measured. */
export type Report = {
  progress(text: string): void;
  note(text: string): void;
  figure(figure: Figure): void;
};

/** Whether a figure meets its target; undefined without a target. */
export function isMet({ value, target }: Figure): boolean | undefined {
  if (target === undefined) return undefined;
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost;
}

/** Three significant digits: a shared machine does not reproduce more. */
export const formatNumber = (value: number): string =>
  value.toLocaleString('en', value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 });

function formatTarget({ target }: Figure): string {
  if (target === undefined) return '';
  return 'atLeast' in target ? `≥ ${formatNumber(target.atLeast)}` : `≤ ${formatNumber(target.atMost)}`;
}

function formatVerdict(figure: Figure): string {
  const met = isMet(figure);
  if (met === undefined) return '';
  return met ? 'met' : 'MISSED';
}

/** Rows of cells as lines of aligned columns. Those of the indexes `numeric` are aligned to the right. */
export function alignColumns(rows: string[][], numeric: number[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const format = (row: string[]) =>
    row
      .map((cell, column) =>
        numeric.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${format(row)}\n`).join('');
}

/** The figures as lines of aligned columns: name, value with unit, target, verdict. */
export function formatTable(figures: Figure[]): string {
  const rows = figures.map((figure) => {
    const { name, value, unit } = figure;
    return [name, formatNumber(value), unit, formatTarget(figure), formatVerdict(figure)];
  });
  return alignColumns([['', 'figure', '', 'target', ''], ...rows], [1, 3]);
}
