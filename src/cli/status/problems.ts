/** What an operator should look at first: a sentence for each problem that a snapshot shows. Problems are about now. */
import { enumerate, formatBytes, pluralise } from '../../terminal/formats.ts';
import { formatSeconds } from './figures.ts';
import type { ReplicaUse, ServerState, Snapshot } from './snapshot.ts';

/** The queue of imports. The other queues do their work without anyone waiting for it. */
export const IMPORT_QUEUE = 'import-file';

/** A worker takes a free job within seconds. */
const STANDSTILL_SECONDS = 60;
/** Under overload a few refusals keep the rest fast; more than this are noticed by users. */
const REFUSED_SHARE = 0.01;
/** Every request waits this much longer. */
const LATE_LOOP_SECONDS = 0.2;

function describeUnusedReplica(address: string, { lagBytes }: ReplicaUse): string {
  const state = lagBytes === null ? 'does not answer' : `is ${formatBytes(lagBytes)} behind`;
  return `${address} runs its queries on the primary: the read replica ${state}; doctor tells more.`;
}

function findServerProblems(server: ServerState): string[] {
  const { address, isDatabaseUp, replica, connections, eventLoopDelayP99Seconds, lostLogLinesNow } = server;
  return [
    isDatabaseUp ? '' : `${address} gets no answer from its database.`,
    replica === null || replica.isInUse ? '' : describeUnusedReplica(address, replica),
    connections.waiting > 0
      ? `${address}: ${pluralise(connections.waiting, 'request')} without a database connection; ` +
        `DATABASE_POOL_SIZE is ${connections.max}.`
      : '',
    eventLoopDelayP99Seconds > LATE_LOOP_SECONDS
      ? `${address} is busy: its event loop is late by ${formatSeconds(eventLoopDelayP99Seconds)}.`
      : '',
    (lostLogLinesNow ?? 0) > 0
      ? `${address} cannot write its log: ${pluralise(lostLogLinesNow ?? 0, 'line')} lost.`
      : '',
  ];
}

/** Passages that a server without vectors imports are found by meaning much later, and its searches never do. */
function findDifferingVectors({ servers }: Snapshot): string[] {
  const without = servers.filter(({ hasWordVectors }) => !hasWordVectors).map(({ address }) => address);
  if (without.length === 0 || without.length === servers.length) return [];
  return [`WORD_VECTORS is on, but not at ${enumerate(without)}: set it to the same everywhere.`];
}

function findTrafficProblems({ now }: Snapshot): string[] {
  if (now === null) return [];
  const { requests, answers, deliveries, meaning, seconds } = now;
  const byWords = Object.values(meaning.byWords).reduce((sum, count) => sum + count, 0);
  const when = `in the last ${formatSeconds(seconds)}`;
  const share = (count: number) => `${Math.round((100 * count) / requests.count)} %`;
  return [
    answers.faults > 0 ? `${pluralise(answers.faults, 'request')} failed (5xx) ${when}: see the log.` : '',
    answers.overloaded > REFUSED_SHARE * requests.count
      ? `${share(answers.overloaded)} of the requests got 503 (overload or outage) ${when}.`
      : '',
    answers.rateLimited > REFUSED_SHARE * requests.count
      ? `${share(answers.rateLimited)} of the requests got 429 (RATE_LIMIT_PER_MINUTE) ${when}.`
      : '',
    deliveries.failed > deliveries.received
      ? `${deliveries.failed} of ${deliveries.failed + deliveries.received} deliveries to webhooks failed ${when}.`
      : '',
    byWords > meaning.compared
      ? `The model did not answer ${byWords} of ${byWords + meaning.compared} queries ${when}: ` +
        `see \`doctor\` and the log.`
      : '',
  ];
}

function findImportProblems({ queues, now }: Snapshot): string[] {
  const { waiting = 0, running = 0, oldestWaitingSeconds = 0 } = queues[IMPORT_QUEUE] ?? {};
  const ended = now ? now.imports.processed + now.imports.failed : 0;
  if (waiting === 0 || oldestWaitingSeconds < STANDSTILL_SECONDS || running + ended > 0) return [];
  const age = formatSeconds(oldestWaitingSeconds);
  return [
    `${pluralise(waiting, 'import')} waiting, for up to ${age}, and none is running. Is there a worker?`,
  ];
}

function findFailingMoves({ storage }: Snapshot): string[] {
  const failing = storage?.moves?.failing ?? 0;
  if (failing === 0) return [];
  return [
    `Citus cannot move ${pluralise(failing, 'shard')}: SELECT * FROM citus_rebalance_status() says why, ` +
      'doctor what it lacks.',
  ];
}

/** The sentences, the most important first. */
export function findProblems(snapshot: Snapshot): string[] {
  return [
    ...snapshot.unreachable.map(({ reason }) => reason),
    ...snapshot.servers.flatMap(findServerProblems),
    ...findDifferingVectors(snapshot),
    ...findTrafficProblems(snapshot),
    ...findImportProblems(snapshot),
    ...findFailingMoves(snapshot),
  ].filter(Boolean);
}
