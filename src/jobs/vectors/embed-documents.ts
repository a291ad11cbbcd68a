/**
 * The job that makes vectors by the model of the settings. One server at a time does it for a database. It works on the
 * queue of documents for an hour, looks meanwhile for documents that should be there and are not, makes its generation
 * the current one when it is complete, and removes the vectors of others. Then another server may go on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { NIL } from 'uuid';
import type { EmbeddingsSettings } from '../../config/model-settings.ts';
import type { Database } from '../../database/connection/database.ts';
import { countWithoutVectors, enqueueDocuments } from '../../database/rows/documents-without-vectors.ts';
import {
  type CurrentGeneration,
  createCurrentGeneration,
  recordAlone,
  retireOthers,
  switchGeneration,
  type VectorGeneration,
} from '../../database/rows/vector-generations.ts';
import { readIndexFigures } from '../../database/vector-indexes/vector-indexes.ts';
import { findWithoutVectors, type WithoutVectors } from '../../indexing/missing-vectors.ts';
import { modelOf } from '../../meaning/model/embeddings-model.ts';
import { createEmbeddingsServer } from '../../meaning/model/embeddings-server.ts';
import { createModelSpace } from '../../meaning/model/model-space.ts';
import { createPassageEmbeddings } from '../../meaning/model/passage-embeddings.ts';
import { COMPARED_MAX } from '../../meaning/passage-vectors.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { type Embedding, runRound } from './embedding-round.ts';
import { keepVectorIndexes } from './index-vectors.ts';
import { removeRetiredVectors } from './remove-vectors.ts';

/** How long a server does it before another one may. Each begins with a look for what is missing. */
const RUN_MS = 3_600_000;
/** How soon a document that is imported now is taken. */
const POLL_INTERVAL_MS = 1_000;
/** Interval between looks at what else is to be done, and between counts for metrics. */
const MAINTENANCE_INTERVAL_MS = 5_000;
/** Interval between lines of the log. */
const REPORT_INTERVAL_MS = 60_000;

/** A round takes about this long, after which the next accounts follow. */
const ROUND_MS = 3_000;
/** Passages of a round at most: they are in memory, 4 kB each with their vectors. */
const ROUND_MAX = 1_024;

/** It looks for missing documents for a twentieth of the time: at a million documents, for a minute. */
const LOOK_REST_FACTOR = 19;
/** Documents that are put into the queue together. */
const ENQUEUED_TOGETHER = 200;

export type EmbeddingContext = {
  database: Database;
  embeddings: EmbeddingsSettings;
  telemetry: Pick<Telemetry, 'documentsWithoutVectors' | 'vectorIndexes'>;
  log: Logger;
};

/** Why a run ends without a fault. */
class RunOver extends Error {}

/** Works on the queue until the signal aborts, which it throws. */
async function serveQueue(embedding: Embedding, batch: number, signal: AbortSignal): Promise<never> {
  let after: string = NIL;
  let size = batch;
  for (;;) {
    const startedAtMs = performance.now();
    const round = await runRound(embedding, { after, size, signal });
    signal.throwIfAborted();
    if (round === undefined) await delay(POLL_INTERVAL_MS, undefined, { signal });
    else {
      after = round.after;
      const possible = (round.passages * ROUND_MS) / Math.max(1, performance.now() - startedAtMs);
      if (round.passages > 0) size = Math.round(Math.min(ROUND_MAX, Math.max(batch, possible)));
    }
  }
}

/**
 * Puts all documents without vectors of the generation into the queue. Returns the time at which all were there, as the
 * database writes it: a Date would be up to a millisecond before those that were put there last.
 */
async function enqueueMissing(
  { database }: EmbeddingContext,
  generation: number,
  rest: (tookMs: number) => Promise<void>,
): Promise<string> {
  let found: WithoutVectors[] = [];
  const enqueueFound = async () => {
    await enqueueDocuments(database, found, generation);
    found = [];
  };
  for await (const document of findWithoutVectors(database, generation, rest)) {
    found.push(document);
    if (found.length === ENQUEUED_TOGETHER) await enqueueFound();
  }
  await enqueueFound();
  const { rows } = await sql<{ now: string }>`SELECT now()::text AS now`.execute(database);
  return rows[0]?.now ?? '-infinity';
}

/**
 * Tells metrics, and the log now and then, how many documents wait, and metrics how far the indexes of pgvector are. To
 * count a million documents takes a tenth of a second.
 */
