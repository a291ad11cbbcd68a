/**
 * The job that makes the vectors of passages that were stored without: by earlier versions, or while WORD_VECTORS was
 * off. They are found by words meanwhile.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { release } from '../../database/values/byte-writer.ts';
import { endAnalysis } from '../../indexing/analysis-pool.ts';
import {
  addMissingVectors,
  findWithoutVectors,
  type WithoutVectors,
} from '../../indexing/missing-vectors.ts';
import { readStoredPassages } from '../../indexing/store-passages.ts';
import { WORD_VECTORS_GENERATION } from '../../meaning/passage-vectors.ts';
import type { JobContext } from '../job-context.ts';

/**
 * It makes vectors for a quarter of the time, so that others hardly notice. On a busy machine a million passages take
 * three hours in documents of eight passages, and ten hours in documents of one.
 */
const REST_FACTOR = 3;
/** It looks for missing vectors for a twentieth of the time: at a million documents, for a minute. */
const LOOK_REST_FACTOR = 19;

/** Interval between two lines of the log. */
const REPORT_INTERVAL_MS = 60_000;

/** Documents that may fail one after another. Then the job ends until it runs again. */
const FAILURES_MAX = 10;

type Context = Pick<JobContext, 'database' | 'analyse' | 'telemetry' | 'log'>;

/**
 * Makes the missing vectors of a document, as its import would.
 * @returns whether it has them now: not where it is being changed, or has been deleted
 */
async function fillDocument(
  { database, analyse }: Context,
  document: WithoutVectors,
  signal: AbortSignal,
): Promise<boolean> {
  const { accountId, knowledgeBaseId, id } = document;
  const row = await database
    .selectFrom('documents')
    .select('title')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return false;
  const passages = await readStoredPassages(database, document);
  const batches = await analyse({ ...row, format: 'passages', passages }, { accountId, signal });
  try {
    for await (const { columns } of batches) {
      signal.throwIfAborted();
      const made = { generation: WORD_VECTORS_GENERATION, ...columns };
      const isUnchanged = await addMissingVectors(database, { ...document, ...row }, made);
      release(columns.vector); // all columns share its memory
      if (!isUnchanged) return false;
    }
    return true;
  } finally {
    await endAnalysis(batches);
  }
}

/** Counts the documents without vectors, and their passages. */
async function countMissing({ database }: Context, signal: AbortSignal) {
  const missing = { documents: 0, passages: 0 };
  const rest = (tookMs: number) => delay(tookMs * LOOK_REST_FACTOR, undefined, { signal });
  for await (const { passageCount } of findWithoutVectors(database, WORD_VECTORS_GENERATION, rest)) {
    missing.documents++;
    missing.passages += passageCount;
  }
  return missing;
}

/** Tells metrics at once, and the log now and then, how many passages have no vectors yet. */
function createReport({ telemetry, log }: Context, missing: { documents: number; passages: number }) {
  let reportedAtMs = performance.now();
  let left = missing.passages;
  log.info(missing, 'stored passages get vectors: until then, only their words are found');
  telemetry.passagesWithoutVectors(left);
  return {
    made(passages: number): void {
      left = Math.max(0, left - passages);
      telemetry.passagesWithoutVectors(left);
      if (performance.now() - reportedAtMs < REPORT_INTERVAL_MS) return;
      reportedAtMs = performance.now();
      log.info({ made: missing.passages - left, of: missing.passages }, 'passages have got vectors');
    },
    end(isComplete: boolean): void {
      telemetry.passagesWithoutVectors(isComplete ? 0 : undefined);
      if (isComplete) log.info({ made: missing.passages - left }, 'all passages have vectors');
    },
  };
}

/**
 * Makes all vectors that are missing. It may be aborted at any point: the next one begins with what is missing then. It
 * skips a document that is changed meanwhile, and a document whose analysis fails.
 * @throws the error of several documents one after another, such as an unreachable database's
 */
export async function fillVectors(context: Context, signal: AbortSignal): Promise<void> {
  const missing = await countMissing(context, signal);
  if (missing.documents === 0) return;
  const report = createReport(context, missing);
  const found = findWithoutVectors(context.database, WORD_VECTORS_GENERATION, async () => {});
  let [isComplete, failures] = [false, 0];
  try {
    for await (const document of found) {
      const startedAtMs = performance.now();
      try {
        if (await fillDocument(context, document, signal)) report.made(document.passageCount);
        failures = 0;
      } catch (error) {
        signal.throwIfAborted();
        const { knowledgeBaseId, id } = document;
        context.log.warn({ err: error, knowledgeBaseId, documentId: id }, 'a document got no vectors');
        if (++failures === FAILURES_MAX) throw error;
      }
      await delay((performance.now() - startedAtMs) * REST_FACTOR, undefined, { signal });
    }
    isComplete = true;
  } finally {
    report.end(isComplete);
  }
}
