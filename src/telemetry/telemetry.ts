/** Telemetry of the service's work: metrics, traces, both, or neither. */
import type { DocumentErrorCode } from '../../generated/types.gen.ts';
import { type RequestOutcome, type SpanName, traceRequest, traceStep } from './tracing.ts';

/** The end of an import. */
export type ImportOutcome =
  | { status: 'processed' }
  | { status: 'failed' | 'timeout'; errorCode: DocumentErrorCode };

/** Counts events. Its methods return immediately and do not throw. */
export type Meter = {
  /** Called when the answer is complete or the client has hung up. */
  requestEnded(answered: RequestOutcome & { seconds: number }): void;
  /** Called after success and failure. */
  stepEnded(step: SpanName, seconds: number): void;
  /** Called with the number of imports that ended this way, after their commit. */
  importsEnded(outcome: ImportOutcome, count: number): void;
  /** Called after each attempt to deliver an event to a webhook. */
  eventSent(outcome: 'received' | 'failed'): void;
  /** Called for each query that asked for its meaning by a model. */
  meaningAsked(outcome: 'compared' | 'timeout' | 'unavailable' | 'limited' | 'wrong'): void;
  /** Called for each query whose passages a model was asked to order. */
  rerankAsked(outcome: 'reranked' | 'timeout' | 'unavailable' | 'limited' | 'wrong'): void;
  /** Called while this server makes vectors of stored passages, and once it does not any more: undefined is unknown. */
  passagesWithoutVectors(count: number | undefined): void;
  /** Called while this server makes vectors by a model, and once it does not any more: undefined is unknown. */
  documentsWithoutVectors(count: number | undefined): void;
  /** How far the indexes of pgvector are; undefined: this server does not keep them any more. */
  vectorIndexes(figures: VectorIndexFigures | undefined): void;
};

/** A queue's jobs. */
export type JobFigures = {
  queue: string;
  /** Not taken by a worker yet, or waiting for a retry. */
  waiting: number;
  /** By the database's clock; 0: no job waits. */
  oldestWaitingSeconds: number;
  /** Taken by a worker. */
  active: number;
};

/** What the deployment stores. */
export type StorageFigures = {
  knowledgeBases: number;
  documents: number;
  passages: number;
  /** Bytes of documents, as accounts are charged: the originals of files, and texts. */
  documentBytes: number;
  /** Bytes of the whole database on its disk. */
  databaseBytes: number;
  /**
   * Bytes on disk, with indexes: by a table's name, `jobs` for the tables of the job queue, `other` for all the rest.
   */
  tables: { table: string; bytes: number }[];
  /** Pages that statements have read since the database's statistics began, from PostgreSQL's cache or from outside. */
  pagesRead: { cache: number; disk: number };
  /** Shards that Citus moves to other servers, in its last rebalancing; null: there was none. */
  moves: ShardMoves | null;
};

/**
 * Indexes of pgvector. `missing`: knowledge bases that are large enough for one and have none. `builtShare`: of the
 * index that is being built; undefined: none is.
 */
export type VectorIndexFigures = {
  isUsable: boolean;
  built: number;
  missing: number;
  builtShare: number | undefined;
};

/** Numbers of shards. `failing`: those whose move has failed, also where Citus tries again. */
export type ShardMoves = Record<'moving' | 'moved' | 'failing', number>;

/** The use of a read replica by this server. */
export type ReplicaFigures = {
  /** Queries since the start, by the database that answered them. */
  onReplica: number;
  onPrimary: number;
  /** Whether queries run on the replica now. */
  isInUse: boolean;
  /** What the replica has left to replay of the primary's log; undefined while it does not answer. */
  lagBytes: number | undefined;
};

/** The content of `/metrics`, and the tokens of which callers need one. */
export type Metrics = { tokens: readonly string[]; expose(): Promise<{ type: string; text: string }> };

export type Telemetry = Pick<
  Meter,
  | 'requestEnded'
  | 'importsEnded'
  | 'eventSent'
  | 'meaningAsked'
  | 'rerankAsked'
  | 'passagesWithoutVectors'
  | 'documentsWithoutVectors'
  | 'vectorIndexes'
> & {
  /** Traces `run`; see `traceRequest`. */
  request: typeof traceRequest;
  /** Traces and measures `run`. Returns its result or throws its error. */
  step<T>(step: SpanName, run: () => Promise<T>): Promise<T>;
};

export const unmetered: Meter = {
  requestEnded() {},
  stepEnded() {},
  importsEnded() {},
  eventSent() {},
  meaningAsked() {},
  rerankAsked() {},
  passagesWithoutVectors() {},
  documentsWithoutVectors() {},
  vectorIndexes() {},
};

export const createTelemetry = (meter: Meter): Telemetry => ({
  request: traceRequest,
  requestEnded: meter.requestEnded,
  importsEnded: meter.importsEnded,
  eventSent: meter.eventSent,
  meaningAsked: meter.meaningAsked,
  rerankAsked: meter.rerankAsked,
  passagesWithoutVectors: meter.passagesWithoutVectors,
  documentsWithoutVectors: meter.documentsWithoutVectors,
  vectorIndexes: meter.vectorIndexes,
  async step(step, run) {
    const startedAt = performance.now();
    try {
      return await traceStep(step, run);
    } finally {
      meter.stepEnded(step, (performance.now() - startedAt) / 1000);
    }
  },
});
