/** A reading as lines for people: at most 80 columns, the most important first. */
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { style, toVisibleLine } from '../../terminal.ts';
import { formatBytes, pluralise } from '../formats.ts';
import { formatRate, formatSeconds, formatShare } from './figures.ts';
import type { Period, Requests } from './period.ts';
import { findProblems, IMPORT_QUEUE } from './problems.ts';
import type { Reading, ServerState, Storage } from './reading.ts';

/** Operations are left out where a terminal is too low for all, but not these. */
const LEAST_OPERATIONS = 3;

const INDENT = ' '.repeat(10);

/** The columns of a usual terminal. */
const WIDTH = 80;

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

/** The requests of all operations, or of one, now and since the start. */
type Row = { name: string; now: Requests | undefined; sinceStart: Requests | undefined };

const NONE: Requests = { count: 0, perSecond: 0, p50: null, p95: null, p99: null, faults: 0 };

function formatRow({ name, now, sinceStart = NONE }: Row): string {
  const shown = now ?? NONE;
  const cells = [
    now === undefined ? '-' : formatRate(shown.perSecond),
    formatSeconds(shown.p50),
    formatSeconds(shown.p95),
    formatSeconds(shown.p99),
    String(sinceStart.count),
    formatSeconds(sinceStart.p95),
    String(sinceStart.faults),
  ];
  const widths = [8, 8, 8, 8, 11, 8, 6];
  return name.padEnd(22) + cells.map((cell, index) => cell.padStart(widths[index] ?? 0)).join('');
}

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
  const slowest = operations.toSorted((left, right) => (right.p95 ?? 0) - (left.p95 ?? 0));
  const names = slowest.map(({ operation, p95 }) => `${operation} ${formatSeconds(p95)}`);
  return names.length === 0 ? [] : [listThatFits(`${INDENT}slowest (95 % within): `, names)];
}

function showRequests(reading: Reading, operationsMax: number): string[] {
  const { now, sinceStart } = reading;
  const interval = now === null ? '(one reading)' : `in the last ${formatSeconds(now.seconds)}`;
  const rows = toRows(reading);
  const left = rows.length - operationsMax;
  const all = { name: 'all', now: now?.requests, sinceStart: sinceStart.requests };
  return [
    `${style('bold', 'REQUESTS'.padEnd(22))}${interval.padStart(32)}${'since the start'.padStart(25)}`,
    `${' '.repeat(22)}  a second   p50     p95     p99      count     p95   5xx`,
    ...[all, ...rows.slice(0, operationsMax)].map(formatRow),
    ...(left > 0 ? [`${pluralise(left, 'more operation')}, with --json`] : []),
    part('answers', `now: ${now === null ? '-' : describeAnswers(now)}`),
    `${INDENT}since the start: ${describeAnswers(sinceStart)}`,
    ...listSlowest(sinceStart),
  ];
}

function showImports({ queues, now, sinceStart }: Reading): string[] {
  const queue = queues[IMPORT_QUEUE];
  const { processed, failed, timeout, failures } = sinceStart.imports;
  const codes = Object.entries(failures).map(([code, count]) => `${code} ${count}`);
  const { received, failed: undelivered } = sinceStart.deliveries;
  const throughput = now === null ? '' : `, ${formatRate(now.imports.processed / now.seconds)} a second`;
  const age =
    queue && queue.waiting > 0 ? ` (the oldest for ${formatSeconds(queue.oldestWaitingSeconds)})` : '';
  return [
    part(
      'IMPORTS',
      queue === undefined
        ? 'the queue is unknown'
        : `${queue.waiting} waiting${age}, ${queue.running} running${throughput}`,
    ),
    `${INDENT}since the start: ${processed} processed, ${failed} failed, ${timeout} timed out`,
    ...(codes.length > 0 ? [listThatFits(`${INDENT}failed: `, codes)] : []),
    ...(received + undelivered > 0
      ? [part('WEBHOOKS', `${received} deliveries received, ${undelivered} failed since the start`)]
      : []),
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

function showStorage({ storage }: Reading, first: Reading | undefined): string[] {
  if (storage === null) return [part('STORAGE', 'unknown')];
  const {
    knowledgeBases,
    documents,
    passages,
    documentBytes,
    databaseBytes,
    tables,
    cacheHitShare,
    ageSeconds,
  } = storage;
  const growth = findGrowth(storage, first?.storage ?? null);
  return [
    part(
      'STORAGE',
      `${pluralise(knowledgeBases, 'knowledge base')}, ${pluralise(documents, 'document')} of ` +
        `${formatBytes(documentBytes)}, ${pluralise(passages, 'passage')}`,
    ),
    `${INDENT}database ${formatBytes(databaseBytes)}` +
      (cacheHitShare === null ? '' : `, ${formatShare(cacheHitShare)} of its reads cached`) +
      (ageSeconds < 1 ? '' : `; measured ${formatSeconds(ageSeconds)} ago`),
    listTables('', tables),
    ...(growth.length > 0 ? [listTables('grown since the first reading: ', growth)] : []),
  ];
}

function showServer(server: ServerState): string {
  const { address, version, uptimeSeconds, memoryBytes, processorUse, connections } = server;
  const name = toVisibleLine(address.replace(/^https?:\/\//, ''));
  const cells = [
    toVisibleLine(version),
    formatSeconds(uptimeSeconds),
    formatBytes(memoryBytes),
    processorUse === null ? '-' : `${Math.round(processorUse * 100)} %`,
    formatSeconds(server.eventLoopDelayP99Seconds),
    `${connections.busy} of ${connections.max}`,
  ];
  const widths = [9, 11, 9, 8, 9, 11];
  return name.padEnd(22) + cells.map((cell, index) => cell.padStart(widths[index] ?? 0)).join('');
}

const showServers = ({ servers }: Reading): string[] => [
  style('bold', `${'SERVERS'.padEnd(22)}  version         up   memory     cpu loop p99 connections`),
  ...servers.map(showServer),
];

/** `isWrapped`: sentences that are too long for a terminal's line take several. */
function showProblems(reading: Reading, isWrapped: boolean): string[] {
  return findProblems(reading).flatMap((sentence) => {
    const line = toVisibleLine(sentence);
    const lines = isWrapped ? wrapAnsi(line, WIDTH - INDENT.length, { hard: true }).split('\n') : [line];
    return lines.map((each, index) =>
      index === 0 ? `${style(['bold', 'red'], 'PROBLEM')}   ${each}` : INDENT + each,
    );
  });
}

/**
 * The lines of a reading. `rows`: those of the terminal, where some operations are left out if there are many;
 * undefined: there is no terminal, and all are shown.
 */
export function showReading(
  reading: Reading,
  { first, rows }: { first?: Reading | undefined; rows?: number | undefined } = {},
): string[] {
  const problems = showProblems(reading, rows !== undefined);
  if (reading.servers.length === 0) return problems;
  const below = [
    '',
    ...showImports(reading),
    '',
    ...showStorage(reading, first),
    '',
    ...showServers(reading),
  ];
  const taken = problems.length + showRequests(reading, 0).length + below.length;
  const operationsMax = rows === undefined ? Number.POSITIVE_INFINITY : rows - taken;
  return [...problems, ...showRequests(reading, Math.max(LEAST_OPERATIONS, operationsMax)), ...below];
}
