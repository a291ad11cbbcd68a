/** The model of this server's settings: wanted once after the start, and known as soon as it has answered once. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EmbeddingsSettings } from '../../config/model-settings.ts';
import type { Database } from '../../database/connection/database.ts';
import { isDistributed } from '../../database/distribution/distribution.ts';
import { isSameMean, type VectorGeneration, wantGeneration } from '../../database/rows/vector-generations.ts';
import { measureMean } from '../../meaning/model/calibration-sentences.ts';
import { modelOf } from '../../meaning/model/embeddings-model.ts';
import { createEmbeddingsServer } from '../../meaning/model/embeddings-server.ts';

/** The pause after the first failure. Each further one is twice as long, up to the longest. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

const NOT_ON_CITUS =
  'EMBEDDINGS_URL has no effect: on a database that Citus distributes, every query is by words';

type Context = { database: Database; log: Logger };

/**
 * Makes the model of the settings the wanted one. It is asked for the mean of its vectors each time: where another
 * model has got its name, the vectors are made anew. `found` is called as soon as the generation is known.
 * @throws ModelFailure; the reason of the signal
 */
async function wantModel(
  { database, log }: Context,
  settings: EmbeddingsSettings,
  { signal, found }: { signal: AbortSignal; found(generation: VectorGeneration): void },
): Promise<void> {
  const { url, model, dimensions, queryPrefix, passagePrefix } = modelOf(settings);
  const wanted = { url, model, dimensions, queryPrefix, passagePrefix };
  const known = await wantGeneration(database, wanted);
  if (known !== undefined) found(known);
  const mean = await measureMean(createEmbeddingsServer(modelOf(settings)), signal);
  // Wanted above: what another server has wanted since comes after it.
  if (known !== undefined && isSameMean(mean, known.mean)) return;
  if (known !== undefined)
    log.warn({ model }, 'the model makes other vectors than before: those of all passages are made anew');
  const generation = await wantGeneration(database, { ...wanted, mean });
  if (generation !== undefined) found(generation);
}

/** `generation`: undefined until the model has answered for the first time. */
export type OwnModel = { generation(): VectorGeneration | undefined; stop(): Promise<void> };

/** Wants the model of the settings, again and again until that has succeeded. */
export function wantOwnModel(context: Context, settings: EmbeddingsSettings): OwnModel {
  const stopping = new AbortController();
  const { signal } = stopping;
  let generation: VectorGeneration | undefined;
  const found = (wanted: VectorGeneration) => {
    generation = wanted;
  };
  const untilWanted = async (pauseMs = FIRST_PAUSE_MS): Promise<void> => {
    try {
      if (await isDistributed(context.database)) return context.log.warn(NOT_ON_CITUS);
      await wantModel(context, settings, { signal, found });
    } catch (error) {
      if (signal.aborted) return;
      const { message } = error as Error; // only errors are thrown
      context.log.warn({ reason: message }, 'the model does not answer: no vectors are made meanwhile');
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) await untilWanted(Math.min(2 * pauseMs, LONGEST_PAUSE_MS));
    }
  };
  const wanting = untilWanted();
  return {
    generation: () => generation,
    async stop() {
      stopping.abort();
      await wanting;
    },
  };
}
