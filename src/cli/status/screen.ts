/** A snapshot as lines for people: at most 80 columns, but for problems; the most important first. */
import stringWidth from 'string-width';
import { formatBytes, pluralise } from '../../terminal/formats.ts';
import { style, toVisibleLine } from '../../terminal/terminal.ts';
import { formatRate, formatSeconds, formatShare } from './figures.ts';
import type { Period } from './period.ts';
import { findProblems, IMPORT_QUEUE } from './problems.ts';
import { formatRow, headRows, NONE, type Row, WIDTH } from './requests-table.ts';
import type { ServerState, Snapshot, Storage, VectorIndexes } from './snapshot.ts';

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
function toRows({ now, sinceStart }: Snapshot): Row[] {
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

function showRequests(snapshot: Snapshot): string[] {
  const { now, sinceStart } = snapshot;
  const interval = now === null ? '(one reading)' : `in the last ${formatSeconds(now.seconds)}`;
  const all = { name: 'all', now: now?.requests, sinceStart: sinceStart.requests };
  return [
    ...headRows(interval),
    formatRow(all),
    ...toRows(snapshot).map(formatRow),
    part('answers', `now: ${now === null ? '-' : describeAnswers(now)}`),
    `${INDENT}since the start: ${describeAnswers(sinceStart)}`,
    ...listSlowest(sinceStart),
  ];
}

/** Attempts to deliver events; nothing where there were none. */
function showDeliveries({ now, sinceStart: { deliveries } }: Snapshot): string[] {
  if (deliveries.received + deliveries.failed === 0) return [];
  const describe = ({ received, failed }: Period['deliveries']) => `${received} received, ${failed} failed`;
  const present = now === null ? '' : `now: ${describe(now.deliveries)}; `;
  return [part('WEBHOOKS', `deliveries ${present}since the start: ${describe(deliveries)}`)];
}

function showImports(snapshot: Snapshot): string[] {
  const { queues, now, sinceStart } = snapshot;
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
    part('IMPORTS', present),
    `${INDENT}since the start: ${processed} processed, ${failed} failed, ${timeout} timed out`,
    ...(codes.length > 0 ? [listThatFits(`${INDENT}failed: `, codes)] : []),
    ...showDeliveries(snapshot),
  ];
}

/** `other`: mostly PostgreSQL's own tables. */
const nameOf = (table: string): string => (table === 'other' ? 'the rest' : table.replaceAll('_', ' '));

/** The largest tables. */
const listTables = (tables: Storage['tables']): string =>
  listThatFits(
    INDENT,
    tables.map(({ table, bytes }) => `${nameOf(table)} ${formatBytes(bytes)}`),
  );

/** Whether pgvector finds the nearest passages of large knowledge bases; nothing where there are none, nor pgvector. */
function showVectorIndexes(indexes: VectorIndexes | null): string[] {
  if (indexes === null) return [];
  const { hasPgvector, built, missing, builtShare } = indexes;
  const large = built + missing;
  if (!hasPgvector)
    return large === 0
      ? []
      : [`${INDENT}no pgvector: ${pluralise(large, 'large knowledge base')} compared in part`];
  if (large === 0) return [`${INDENT}pgvector: no knowledge base is large enough for an index`];
  const next = builtShare === null ? '' : `, ${formatShare(builtShare)} of the next one`;
  return [`${INDENT}pgvector: ${built} of ${pluralise(large, 'large knowledge base')} indexed${next}`];
}

function showStorage({ storage, servers }: Snapshot): string[] {
  if (storage === null) return [part('STORAGE', 'unknown')];
  const { knowledgeBases, documents, passages, documentBytes, databaseBytes } = storage;
  const { tables, moves, cacheHitShare, ageSeconds, passagesWithoutVectors, documentsWithoutVectors } =
    storage;
  const stored = `${pluralise(documents, 'document')} of ${formatBytes(documentBytes)}`;
  const age = ageSeconds < 1 ? 'as of now' : `as of ${formatSeconds(ageSeconds)} ago`;
  const cached = cacheHitShare === null ? '' : `, ${formatShare(cacheHitShare)} of its reads cached`;
  return [
    part('STORAGE', `${age}: ${pluralise(knowledgeBases, 'knowledge base')}, ${stored}`),
    `${INDENT}${pluralise(passages, 'passage')}, database ${formatBytes(databaseBytes)}${cached}`,
    ...(moves === null
      ? []
      : [
          `${INDENT}rebalanced by Citus: ${moves.moved} shards moved, ${moves.moving} to move, ` +
            `${moves.failing} failing`,
        ]),
    ...(servers.some(({ hasWordVectors }) => hasWordVectors)
      ? [`${INDENT}found by words and by meaning: WORD_VECTORS is on`]
      : []),
    ...(passagesWithoutVectors
      ? [`${INDENT}${pluralise(passagesWithoutVectors, 'passage')} without vectors yet`]
      : []),
    ...(documentsWithoutVectors
      ? [`${INDENT}${pluralise(documentsWithoutVectors, 'document')} without vectors yet`]
      : []),
    ...showVectorIndexes(storage.vectorIndexes),
    listTables(tables),
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
function showMeaning({ sinceStart: { meaning } }: Snapshot): string[] {
  const reasons = Object.entries(meaning.byWords);
  const byWords = reasons.reduce((sum, [, count]) => sum + count, 0);
  const asked = byWords + meaning.compared;
  if (asked === 0) return [];
  const why = byWords === 0 ? '' : ` (${reasons.map(([reason, count]) => `${reason} ${count}`).join(', ')})`;
  return [
    part(
      'MEANING',
      `${formatShare(byWords / asked)} of ${asked} ${asked === 1 ? 'query' : 'queries'} since the ` +
        `start by words alone, without the model${why}`,
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

function showServers({ servers }: Snapshot): string[] {
  const [titles = '', ...rows] = alignColumns([SERVER_TITLES, ...servers.map(cellsOf)]);
  const lost = servers.reduce((sum, { lostLogLines }) => sum + lostLogLines, 0);
  return [
    style('bold', titles),
    ...rows,
    ...showReplicaUse(servers),
    ...(lost > 0 ? [`${INDENT}lines of the log that were lost since the start: ${lost}`] : []),
  ];
}

const showProblems = (snapshot: Snapshot): string[] =>
  findProblems(snapshot).map(
    (sentence) => `${style(['bold', 'red'], 'PROBLEM')}   ${toVisibleLine(sentence)}`,
  );

/** The lines of a snapshot. */
export function showSnapshot(snapshot: Snapshot): string[] {
  const problems = showProblems(snapshot);
  if (snapshot.servers.length === 0) return problems;
  return [
    ...problems,
    ...showRequests(snapshot),
    '',
    ...showMeaning(snapshot),
    ...showImports(snapshot),
    '',
    ...showStorage(snapshot),
    '',
    ...showServers(snapshot),
  ];
}
