/** Writes a chart as the table of its values: each row a category, each column a series. */
import { DATA_TABLE, writeElement } from '../../../rendering/html-renderer.ts';
import type { RenderedEvents } from '../../../rendering/repeated-blocks.ts';

/** Texts by the number of their point, from 0. */
export type Points = ReadonlyMap<number, string>;

/** `values`: the numbers of the series, and others such as the sizes of bubbles, each with its name. */
export type Series = { categories: Points; values: { name: string; points: Points }[] };

/** `title`: the chart's title first, then other texts of it. `categoryName`: the title of the axis of categories. */
export type Chart = { titles: string[]; categoryName: string; series: Series[] };

/** Further levels of categories are left out. */
const LEVELS_MAX = 8;

/**
 * Joins the levels of categories, of which the innermost comes first: `2023 Q1`. An outer category is written once, and
 * holds up to the next one.
 */
export function joinLevels(levelPoints: readonly Points[]): Points {
  const [innermost = new Map(), ...outer] = levelPoints.slice(0, LEVELS_MAX);
  const numbers = [...innermost.keys()].sort((a, b) => a - b);
  const joined = new Map<number, string>();
  const levels = outer
    .reverse()
    .map((points) => ({ points: [...points].sort(([a], [b]) => a - b), next: 0 }));
  for (const number of numbers) {
    const names = levels.map((level) => {
      while ((level.points[level.next]?.[0] ?? Number.POSITIVE_INFINITY) <= number) level.next++;
      return level.points[level.next - 1]?.[1] ?? '';
    });
    joined.set(number, [...names, innermost.get(number) ?? ''].filter(Boolean).join(' '));
  }
  return joined;
}

export function writeChart(renderer: RenderedEvents, { titles, categoryName, series }: Chart): void {
  for (const title of titles) if (title.trim() !== '') writeElement(renderer, 'p', title);
  for (const group of withSameCategories(series)) {
    if (isFilled(group)) writeTable(renderer, categoryName, group);
    else for (const one of group) writeTable(renderer, categoryName, [one]);
  }
}

/** A table may have this many times as many cells as values; series that share no rows have tables of their own. */
const CELLS_OF_VALUE_MAX = 20;

function isFilled(series: readonly Series[]): boolean {
  const columns = series.flatMap(({ values }) => values);
  const values = columns.reduce((sum, { points }) => sum + points.size, 0);
  return rowsOf(series).length * columns.length <= CELLS_OF_VALUE_MAX * (values + series.length);
}

/** The numbers of all points, in ascending order. */
function rowsOf(series: readonly Series[]): number[] {
  const rows = new Set(series[0]?.categories.keys());
  for (const { values } of series)
    for (const { points } of values) for (const number of points.keys()) rows.add(number);
  return [...rows].sort((a, b) => a - b);
}

/** Divides series that follow each other into groups with the same categories. */
function withSameCategories(series: readonly Series[]): Series[][] {
  const groups: Series[][] = [];
  let before = '';
  for (const one of series) {
    const key = JSON.stringify([...one.categories]);
    const last = groups.at(-1);
    if (last && key === before) last.push(one);
    else groups.push([one]);
    before = key;
  }
  return groups;
}

function writeTable(renderer: RenderedEvents, categoryName: string, series: readonly Series[]): void {
  const categories: Points = series[0]?.categories ?? new Map();
  const columns = series.flatMap(({ values }) => values);
  const names = [categoryName, ...columns.map(({ name }) => name)];
  renderer.open('table', DATA_TABLE);
  if (names.some((name) => name.trim() !== '')) writeRow(renderer, 'th', names);
  for (const row of rowsOf(series)) {
    // A category without a name is shown by its number.
    const category = categories.get(row) ?? String(row + 1);
    writeRow(renderer, 'td', [category, ...columns.map(({ points }) => points.get(row) ?? '')]);
  }
  renderer.close('table');
}

function writeRow(renderer: RenderedEvents, cell: 'td' | 'th', texts: readonly string[]): void {
  renderer.open('tr');
  for (const text of texts) writeElement(renderer, cell, text);
  renderer.close('tr');
}
