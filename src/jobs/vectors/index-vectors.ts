/**
 * Keeps the indexes of pgvector, where the database has it: one for each large knowledge base, which is built when
 * nearly all of its documents have their vectors. Whatever fails is tried again; searches then go on by words.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Database, runForLong } from '../../database/connection/database.ts';
import type { VectorGeneration } from '../../database/rows/vector-generations.ts';
import {
  createIndexSql,
  dropIndexSql,
  readPgvector,
  readUnindexed,
  readVectorIndexes,
  type VectorIndex,
} from '../../database/vector-indexes/vector-indexes.ts';
import { paddedDimensions } from '../../meaning/model/model-space.ts';
import { COMPARED_MAX } from '../../meaning/passage-vectors.ts';
import { reasonOf } from '../../terms/problem.ts';

/** Interval between looks for what is to be built or dropped. */
const LOOK_INTERVAL_MS = 10_000;
/** The pause after a failure. */
const FAILED_PAUSE_MS = 60_000;
/**
 * The most indexes. The largest knowledge bases have them: whatever writes a vector compares it with the condition of
 * each, and each statement that is planned looks at all.
 */
const INDEXES_MAX = 32;
/** An index stays until its knowledge base has fewer passages than this, so that it is not built again and again. */
const KEPT_FROM = COMPARED_MAX / 2;

type Context = { database: Database; log: Logger };

/** Whether an index is of no use: it is half built, or its knowledge base is gone or small, or its vectors are. */
const isUseless =
  (generations: number[]) =>
  ({ generation, isValid, builtShare, passageCount }: VectorIndex): boolean =>
    builtShare === null && (!isValid || (passageCount ?? 0) < KEPT_FROM || !generations.includes(generation));

/** The statement that comes next, and the line of the log after it; undefined: nothing is to be done. */
async function findNext(
  database: Database,
  { generation, dimensions }: VectorGeneration,
  readGenerations: () => Promise<number[]>,
): Promise<{ text: string; done: string; knowledgeBaseId: string } | undefined> {
  const { schema, home } = await readPgvector(database);
  if (schema === null) return undefined;
  const indexes = await readVectorIndexes(database);
  const useless = indexes.find(isUseless(await readGenerations()));
  if (useless !== undefined) {
    const { name, knowledgeBaseId } = useless;
    return { text: dropIndexSql(home, name), done: 'an index of vectors has been dropped', knowledgeBaseId };
  }
  if (indexes.length >= INDEXES_MAX || indexes.some(({ builtShare }) => builtShare !== null))
    return undefined;
  const unindexed = await readUnindexed(database, { generation, passagesMin: COMPARED_MAX });
  const next = unindexed.find(({ isComplete }) => isComplete);
  if (next === undefined) return undefined;
  const { knowledgeBaseId } = next;
  const text = createIndexSql(
    { schema, home },
    {
      knowledgeBaseId,
      generation,
      dimensions: paddedDimensions(dimensions),
    },
  );
  return {
    text,
    done: 'an index of vectors has been built: pgvector finds the nearest of all passages',
    knowledgeBaseId,
  };
}

/**
 * Builds and drops indexes, until the signal aborts, which it throws. A build that runs then goes on in the database.
 * `own`: the generation whose vectors are made. `readGenerations`: those whose indexes are used, or will be.
 */
export async function keepVectorIndexes(
  { database, log }: Context,
  { own, readGenerations }: { own: VectorGeneration; readGenerations: () => Promise<number[]> },
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    let pauseMs = LOOK_INTERVAL_MS;
    try {
      const next = await findNext(database, own, readGenerations);
      if (next !== undefined) {
        const startedAtMs = performance.now();
        await runForLong(database, next.text, signal);
        const seconds = Math.round((performance.now() - startedAtMs) / 1000);
        log.info({ knowledgeBaseId: next.knowledgeBaseId, seconds }, next.done);
        pauseMs = 0;
      }
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ reason: reasonOf(error) }, 'an index of vectors could not be built or dropped: tried again');
      pauseMs = FAILED_PAUSE_MS;
    }
    await delay(pauseMs, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
}
