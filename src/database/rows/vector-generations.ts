/**
 * Generations of vectors. A generation comes from one model, with its dimensions and prefixes. Vectors of two
 * generations are never compared.
 *
 *   wanted    the generation that the last started server wants: its vectors are made
 *   current   the generation whose vectors queries are compared with
 *   retired   all others, once the wanted generation is current: their vectors are removed
 *
 * The first one is current at once. A further one becomes so when no document of before lacks its vectors.
 */
import { sql } from 'kysely';
import type { Database, Queryable } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** What tells a generation from others. */
type Model = { model: string; dimensions: number; queryPrefix: string; passagePrefix: string };

/**
 * `url`: where the model answered when the generation was wanted last. `mean`: of the vectors of some fixed
 * sentences, which is subtracted from all others.
 */
export type VectorGeneration = Model & { generation: number; url: string; mean: Float32Array };

type Row = Omit<VectorGeneration, 'mean'> & { mean: Buffer; isCurrent: boolean; isWanted: boolean };

/** SQL for the number of the wanted generation, as a subquery: without a row, no server has wanted one yet. */
export const wantedGeneration = sql`(SELECT generation FROM vector_generations ORDER BY wanted_at DESC LIMIT 1)`;

const currentGeneration = sql`
  (SELECT generation FROM vector_generations WHERE current_since IS NOT NULL ORDER BY current_since DESC LIMIT 1)`;

const readAll = prepare(
  'read_vector_generations',
  [],
  () => sql<Row>`
    SELECT generation, url, model, dimensions, query_prefix AS "queryPrefix", passage_prefix AS "passagePrefix", mean,
      generation IS NOT DISTINCT FROM ${currentGeneration} AS "isCurrent",
      generation = ${wantedGeneration} AS "isWanted"
    FROM vector_generations WHERE NOT is_retired ORDER BY wanted_at DESC`,
);

