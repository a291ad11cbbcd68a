/** A reading as lines for people: at most 80 columns, or those of a narrower terminal; the most important first. */
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { formatBytes, pluralise } from '../../terminal/formats.ts';
import { style, toVisibleLine } from '../../terminal/terminal.ts';
import { formatRate, formatSeconds, formatShare } from './figures.ts';
import { fitRows, type Line } from './fit-screen.ts';
import type { Period } from './period.ts';
import { findProblems, IMPORT_QUEUE } from './problems.ts';
import type { Reading, ServerState, Storage } from './reading.ts';
import { formatRow, headRows, NONE, type Row, WIDTH } from './requests-table.ts';

/** Operations that a low terminal shows rather than details. */
const FIRST_OPERATIONS = 3;

const INDENT = ' '.repeat(10);

/** A line of as many names as fit, with commas between. */
function listThatFits(beginning: string, names: string[]): string {
  let line = beginning + (names[0] ?? '');
  for (const name of names.slice(1)) {
    const longer = `${line}, ${name}`;
    if (stringWidth(longer) > WIDTH) break;
    line = longer;
  }
  return line;
}

/** A line that begins with the name of its part. */
const part = (name: string, text: string): string => `${style('bold', name.padEnd(INDENT.length))}${text}`;

/** All operations: those that are busy now, then those with most requests since the start. */
function toRows({ now, sinceStart }: Reading): Row[] {
  const busy = new Map(now?.operations.map((each) => [each.operation, each]));
  const names = new Set([...busy.keys(), ...sinceStart.operations.map(({ operation }) => operation)]);
  const all = new Map(sinceStart.operations.map((each) => [each.operation, each]));
  return [...names].map((name) => ({
    name: name === 'other' ? 'unknown paths' : name,
    now: now ? (busy.get(name) ?? NONE) : undefined,
    sinceStart: all.get(name),
  }));
}

function describeAnswers({ answers, requests: { count } }: Period): string {
  if (count === 0) return 'none';
  const kinds = [
    [answers.successes, 'ok'],
    [answers.refusals, '4xx'],
    [answers.rateLimited, '429'],
    [answers.faults, '5xx'],
    [answers.overloaded, '503'],
    [answers.hungUp, 'hung up'],
  ] as const;
  return kinds
    .filter(([number]) => number > 0)
    .map(([number, kind]) => `${formatShare(number / count)} ${kind}`)
    .join(', ');
}

function listSlowest({ operations }: Period): string[] {
  const slowest = operations.toSorted((left, right) => (right.p95Seconds ?? 0) - (left.p95Seconds ?? 0));
  const names = slowest.map(({ operation, p95Seconds }) => `${operation} ${formatSeconds(p95Seconds)}`);
  return names.length === 0 ? [] : [listThatFits(`${INDENT}slowest (95 % within): `, names)];
}

const essential = (text: string): Line => ({ text, kind: 'essential' });
const past = (text: string): Line => ({ text, kind: 'past' });
const detail = (text: string): Line => ({ text, kind: 'detail' });
const space = (): Line => ({ text: '', kind: 'space' });

function showRequests(reading: Reading, columns: number): Line[] {
  const { now, sinceStart } = reading;
  const interval = now === null ? '(one reading)' : `in the last ${formatSeconds(now.seconds)}`;
  const all = { name: 'all', now: now?.requests, sinceStart: sinceStart.requests };
  const narrow = columns < WIDTH ? [detail('This screen is too narrow for p50 and p99.')] : [];
  return [
    ...headRows(interval, columns).map(essential),
    essential(formatRow(all, columns)),
    ...toRows(reading).map((row, index) => ({
      text: formatRow(row, columns),
      kind: index < FIRST_OPERATIONS ? ('operation' as const) : ('furtherOperation' as const),
    })),
    ...narrow,
    essential(part('answers', `now: ${now === null ? '-' : describeAnswers(now)}`)),
    past(`${INDENT}since the start: ${describeAnswers(sinceStart)}`),
    ...listSlowest(sinceStart).map(detail),
  ];
}

