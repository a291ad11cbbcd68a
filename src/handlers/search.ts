/** The query operation. */
import type { SearchResult } from '../../generated/types.gen.ts';
import { withinBounds } from '../database/bounded-statements.ts';
import { toDescription } from '../database/documents.ts';
import { passageId, toLocation } from '../database/passages.ts';
import { formatScopedId, parseKnowledgeBaseIds } from '../ids.ts';
import type { FoundPassage } from '../search/ranking.ts';
import type { Handlers } from './handler-types.ts';

function toSearchResult(passage: FoundPassage): SearchResult {
  const { knowledge_base_id: knowledgeBaseId } = passage;
  const documentId = formatScopedId({ knowledgeBaseId, id: passage.document_id });
  const location = toLocation(passage);
  return {
    id: passageId(passage),
    score: passage.score,
    document_id: documentId,
    knowledge_base_id: knowledgeBaseId,
    title: passage.title,
    type: passage.type,
    content: passage.content,
    metadata: { source: passage.source, annotations: JSON.stringify(location) },
    location,
    ...toDescription(passage),
  };
}

/** Ten times as long as the most expensive known query: 8,192 characters over 1,000 knowledge bases under import. */
const SEARCH_TIME_MAX_MS = 5_000;

export const searchHandlers = {
  async query({ query, limit = 10, knowledgeBaseIds }, context) {
    const request = {
      accountId: context.accountId,
      knowledgeBaseIds: knowledgeBaseIds && parseKnowledgeBaseIds(knowledgeBaseIds),
      query,
      limit,
      price: context.config.creditsPerQuery,
    };
    const bounds = { timeMaxMs: SEARCH_TIME_MAX_MS, signal: () => context.signal };
    const passages = await withinBounds(bounds, () => context.search(request));
    return { data: passages.map(toSearchResult) };
  },
} satisfies Partial<Handlers>;
