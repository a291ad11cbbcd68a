/** A snapshot of all servers: what they do now, what they have done since their start, and what is stored. */
import type { StorageFigures } from '../../telemetry/telemetry.ts';
import type { Sample } from './exposition.ts';
import { type Period, summarise } from './period.ts';
import type { Scrape, Unreachable } from './scrape.ts';

/** Queries since the start, by the database that answered them. `lagBytes` null: the replica does not answer. */
export type ReplicaUse = { isInUse: boolean; lagBytes: number | null; onReplica: number; onPrimary: number };

/** A server or worker. Null: its system has no such figure, or there is no earlier snapshot to compare with. */
export type ServerState = {
  address: string;
  version: string;
  uptimeSeconds: number;
  memoryBytes: number;
  processorCores: number | null;
  /** How late the event loop ran what was due, since the last snapshot by anyone: 99 % were earlier. */
  eventLoopDelayP99Seconds: number;
  /** Connections to the database. `waiting`: requests that wait for one. */
  connections: { busy: number; open: number; max: number; waiting: number };
  isDatabaseUp: boolean;
  /** WORD_VECTORS is on there. */
  hasWordVectors: boolean;
  /** Its use of a read replica; null: it has none. */
  replica: ReplicaUse | null;
  /** Lines of the log that could not be written, since the start and since the snapshot before. */
  lostLogLines: number;
  lostLogLinesNow: number | null;
};

/** Jobs of one kind. */
export type Queue = { waiting: number; running: number; oldestWaitingSeconds: number };

/** What the deployment stores, the largest table first. */
export type Storage = Omit<StorageFigures, 'pagesRead'> & {
  /** Since it was measured. */
  ageSeconds: number;
  /** The share of pages that PostgreSQL has found in its own cache; null: it has read none yet. */
  cacheHitShare: number | null;
  /** Those that a server is giving vectors; null: no server is. */
  passagesWithoutVectors: number | null;
  /** Those that wait for vectors by a model; null: no server makes any. */
  documentsWithoutVectors: number | null;
  /** How far the indexes of pgvector are; null: no server makes vectors by a model. */
  vectorIndexes: VectorIndexes | null;
};

/** `builtShare`: of the index that is being built; null: none is. */
export type VectorIndexes = {
  hasPgvector: boolean;
  built: number;
  missing: number;
  builtShare: number | null;
};

export type Snapshot = {
  time: string;
  /** Since the snapshot before; null: there is none. */
  now: Period | null;
  sinceStart: Period;
  /** By the name of the queue. Empty where no server reaches the database. */
  queues: Record<string, Queue>;
  /** Null: no server has measured it, since the database does not answer. */
  storage: Storage | null;
  servers: ServerState[];
  unreachable: Unreachable[];
};

const PREFIX = 'knowledge_retrieval_';

/** prom-client's measurement adds the interval at which it looks. */
const LOOP_RESOLUTION_SECONDS = 0.01;

/** Looks up the values of a server's samples. */
function createLookup({ samples }: Pick<Scrape, 'samples'>) {
  const find = (name: string) => samples.find((sample) => sample.name === name);
  return {
    find,
    own: (name: string) => find(PREFIX + name)?.value,
    all: (name: string) => samples.filter((sample) => sample.name === PREFIX + name),
    value: (name: string) => find(name)?.value ?? 0,
  };
}

const startOf = (scrape: Scrape): number => createLookup(scrape).value('process_start_time_seconds');

const keyOf = ({ name, labels }: Sample): string => JSON.stringify([name, Object.entries(labels).sort()]);

/** What has been added to each sample. A server that has started again began at 0. */
export function subtract(after: Scrape, before: Scrape): Sample[] {
  if (startOf(after) !== startOf(before)) return after.samples;
  const earlier = new Map(before.samples.map((sample) => [keyOf(sample), sample.value]));
  return after.samples.map((sample) => ({
    ...sample,
    value: sample.value - (earlier.get(keyOf(sample)) ?? 0),
  }));
}

function toReplicaUse(scrape: Scrape): ReplicaUse | null {
  const { own, all } = createLookup(scrape);
  const isInUse = own('replica_in_use');
  if (isInUse === undefined) return null;
  const queriesOf = (database: string) =>
    all('queries_total').find(({ labels }) => labels.database === database)?.value ?? 0;
  return {
    isInUse: isInUse === 1,
    lagBytes: own('replica_lag_bytes') ?? null,
    onReplica: queriesOf('replica'),
    onPrimary: queriesOf('primary'),
  };
}

function toServer(scrape: Scrape, before: Scrape | undefined): ServerState {
  const { find, own, value } = createLookup(scrape);
  const open = own('database_pool_connections') ?? 0;
  const added = before && createLookup({ samples: subtract(scrape, before) });
  const used = added?.find('process_cpu_seconds_total');
  const seconds = before && (scrape.atMs - before.atMs) / 1000;
  const loopDelay = value('nodejs_eventloop_lag_p99_seconds') - LOOP_RESOLUTION_SECONDS;
  return {
    address: scrape.address,
    version: find(`${PREFIX}build_info`)?.labels.version ?? 'unknown',
    uptimeSeconds: Math.max(0, Date.now() / 1000 - startOf(scrape)),
    memoryBytes: value('process_resident_memory_bytes'),
    processorCores: used && seconds ? used.value / seconds : null,
    eventLoopDelayP99Seconds: Math.max(0, loopDelay) || 0, // NaN when nothing was measured
    connections: {
      busy: open - (own('database_pool_idle_connections') ?? 0),
      open,
      max: own('database_pool_max_connections') ?? 0,
      waiting: own('database_pool_waiting_requests') ?? 0,
    },
    isDatabaseUp: own('database_up') === 1,
    hasWordVectors: own('word_vectors') === 1,
    replica: toReplicaUse(scrape),
    lostLogLines: own('log_lines_lost_total') ?? 0,
    lostLogLinesNow: added?.own('log_lines_lost_total') ?? null,
  };
}

