/** The query operation. */
import type { SearchResult, SearchResultField } from '../../generated/types.gen.ts';
import { withinBounds } from '../database/bounded-statements.ts';
import { toDescription } from '../database/documents.ts';
import { passageId, toLocation } from '../database/passages.ts';
import { formatScopedId, parseKnowledgeBaseIds } from '../ids.ts';
import type { DetailedPassage } from '../search/details.ts';
import type { Handlers } from './handler-types.ts';

function toSearchResult(passage: DetailedPassage): SearchResult {
  const { knowledge_base_id: knowledgeBaseId, context, highlights, snippet, explanation } = passage;
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
    ...(context && { context }),
    ...(highlights && { highlights }),
    ...(snippet && { snippet }),
    ...(explanation && { explanation }),
  };
}

/** The result with these fields only. Its schema cannot say that a request leaves out required ones. */
function selectFields(result: SearchResult, fields: SearchResultField[]): SearchResult {
  const selected = Object.entries(result).filter(([field]) => fields.some((name) => name === field));
  return Object.fromEntries(selected) as SearchResult;
}

/** Ten times as long as the most expensive known query: 8,192 characters over 1,000 knowledge bases under import. */
const SEARCH_TIME_MAX_MS = 5_000;

export const searchHandlers = {
  async query({ query, limit = 10, knowledgeBaseIds, fields, ...options }, context) {
    const { accountId, reach } = context;
    const { highlight = false, explain = false, contextPassages = 0, prefix = false } = options;
    const isDetailed = highlight || explain || contextPassages > 0;
    const request = {
      accountId,
      knowledgeBaseIds: knowledgeBaseIds
        ? parseKnowledgeBaseIds(knowledgeBaseIds, reach)
        : reach && [...reach],
      skipsDeleted: knowledgeBaseIds === undefined,
      query,
      prefix,
      limit,
      price: context.config.creditsPerQuery,
      ...(isDetailed && { details: { highlight, explain, contextPassages } }),
    };
    const bounds = { timeMaxMs: SEARCH_TIME_MAX_MS, signal: () => context.signal };
    const passages = await withinBounds(bounds, () => context.search(request));
    const results = passages.map(toSearchResult);
    return { data: fields ? results.map((result) => selectFields(result, fields)) : results };
  },
} satisfies Partial<Handlers>;
