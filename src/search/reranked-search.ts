/** Lets a model of the operator order the best passages: it says how relevant they are to the query. */
import type { QueryWarning } from '../../generated/types.gen.ts';
import type { RerankSettings } from '../config/model-settings.ts';
import type { Degraded } from '../meaning/model/in-time.ts';
import { passageText } from '../meaning/model/passage-text.ts';
import { createQueryReranker, createReranker } from '../meaning/model/reranker.ts';
import type { FoundPassage } from './ranking/statement/found-passages.ts';
import type { Relevance } from './rerank-best.ts';
import type { Search, SearchRequest } from './search.ts';

/** Asks for these passages of a query. It never throws. */
export type AskRelevance = (
  request: Pick<SearchRequest, 'accountId' | 'query'>,
  passages: readonly FoundPassage[],
) => Promise<Relevance>;

/** How a query went: the model put its best passages in order, or why not. */
export type RerankOutcome = 'reranked' | Degraded['degraded'];

/** `onOutcome`: called for each query, with a sentence for the operator about a failure. */
type Options = { settings: RerankSettings; onOutcome(outcome: RerankOutcome, reason?: string): void };

/** People who search are told neither the address of the server nor what it said. */
function warningOf({ degraded }: Degraded, { timeoutMs }: RerankSettings): QueryWarning {
  const instead = 'The passages are in the order without it.';
  return degraded === 'timeout'
    ? { code: 'RERANK_TIMEOUT', message: `The reranker did not answer within ${timeoutMs} ms. ${instead}` }
    : { code: 'RERANK_UNAVAILABLE', message: `The reranker cannot be used at the moment. ${instead}` };
}

const textOf = ({ title, headings, content }: FoundPassage): string =>
  passageText(title, headings ?? [], content);

/** Creates the function that asks the reranker, within its time limit. */
export function createAskRelevance({ settings, onOutcome }: Options): AskRelevance {
  const reranker = createQueryReranker(createReranker(settings), settings);
  return async ({ query, accountId }, passages) => {
    const answer = await reranker.rerank(query, passages.map(textOf), accountId);
    if ('degraded' in answer) {
      onOutcome(answer.degraded, answer.message);
      return { warning: warningOf(answer, settings) };
    }
    onOutcome('reranked');
    return answer;
  };
}

/** The search, with the order of the model where the query does not refuse it. `depth`: the passages to order. */
export const searchReranked =
  (search: Search, ask: AskRelevance, { depth }: { depth: number }): Search =>
  async (request) =>
    await search(
      request.rerank === false
        ? request
        : { ...request, reranking: { depth, ask: (passages) => ask(request, passages) } },
    );