function createReport(
  { database, telemetry, log }: EmbeddingContext,
  { generation, model }: VectorGeneration,
) {
  let [countedAtMs, reportedAtMs, last] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  return async (): Promise<void> => {
    if (performance.now() - countedAtMs < MAINTENANCE_INTERVAL_MS) return;
    countedAtMs = performance.now();
    const documents = await countWithoutVectors(database);
    telemetry.documentsWithoutVectors(documents);
    telemetry.vectorIndexes(await readIndexFigures(database, { generation, passagesMin: COMPARED_MAX }));
    const isDue = performance.now() - reportedAtMs >= REPORT_INTERVAL_MS;
    if (documents > 0 && isDue) {
      log.info(
        { documents, model },
        'documents wait for their vectors: until then, only their words are found',
      );
      reportedAtMs = performance.now();
    } else if (documents === 0 && last > 0) log.info({ model }, 'all documents have vectors');
    last = documents;
  };
}

type Run = { generations: CurrentGeneration; generation: number; endsAtMs: number };

const isWanted = async ({ generations, generation }: Run): Promise<boolean> =>
  (await generations.wanted())?.generation === generation;

/** The generations whose vectors are compared, or will be. */
const usedBy = async ({ generations }: Run): Promise<number[]> =>
  [await generations.current(), await generations.wanted()].flatMap((used) => used?.generation ?? []);

/** Throws when the run is over: its time is up, or another model is wanted. */
async function requireRun(run: Run): Promise<void> {
  if (!(await isWanted(run)) || performance.now() > run.endsAtMs) throw new RunOver();
}

/** Does all but the work on the queue, until the run is over, or the signal aborts. Throws the reason. */
async function maintain(
  context: EmbeddingContext,
  { own, run }: { own: VectorGeneration; run: Run },
  signal: AbortSignal,
): Promise<never> {
  const { database, log } = context;
  const { generation, model } = own;
  const report = createReport(context, own);
  const lookedAt = await enqueueMissing(context, generation, async (tookMs) => {
    await requireRun(run);
    await report();
    await delay(tookMs * LOOK_REST_FACTOR, undefined, { signal });
  });
  for (;;) {
    await requireRun(run);
    await report();
    if (await switchGeneration(database, generation, lookedAt))
      log.info({ generation, model }, 'queries are compared with the vectors of this model from now on');
    if (await retireOthers(database, generation)) {
      const vectors = await removeRetiredVectors(database, signal);
      await recordAlone(database, generation);
      log.info({ vectors }, 'the vectors of former models have been removed');
    }
    await delay(MAINTENANCE_INTERVAL_MS, undefined, { signal });
  }
}

/** The model of the settings, which makes the vectors of the generation `own`. */
const passageEmbeddings = ({ embeddings: settings, log }: EmbeddingContext, own: VectorGeneration) =>
  createPassageEmbeddings(createEmbeddingsServer({ ...modelOf(settings), dimensions: own.dimensions }), {
    ...settings,
    onWait: ({ message }, waitMs) =>
      log.warn(
        { reason: message, waitSeconds: waitMs / 1000 },
        'the model makes no vectors now: tried again',
      ),
  });

/**
 * Runs for an hour. It may be aborted at any point: the next run goes on there. While the model does not answer, it
 * waits. `own`: the generation of the settings.
 * @returns whether it is still the wanted one
 * @throws the reason of the signal, and the error of a database that is unreachable
 */
export async function embedDocuments(
  context: EmbeddingContext,
  own: VectorGeneration,
  signal: AbortSignal,
): Promise<boolean> {
  const { database, embeddings: settings, telemetry, log } = context;
  const run = {
    generations: createCurrentGeneration(database),
    generation: own.generation,
    endsAtMs: performance.now() + RUN_MS,
  };
  if (!(await isWanted(run))) return false;
  const embedding = {
    database,
    generation: own.generation,
    embeddings: passageEmbeddings(context, own),
    space: createModelSpace(own.mean),
    log,
  };
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  const untilOver = (work: Promise<never>) => work.catch((error) => over.abort(error));
  await Promise.all([
    untilOver(serveQueue(embedding, settings.batch, both)),
    untilOver(maintain(context, { own, run }, both)),
    untilOver(keepVectorIndexes(context, { own, readGenerations: () => usedBy(run) }, both)),
  ]);
  telemetry.documentsWithoutVectors(undefined);
  telemetry.vectorIndexes(undefined);
  signal.throwIfAborted();
  if (!(over.signal.reason instanceof RunOver)) throw over.signal.reason;
  return await isWanted(run);
}
