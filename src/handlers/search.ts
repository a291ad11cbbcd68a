/** The query operation. */
import type { SearchResult } from '../../generated/types.gen.ts';
import type { Handlers } from '../contract.ts';
import { formatScopedId, parseKnowledgeBaseId } from '../ids.ts';
import type { FoundPassage } from '../retrieval/ranking.ts';
import { passageId, toLocation } from '../storage/passages.ts';

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
  };
}

export const searchHandlers = {
  async query({ query, limit = 10, knowledgeBaseIds }, { search, accountId, config }) {
    const ids = knowledgeBaseIds?.map(parseKnowledgeBaseId);
    const passages = await search({
      accountId,
      knowledgeBaseIds: ids && [...new Set(ids)],
      query,
      limit,
      credits: config.creditsPerQuery,
    });
    return { data: passages.map(toSearchResult) };
  },
} satisfies Partial<Handlers>;