/** Attempts to deliver events; nothing where there were none. */
function showDeliveries({ now, sinceStart: { deliveries } }: Reading): Line[] {
  if (deliveries.received + deliveries.failed === 0) return [];
  const describe = ({ received, failed }: Period['deliveries']) => `${received} received, ${failed} failed`;
  const present = now === null ? '' : `now: ${describe(now.deliveries)}; `;
  return [past(part('WEBHOOKS', `deliveries ${present}since the start: ${describe(deliveries)}`))];
}

function showImports(reading: Reading): Line[] {
  const { queues, now, sinceStart } = reading;
  const queue = queues[IMPORT_QUEUE];
  const { processed, failed, timeout, failures } = sinceStart.imports;
  const codes = Object.entries(failures).map(([code, count]) => `${code} ${count}`);
  const throughput = now === null ? '' : `, ${formatRate(now.imports.processed / now.seconds)} a second`;
  const age =
    queue && queue.waiting > 0 ? ` (the oldest for ${formatSeconds(queue.oldestWaitingSeconds)})` : '';
  const present =
    queue === undefined
      ? 'the queue is unknown'
      : `${queue.waiting} waiting${age}, ${queue.running} running${throughput}`;
  return [
    essential(part('IMPORTS', present)),
    past(`${INDENT}since the start: ${processed} processed, ${failed} failed, ${timeout} timed out`),
    ...(codes.length > 0 ? [detail(listThatFits(`${INDENT}failed: `, codes))] : []),
    ...showDeliveries(reading),
  ];
}

/** The tables that have grown since the first reading of a watch. */
export function findGrowth(storage: Storage | null, first: Storage | null): Storage['tables'] {
  if (storage === null || first === null) return [];
  const before = new Map(first.tables.map(({ table, bytes }) => [table, bytes]));
  return storage.tables
    .map(({ table, bytes }) => ({ table, bytes: bytes - (before.get(table) ?? 0) }))
    .filter(({ bytes }) => bytes > 0)
    .toSorted((left, right) => right.bytes - left.bytes);
}

/** `other`: mostly PostgreSQL's own tables. */
const nameOf = (table: string): string => (table === 'other' ? 'the rest' : table.replaceAll('_', ' '));

/** The first ones. */
const listTables = (beginning: string, tables: Storage['tables']): string =>
  listThatFits(
    INDENT + beginning,
    tables.map(({ table, bytes }) => `${nameOf(table)} ${formatBytes(bytes)}`),
  );

function showStorage({ storage, servers }: Reading, first: Reading | undefined): Line[] {
  if (storage === null) return [essential(part('STORAGE', 'unknown'))];
  const { knowledgeBases, documents, passages, documentBytes, databaseBytes } = storage;
  const { tables, cacheHitShare, ageSeconds, passagesWithoutVectors, documentsWithoutVectors } = storage;
  const growth = findGrowth(storage, first?.storage ?? null);
  const stored = `${pluralise(documents, 'document')} of ${formatBytes(documentBytes)}`;
  const age = ageSeconds < 1 ? 'as of now' : `as of ${formatSeconds(ageSeconds)} ago`;
  const cached = cacheHitShare === null ? '' : `, ${formatShare(cacheHitShare)} of its reads cached`;
  return [
    essential(part('STORAGE', `${age}: ${pluralise(knowledgeBases, 'knowledge base')}, ${stored}`)),
    past(`${INDENT}${pluralise(passages, 'passage')}, database ${formatBytes(databaseBytes)}${cached}`),
    ...(servers.some(({ hasWordVectors }) => hasWordVectors)
      ? [past(`${INDENT}found by words and by meaning: WORD_VECTORS is on`)]
      : []),
    ...(passagesWithoutVectors
      ? [essential(`${INDENT}${pluralise(passagesWithoutVectors, 'passage')} without vectors yet`)]
      : []),
    ...(documentsWithoutVectors
      ? [essential(`${INDENT}${pluralise(documentsWithoutVectors, 'document')} without vectors yet`)]
      : []),
    detail(listTables('', tables)),
    ...(growth.length > 0 ? [detail(listTables('grown since the first reading: ', growth))] : []),
  ];
}