/** A copy, since the bytes in the buffer may begin at any address. */
const toNumbers = (bytes: Buffer): Float32Array => new Float32Array(new Uint8Array(bytes).buffer);
const toBytes = ({ buffer, byteOffset, byteLength }: Float32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

const toGeneration = ({ isCurrent, isWanted, mean, ...row }: Row): VectorGeneration => ({
  ...row,
  mean: toNumbers(mean),
});

/** Undefined: no server has wanted a model yet. */
export type Generations = { current: VectorGeneration | undefined; wanted: VectorGeneration | undefined };

export async function readGenerations(database: Queryable): Promise<Generations> {
  const rows = await readAll(database, {});
  const [current, wanted] = [rows.find(({ isCurrent }) => isCurrent), rows.find(({ isWanted }) => isWanted)];
  return { current: current && toGeneration(current), wanted: wanted && toGeneration(wanted) };
}

/** The generation with whose vectors queries are compared. */
export const readCurrentGeneration = async (database: Queryable): Promise<VectorGeneration | undefined> =>
  (await readGenerations(database)).current;

/** A server may compare queries with the former generation for this long. Its vectors stay for longer. */
const REREAD_MS = 5_000;
/** The vectors of a generation that is not current any more stay for this long. */
export const KEPT_SECONDS = 60;

/**
 * The generations, as they were REREAD_MS ago at most. Requests share what was read, but no read that still runs: it
 * ends with the request that began it.
 */
export function createCurrentGeneration(database: Queryable) {
  let last: { generations: Generations; untilMs: number } | undefined;
  const readIfDue = async (): Promise<Generations> => {
    if (last !== undefined && performance.now() < last.untilMs) return last.generations;
    const untilMs = performance.now() + REREAD_MS;
    const generations = await readGenerations(database);
    if (last === undefined || untilMs > last.untilMs) last = { generations, untilMs };
    return generations;
  };
  return {
    current: async (): Promise<VectorGeneration | undefined> => (await readIfDue()).current,
    wanted: async (): Promise<VectorGeneration | undefined> => (await readIfDue()).wanted,
  };
}

/** What reads the generations: see `createCurrentGeneration`. */
export type CurrentGeneration = ReturnType<typeof createCurrentGeneration>;

/** Readers do not wait for it. */
const lockGenerations = (transaction: Queryable) =>
  sql`LOCK TABLE vector_generations IN SHARE ROW EXCLUSIVE MODE`.execute(transaction);

/** The cosine of the means of one model's vectors is .99 and more, however it was quantised. */
const SAME_MEAN = 0.97;

/** Whether the vectors of which these are means are of one model. */
export function isSameMean(left: Float32Array, right: Float32Array): boolean {
  if (left.length !== right.length) return false;
  let [dot, lefts, rights] = [0, 0, 0];
  for (const [i, number] of left.entries()) {
    const other = right[i] ?? 0;
    dot += number * other;
    lefts += number ** 2;
    rights += other ** 2;
  }
  return dot >= SAME_MEAN * Math.sqrt(lefts * rights);
}

/**
 * A model that is wanted. Without `dimensions`: however many it has. Without `mean`, nothing has been asked of it yet:
 * it is taken for the model that had the name before.
 */
type WantedModel = Omit<Model, 'dimensions'> & { url: string; dimensions?: number | undefined } & {
  mean?: Float32Array;
};

const isOf =
  ({ model, dimensions, queryPrefix, passagePrefix, mean }: WantedModel) =>
  (found: VectorGeneration): boolean =>
    found.model === model &&
    found.queryPrefix === queryPrefix &&
    found.passagePrefix === passagePrefix &&
    (dimensions === undefined || found.dimensions === dimensions) &&
    (mean === undefined || isSameMean(mean, found.mean));

/** Inserts a generation, which is wanted. The first one is current. */
async function insertGeneration(
  transaction: Queryable,
  { url, model, queryPrefix, passagePrefix, mean }: WantedModel & { mean: Float32Array },
): Promise<void> {
  await sql`
    INSERT INTO vector_generations
      (generation, url, model, dimensions, query_prefix, passage_prefix, mean, wanted_at, current_since)
    SELECT coalesce(max(generation), 1) + 1, ${url}::text, ${model}::text, ${mean.length}::integer,
      ${queryPrefix}::text, ${passagePrefix}::text, ${toBytes(mean)}::bytea, clock_timestamp(),
      CASE WHEN max(current_since) IS NULL THEN now() END
    FROM vector_generations`.execute(transaction);
}

/**
 * Makes a model the wanted one. It is the same one as before where its name, dimensions and prefixes are the same, and
 * nearly its mean: wherever it answers now, and unless another model has its name.
 * @returns its generation; undefined where it is a new one, and its `mean` is not known yet
 */
export async function wantGeneration(
  database: Database,
  model: WantedModel,
): Promise<VectorGeneration | undefined> {
  return await database.transaction().execute(async (transaction) => {
    await lockGenerations(transaction);
    const rows = await readAll(transaction, {});
    const found = rows.find((row) => isOf(model)(toGeneration(row)));
    const { url, mean } = model;
    if (found?.isWanted && found.url === url) return toGeneration(found);
    if (found === undefined) {
      if (mean === undefined) return undefined;
      await insertGeneration(transaction, { ...model, mean });
    } else
      await sql`
        UPDATE vector_generations SET url = ${url}, wanted_at = clock_timestamp()
        WHERE generation = ${found.generation}`.execute(transaction);
    return (await readGenerations(transaction)).wanted;
  });
}

/**
 * Makes the wanted generation the current one, unless it is, or a document that was queued until `lookedAt` has not
 * been tried yet. All that were stored before then must be in the queue.
 * @returns whether it has become current
 */
export async function switchGeneration(
  database: Database,
  generation: number,
  lookedAt: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE vector_generations SET current_since = now(), is_alone = false
    WHERE generation = ${generation} AND generation = ${wantedGeneration} AND generation <> ${currentGeneration}
      AND NOT EXISTS (SELECT FROM documents_without_vectors
        WHERE tries = 0 AND queued_at <= ${lookedAt}::timestamptz)`.execute(database);
  return numAffectedRows === 1n;
}

/**
 * Retires all other generations when this one has been both current and wanted for KEPT_SECONDS.
 * @returns whether vectors of others are to be removed
 */
export async function retireOthers(database: Database, generation: number): Promise<boolean> {
  return await database.transaction().execute(async (transaction) => {
    await lockGenerations(transaction);
    const isOnlyOne = sql`generation = ${wantedGeneration} AND generation = ${currentGeneration}
      AND current_since < now() - make_interval(secs => ${KEPT_SECONDS})`;
    const { rows } = await sql<{ isAlone: boolean }>`
      WITH only_one AS (
        SELECT generation FROM vector_generations WHERE generation = ${generation} AND ${isOnlyOne}),
      retired AS (
        UPDATE vector_generations SET is_retired = true
        WHERE NOT is_retired AND generation <> ${generation} AND EXISTS (SELECT FROM only_one) RETURNING generation)
      UPDATE vector_generations SET is_alone = is_alone AND NOT EXISTS (SELECT FROM retired)
      WHERE generation IN (SELECT generation FROM only_one)
      RETURNING is_alone AS "isAlone"`.execute(transaction);
    return rows[0]?.isAlone === false;
  });
}

/** Records that the vectors of all other generations have been removed, which only one worker does at a time. */
export async function recordAlone(database: Database, generation: number): Promise<void> {
  await sql`
    UPDATE vector_generations SET is_alone = true
    WHERE generation = ${generation} AND generation = ${currentGeneration}`.execute(database);
}
