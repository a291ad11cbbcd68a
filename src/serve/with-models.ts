/** Lets the models of the settings answer queries too: one finds passages by meaning, one orders the best. */
import type { Logger } from 'pino';
import type { CurrentGeneration } from '../database/rows/vector-generations.ts';
import type { Service } from '../handlers/service.ts';
import { searchByModel } from '../search/model-search.ts';
import { createEmbedQuery } from '../search/query/embed-query.ts';
import { createAskRelevance, searchReranked } from '../search/reranked-search.ts';
import type { Search } from '../search/search.ts';

/** Logs when a server with a model ceases to answer queries, and when it answers again. */
function logChanges(log: Logger, { again, silent }: { again: string; silent: string }) {
  let isAnswering = true;
  return (answers: boolean, reason: string | undefined) => {
    if (answers === isAnswering) return;
    isAnswering = answers;
    if (answers) log.info(again);
    else log.warn({ reason }, silent);
  };
}

type Used = Pick<Service, 'config' | 'telemetry' | 'log'> & { generations: CurrentGeneration };

/** The search, with the models of the settings, if they have any. */
export function withModels(searchByWords: Search, { config, telemetry, log, generations }: Used): Search {
  const { embeddings, rerank } = config;
  let search = searchByWords;
  if (embeddings !== undefined) {
    const logChange = logChanges(log, {
      again: 'the model answers queries again',
      silent: 'the model does not answer: queries are by words alone',
    });
    const embedQuery = createEmbedQuery({
      settings: embeddings,
      generations,
      onOutcome(outcome, reason) {
        telemetry.meaningAsked(outcome);
        logChange(outcome === 'compared', reason);
      },
    });
    search = searchByModel(search, embedQuery);
  }
  if (rerank !== undefined) {
    const logChange = logChanges(log, {
      again: 'the reranker answers queries again',
      silent: 'the reranker does not answer: passages are in the order without it',
    });
    const ask = createAskRelevance({
      settings: rerank,
      onOutcome(outcome, reason) {
        telemetry.rerankAsked(outcome);
        logChange(outcome === 'reranked', reason);
      },
    });
    search = searchReranked(search, ask, { depth: rerank.candidates });
  }
  return search;
}
