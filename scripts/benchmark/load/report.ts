/** The results of a load: as a table with notes for people, and as a plot. */
import { alignColumns, formatNumber } from '../measuring/figures.ts';
import type { LoadResult } from './load.ts';
import type { Loop } from './loops.ts';
import { type Panel, plotPanels, type Series } from './plot.ts';

const nameLoop = (loop: Loop): string =>
  'perSecond' in loop ? `open, ${loop.perSecond}/s` : `closed, ${loop.connections}`;

const nameSize = ({ size }: LoadResult): string[] => [
  size?.passages.toLocaleString('en') ?? 'as it is',
  size?.knowledgeBases.toLocaleString('en') ?? '',
];

const HEADER = ['passages', 'in', 'loop', 'answers/s', 'p50', 'p95', 'p99', 'p99.9', 'longest ms'];
const COLUMNS = [...HEADER, 'errors', 'cost of 1,000 queries'];

/** Processor time where the programs run on this machine; else credits. */
function describeCost({ usedPerQuery: { serverSeconds, databaseSeconds, credits } }: LoadResult): string {
  const [servers, database] = [1000 * serverSeconds, 1000 * databaseSeconds].map(formatNumber);
  if (serverSeconds + databaseSeconds > 0)
    return databaseSeconds > 0
      ? `${servers} s of servers, ${database} s of PostgreSQL`
      : `${servers} s of servers`;
  return `${formatNumber(1000 * credits)} credits`;
}

function rowOf(result: LoadResult): string[] {
  const { ms, answered, answeredPerSecond, requests } = result.queries;
  const times = [ms.p50, ms.p95, ms.p99, ms.p999, ms.longest].map(formatNumber);
  const rate = formatNumber(answeredPerSecond);
  const errors = String(requests - answered);
  return [...nameSize(result), nameLoop(result.loop), rate, ...times, errors, describeCost(result)];
}

/** What the table leaves out: errors by code, the imports, and whether this process was too slow. */
function notesOf(result: LoadResult): string[] {
  const { loop, queries, imports, client } = result;
  const notes: string[] = [];
  for (const [code, count] of Object.entries(queries.errors)) notes.push(`${code}: ${count} queries`);
  if (imports !== undefined) {
    const { answered, requests, answeredPerSecond, ms } = imports;
    const [rate, p50, p99] = [answeredPerSecond, ms.p50, ms.p99].map(formatNumber);
    notes.push(
      `${rate} imports a second beside it, p50 ${p50} ms, p99 ${p99} ms; ${requests - answered} errors`,
    );
  }
  if (client.isBottleneck) {
    const [cores, late] = [client.cores, client.lateMs].map(formatNumber);
    const reason = `it kept ${cores} cores busy, and sent 1 % of the queries at least ${late} ms late`;
    notes.push(`the times are partly those of this process, the bottleneck: ${reason}`);
  }
  const [passages, knowledgeBases] = nameSize(result);
  const subject = [passages, knowledgeBases && `in ${knowledgeBases}`, nameLoop(loop)]
    .filter(Boolean)
    .join(' ');
  return notes.map((note) => `${subject}: ${note}.`);
}

/** A line for each loop, then the notes. Times are in milliseconds. */
export function formatResults(results: LoadResult[]): string {
  const table = alignColumns([COLUMNS, ...results.map(rowOf)], [0, 1, 3, 4, 5, 6, 7, 8, 9]);
  const notes = results.flatMap(notesOf).map((note) => `${note}\n`);
  return [table, ...notes].join('');
}

const PERCENTILES = ['p50', 'p95', 'p99'] as const;

/** Percentiles by the number of passages, a colour for each number of knowledge bases. */
function seriesBySize(results: LoadResult[]): Series[] {
  const groups = [...Map.groupBy(results, ({ size }) => size?.knowledgeBases ?? 0)];
  return groups.flatMap(([knowledgeBases, own], colour) =>
    PERCENTILES.slice(0, 2).map((name, style) => ({
      name: `${name}, ${knowledgeBases.toLocaleString('en')} knowledge base${knowledgeBases === 1 ? '' : 's'}`,
      colour,
      style,
      points: own.map(({ size, queries }) => [size?.passages ?? 0, queries.ms[name]] as const),
    })),
  );
}

/** Percentiles of each second. */
const seriesByTime = ({ queries }: LoadResult): Series[] =>
  PERCENTILES.map((name, colour) => ({
    name,
    colour,
    style: 0,
    points: queries.bySecond.map((times) => [times.second, times[name]] as const),
  }));

const Y_LABEL = 'milliseconds';

const titleOf = (loop: Loop): string =>
  'perSecond' in loop
    ? `${loop.perSecond} queries a second`
    : loop.connections === 1
      ? '1 client that waits for its answers'
      : `${loop.connections} clients that wait for their answers`;

/** Plots times by size, if there are several, else by time: a panel for each loop. */
export function plotResults(results: LoadResult[]): string {
  const sizes = new Set(results.map(({ size }) => size?.passages));
  if (sizes.size === 1) {
    const panels = results.map((result): Panel => {
      const [passages, knowledgeBases] = nameSize(result);
      const subject = result.size === undefined ? '' : `${passages} passages in ${knowledgeBases}: `;
      const title = subject + titleOf(result.loop);
      return {
        title,
        xLabel: 'seconds',
        yLabel: Y_LABEL,
        isLogarithmic: false,
        series: seriesByTime(result),
      };
    });
    return plotPanels(panels);
  }
  const byLoop = [...Map.groupBy(results, ({ loop }) => titleOf(loop))];
  return plotPanels(
    byLoop.map(([title, own]) => ({
      title,
      xLabel: 'passages',
      yLabel: Y_LABEL,
      isLogarithmic: true,
      series: seriesBySize(own),
    })),
  );
}