const SERVER_TITLES = ['SERVERS', 'version', 'up', 'memory', 'cpu', 'loop p99', 'connections'];

function cellsOf(server: ServerState): string[] {
  const { address, version, uptimeSeconds, memoryBytes, processorCores, connections } = server;
  return [
    toVisibleLine(address.replace(/^https?:\/\//, '')),
    toVisibleLine(version),
    formatSeconds(uptimeSeconds),
    formatBytes(memoryBytes),
    processorCores === null ? '-' : `${Math.round(processorCores * 100)} %`,
    formatSeconds(server.eventLoopDelayP99Seconds),
    `${connections.busy} of ${connections.max}`,
  ];
}

/** Lines of columns as wide as their longest cell, with two spaces between; the first is flush left. */
function alignColumns(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => stringWidth(row[at] ?? ''))));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  );
}

/** The share of queries that a model did not answer in time; nothing where none was asked. */
function showMeaning({ sinceStart: { meaning } }: Reading): Line[] {
  const reasons = Object.entries(meaning.byWords);
  const byWords = reasons.reduce((sum, [, count]) => sum + count, 0);
  const asked = byWords + meaning.compared;
  if (asked === 0) return [];
  const why = byWords === 0 ? '' : ` (${reasons.map(([reason, count]) => `${reason} ${count}`).join(', ')})`;
  return [
    past(
      part(
        'MEANING',
        `${formatShare(byWords / asked)} of ${asked} ${asked === 1 ? 'query' : 'queries'} since the start by words alone, without the model${why}`,
      ),
    ),
  ];
}

/** The share of queries that replicas have answered; nothing where there is none. */
function showReplicaUse(servers: ServerState[]): string[] {
  const uses = servers.flatMap(({ replica }) => replica ?? []);
  const onReplica = uses.reduce((sum, use) => sum + use.onReplica, 0);
  const queries = onReplica + uses.reduce((sum, use) => sum + use.onPrimary, 0);
  if (uses.length === 0) return [];
  const share = queries === 0 ? 'no queries yet' : `${formatShare(onReplica / queries)} of the queries`;
  return [`${INDENT}on the read replica since the start: ${share}`];
}

function showServers({ servers }: Reading): Line[] {
  const [titles = '', ...rows] = alignColumns([SERVER_TITLES, ...servers.map(cellsOf)]);
  const lost = servers.reduce((sum, { lostLogLines }) => sum + lostLogLines, 0);
  return [
    essential(style('bold', titles)),
    ...rows.map(essential),
    ...showReplicaUse(servers).map(past),
    ...(lost > 0 ? [past(`${INDENT}lines of the log that were lost since the start: ${lost}`)] : []),
  ];
}

/** `columns` undefined: a sentence is one line, however long. */
function showProblems(reading: Reading, columns: number | undefined): Line[] {
  return findProblems(reading).flatMap((sentence) => {
    const line = toVisibleLine(sentence);
    const room = Math.max(INDENT.length, Math.min(columns ?? WIDTH, WIDTH) - INDENT.length);
    const lines = columns === undefined ? [line] : wrapAnsi(line, room, { hard: true }).split('\n');
    return lines.map((each, index) =>
      essential(index === 0 ? `${style(['bold', 'red'], 'PROBLEM')}   ${each}` : INDENT + each),
    );
  });
}

/** `size`: of the terminal, to which the lines are cut; undefined: there is no terminal. */
type ScreenOptions = {
  first?: Reading | undefined;
  size?: { rows: number; columns: number } | undefined;
};

/** The lines of a reading. */
export function showReading(reading: Reading, { first, size }: ScreenOptions = {}): string[] {
  const problems = showProblems(reading, size?.columns);
  if (reading.servers.length === 0) return fitRows(problems, size?.rows);
  const lines = [
    ...problems,
    ...showRequests(reading, size?.columns ?? WIDTH),
    space(),
    ...showMeaning(reading),
    ...showImports(reading),
    space(),
    ...showStorage(reading, first),
    space(),
    ...showServers(reading),
  ];
  return fitRows(lines, size?.rows);
}
