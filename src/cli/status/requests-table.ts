/** The table of requests: a row for each operation, with its figures of now and since the start. */
import { style } from '../../terminal/terminal.ts';
import { formatRate, formatSeconds } from './figures.ts';
import type { Requests } from './period.ts';

/** The columns of a usual terminal. */
export const WIDTH = 80;

/** The requests of all operations, or of one, now and since the start. */
export type Row = { name: string; now: Requests | undefined; sinceStart: Requests | undefined };

export const NONE: Requests = {
  count: 0,
  perSecond: 0,
  p50Seconds: null,
  p95Seconds: null,
  p99Seconds: null,
  faults: 0,
};

/** The columns of the requests, from the left. */
const COLUMNS: { title: string; width: number; isPast: boolean; format(requests: Requests): string }[] = [
  { title: 'a second', width: 9, isPast: false, format: ({ perSecond }) => formatRate(perSecond) },
  { title: 'p50', width: 8, isPast: false, format: ({ p50Seconds }) => formatSeconds(p50Seconds) },
  { title: 'p95', width: 8, isPast: false, format: ({ p95Seconds }) => formatSeconds(p95Seconds) },
  { title: 'p99', width: 8, isPast: false, format: ({ p99Seconds }) => formatSeconds(p99Seconds) },
  { title: 'count', width: 10, isPast: true, format: ({ count }) => String(count) },
  { title: 'p95', width: 8, isPast: true, format: ({ p95Seconds }) => formatSeconds(p95Seconds) },
  { title: '5xx', width: 5, isPast: true, format: ({ faults }) => String(faults) },
];

/** The widest name of an operation, with a space. */
const NAME_WIDTH = 20;

export function formatRow({ name, now, sinceStart = NONE }: Row): string {
  const cells = COLUMNS.map(({ isPast, width, format }) => {
    const requests = isPast ? sinceStart : now;
    return (requests === undefined ? '-' : format(requests)).padStart(width);
  });
  return name.padEnd(NAME_WIDTH) + cells.join('');
}

/** The two lines above the rows: the periods, and the titles below them. */
export function headRows(interval: string): [string, string] {
  const widthOf = (isPast: boolean) =>
    COLUMNS.filter((each) => each.isPast === isPast).reduce((sum, { width }) => sum + width, 0);
  const periods = interval.padStart(widthOf(false)) + 'since the start'.padStart(widthOf(true));
  const titles = COLUMNS.map(({ title, width }) => title.padStart(width)).join('');
  return [style('bold', 'REQUESTS'.padEnd(NAME_WIDTH)) + periods, ' '.repeat(NAME_WIDTH) + titles];
}
