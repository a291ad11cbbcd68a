/** Asks the model of the stored vectors for the vector of a query. */
import type { QueryWarning } from '../../../generated/types.gen.ts';
import type { EmbeddingsSettings } from '../../config/model-settings.ts';
import type { CurrentGeneration, VectorGeneration } from '../../database/rows/vector-generations.ts';
import { storedModel } from '../../meaning/model/embeddings-model.ts';
import { createEmbeddingsServer } from '../../meaning/model/embeddings-server.ts';
import type { Degraded } from '../../meaning/model/in-time.ts';
import { createModelSpace, type ModelSpace } from '../../meaning/model/model-space.ts';
import { createQueryEmbeddings, type QueryEmbeddings } from '../../meaning/model/query-embeddings.ts';
import type { EmbedQuery } from './query-meaning.ts';

/** How a query went: it was compared by its meaning, or why not. */
export type MeaningOutcome = 'compared' | Degraded['degraded'];

/** `onOutcome`: called for each query, with a sentence for the operator about a failure. */
type Options = {
  settings: EmbeddingsSettings;
  generations: Pick<CurrentGeneration, 'current'>;
  onOutcome(outcome: MeaningOutcome, reason?: string): void;
};

/** People who search are told neither the address of the server nor what it said. */
function warningOf({ degraded }: Degraded, { timeoutMs }: EmbeddingsSettings): QueryWarning {
  const instead = 'The passages were found by words alone.';
  return degraded === 'timeout'
    ? { code: 'MEANING_TIMEOUT', message: `The model did not answer within ${timeoutMs} ms. ${instead}` }
    : { code: 'MEANING_UNAVAILABLE', message: `The model cannot be used at the moment. ${instead}` };
}

/** The model of a generation of vectors, at its address. */
type AskedModel = { generation: number; url: string; embeddings: QueryEmbeddings; space: ModelSpace };

/**
 * Creates the function that embeds queries by the model of the current vectors: while vectors of the settings'
 * model are made, another model.
 */
export function createEmbedQuery({ settings, generations, onOutcome }: Options): EmbedQuery {
  let asked: AskedModel | undefined;
  const modelOf = (current: VectorGeneration): AskedModel => {
    const { generation, url, mean } = current;
    if (asked?.generation === generation && asked.url === url) return asked;
    const server = createEmbeddingsServer(storedModel(current, settings));
    const embeddings = createQueryEmbeddings(server, settings);
    asked = { generation, url, embeddings, space: createModelSpace(mean) };
    return asked;
  };
  return async ({ accountId, view, query }) => {
    const current = await generations.current();
    if (current === undefined) return undefined;
    const { generation, embeddings, space } = modelOf(current);
    const answer = await embeddings.embed(query, { accountId, view });
    if ('degraded' in answer) {
      onOutcome(answer.degraded, answer.message);
      return { warning: warningOf(answer, settings) };
    }
    onOutcome('compared');
    const vector = space.toSpace(answer.vector);
    return vector && { embedding: { generation, vector } };
  };
}