/** All servers report the same queues. The first one that reaches the database is asked. */
function toQueues(scrapes: Scrape[]): Snapshot['queues'] {
  const lookup = scrapes.map(createLookup).find(({ own }) => own('database_up') === 1);
  if (lookup === undefined) return {};
  const read = (name: string) =>
    new Map(lookup.all(name).map(({ labels, value }) => [labels.queue ?? '', value]));
  const [running, age] = [read('jobs_active'), read('oldest_waiting_job_age_seconds')];
  const queues = [...read('jobs_waiting')].map(([queue, waiting]) => {
    const state = { waiting, running: running.get(queue) ?? 0, oldestWaitingSeconds: age.get(queue) ?? 0 };
    return [queue, state] as const;
  });
  return Object.fromEntries(queues);
}

/** One server at a time makes vectors, and knows how many passages or documents lack them. */
function countWithoutVectors(scrapes: Scrape[], things: 'passages' | 'documents'): number | null {
  const counts = scrapes.flatMap((scrape) => createLookup(scrape).own(`${things}_without_vectors`) ?? []);
  return counts.length === 0 ? null : Math.max(...counts);
}

/** One server at a time keeps the indexes. */
function toVectorIndexes(scrapes: Scrape[]): VectorIndexes | null {
  const lookup = scrapes.map(createLookup).find(({ own }) => own('pgvector') !== undefined);
  if (lookup === undefined) return null;
  const { own, all } = lookup;
  const count = (state: string) =>
    all('vector_indexes').find(({ labels }) => labels.state === state)?.value ?? 0;
  return {
    hasPgvector: own('pgvector') === 1,
    built: count('built'),
    missing: count('missing'),
    builtShare: own('vector_index_built_share') ?? null,
  };
}

function toStorage(scrapes: Scrape[]): Storage | null {
  const lookup = scrapes.map(createLookup).find(({ own }) => own('database_size_bytes') !== undefined);
  if (lookup === undefined) return null;
  const { own, all } = lookup;
  const read = new Map(all('database_pages_read_total').map(({ labels, value }) => [labels.source, value]));
  const [hits, misses] = [read.get('cache') ?? 0, read.get('disk') ?? 0];
  const tables = all('table_size_bytes').map(({ labels, value }) => ({
    table: labels.table ?? '',
    bytes: value,
  }));
  const moves = all('shard_moves').map(({ labels, value }) => [labels.state, value]);
  return {
    ageSeconds: own('storage_age_seconds') ?? 0,
    knowledgeBases: own('knowledge_bases') ?? 0,
    documents: own('documents') ?? 0,
    passages: own('passages') ?? 0,
    documentBytes: own('document_bytes') ?? 0,
    databaseBytes: own('database_size_bytes') ?? 0,
    tables: tables.toSorted((left, right) => right.bytes - left.bytes),
    moves: moves.length > 0 ? { moving: 0, moved: 0, failing: 0, ...Object.fromEntries(moves) } : null,
    cacheHitShare: hits + misses > 0 ? hits / (hits + misses) : null,
    passagesWithoutVectors: countWithoutVectors(scrapes, 'passages'),
    documentsWithoutVectors: countWithoutVectors(scrapes, 'documents'),
    vectorIndexes: toVectorIndexes(scrapes),
  };
}

/** The period between two snapshots, of the servers that are in both; null: none is. */
function toPeriod(scrapes: Scrape[], before: ReadonlyMap<string, Scrape>): Period | null {
  const pairs = scrapes.flatMap((after) => {
    const earlier = before.get(after.address);
    return earlier === undefined ? [] : [{ after, earlier }];
  });
  if (pairs.length === 0) return null;
  const seconds = Math.max(...pairs.map(({ after, earlier }) => (after.atMs - earlier.atMs) / 1000));
  return summarise(
    pairs.flatMap(({ after, earlier }) => subtract(after, earlier)),
    seconds,
  );
}

/** Makes a snapshot of the servers' metrics. `earlier`: the metrics of the snapshot before. */
export function toSnapshot(
  results: (Scrape | Unreachable)[],
  earlier: (Scrape | Unreachable)[] = [],
): Snapshot {
  const scrapes = results.filter((result) => 'samples' in result);
  const before = new Map(
    earlier.filter((result) => 'samples' in result).map((each) => [each.address, each] as const),
  );
  const servers = scrapes.map((each) => toServer(each, before.get(each.address)));
  return {
    time: new Date().toISOString(),
    now: toPeriod(scrapes, before),
    sinceStart: summarise(
      scrapes.flatMap(({ samples }) => samples),
      Math.max(1, ...servers.map(({ uptimeSeconds }) => uptimeSeconds)),
    ),
    queues: toQueues(scrapes),
    storage: toStorage(scrapes),
    servers,
    unreachable: results.filter((result) => 'reason' in result),
  };
}
