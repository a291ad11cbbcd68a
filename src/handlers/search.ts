/** The query operation. */
import type { Filter, QueryRequest, SearchResult, SearchResultField } from '../../generated/types.gen.ts';
import { withinBounds } from '../database/connection/bounded-statements.ts';
import { toDocumentFilter } from '../database/rows/documents/document-filter.ts';
import { toDescription } from '../database/rows/documents/documents.ts';
import { requireDocuments } from '../database/rows/documents/documents-by-id.ts';
import { passageId, toHighlight, toLocation } from '../database/rows/documents/passages.ts';
import type { DetailedPassage } from '../search/details/details.ts';
import type { SearchScope } from '../search/ranking/search-scope.ts';
import type { SearchRequest } from '../search/search.ts';
import { findFilterWarnings } from '../search/warnings/filter-warnings.ts';
import {
  type AllowedKnowledgeBases,
  formatScopedId,
  parseDocumentIds,
  parseKnowledgeBaseIds,
} from '../terms/ids.ts';
import type { HandlerContext, Handlers } from './handler-types.ts';

/** The contract's search result. */
export function toSearchResult(passage: DetailedPassage): SearchResult {
  const { knowledge_base_id: knowledgeBaseId, context, highlights, snippet, explanation } = passage;
  const { duplicates } = passage;
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
    ...(highlights && { highlights: highlights.map((range) => toHighlight(range, passage)) }),
    ...(snippet && { snippet }),
    ...(explanation && { explanation }),
    ...(duplicates !== undefined && { duplicates }),
  };
}

/** The result with these fields only. Its schema cannot say that a request leaves out required ones. */
export function selectFields(result: SearchResult, fields: SearchResultField[]): SearchResult {
  const selected = Object.entries(result).filter(([field]) => fields.some((name) => name === field));
  return Object.fromEntries(selected) as SearchResult;
}

/**
 * Ten times as long as the most expensive known query: 8,192 characters over 1,000 knowledge bases under import. The
 * wait for models comes on top.
 */
const SEARCH_TIME_MAX_MS = 5_000;

/** A query whose filter is read. */
type QueryInput = Omit<QueryRequest, 'filter'> & { filter?: Filter };

/** What a query's options say about the documents of its results; undefined where nothing. */
function toScope(
  { filter, documentIds, maxPerDocument, distinct }: QueryInput,
  allowedKnowledgeBases: AllowedKnowledgeBases,
): SearchScope | undefined {
  const scope = {
    ...(filter && { filter: toDocumentFilter(filter) }),
    ...(documentIds && { documents: parseDocumentIds(documentIds, allowedKnowledgeBases) }),
    ...(maxPerDocument !== undefined && { maxPerDocument }),
    ...(distinct && { isDistinct: true }),
  };
  return Object.keys(scope).length > 0 ? scope : undefined;
}

/** Notes a query for the history. */
function noteQuery(
  { accountId, keyId, queryHistory }: HandlerContext,
  request: QueryRequest,
  answer: { searched: SearchRequest; resultCount: number; sentAtMs: number },
): void {
  const { searched, resultCount, sentAtMs } = answer;
  const ofDocuments = searched.scope?.documents?.map(({ knowledgeBaseId }) => knowledgeBaseId) ?? [];
  queryHistory.note({
    accountId,
    keyId,
    request,
    // Those that a key is bound to are not named: some of them may be deleted.
    knowledgeBaseIds: [...new Set(request.knowledgeBaseIds ? searched.knowledgeBaseIds : []), ...ofDocuments],
    resultCount,
    durationMs: performance.now() - sentAtMs,
  });
}

/** What tells a key that sees a part of its account from others; undefined: it sees all. */
const viewOf = ({ keyId, allowedKnowledgeBases, restriction }: HandlerContext): string | undefined =>
  allowedKnowledgeBases === undefined && restriction === undefined
    ? undefined
    : JSON.stringify([keyId, restriction]);

/** The search that a query asks for. */
function toRequest(input: QueryInput, context: HandlerContext) {
  const { accountId, allowedKnowledgeBases, restriction, config } = context;
  const { query, limit = 10, knowledgeBaseIds, minScore, prefix = false, mode, rerank } = input;
  const { highlight = false, explain = false, contextPassages = 0 } = input;
  const isDetailed = highlight || explain || contextPassages > 0;
  return {
    accountId,
    view: viewOf(context),
    knowledgeBaseIds: knowledgeBaseIds
      ? parseKnowledgeBaseIds(knowledgeBaseIds, allowedKnowledgeBases)
      : allowedKnowledgeBases && [...allowedKnowledgeBases],
    skipsDeleted: knowledgeBaseIds === undefined,
    query,
    prefix,
    mode,
    rerank,
    limit,
    scope: toScope(input, allowedKnowledgeBases),
    minScore,
    restriction,
    price: config.creditsPerQuery,
    ...(isDetailed && { details: { highlight, explain, contextPassages } }),
  };
}

export const searchHandlers = {
  async query(input, context) {
    const sentAtMs = performance.now();
    const { fields } = input;
    const { accountId, database, restriction } = context;
    const request = toRequest(input, context);
    const { scope } = request;
    const { embeddings, rerank: reranker } = context.config;
    const waitMaxMs = (embeddings?.timeoutMs ?? 0) + (reranker?.timeoutMs ?? 0);
    const { passages, phrasesAsWords, warnings } = await withinBounds(
      { timeMaxMs: SEARCH_TIME_MAX_MS + waitMaxMs, signal: context.signal },
      async () => {
        if (scope?.documents) await requireDocuments(database, { accountId, restriction }, scope.documents);
        return await context.search(request);
      },
    );
    const reasons =
      passages.length === 0 && input.filter !== undefined
        ? await findFilterWarnings(database, request, input.filter)
        : [];
    noteQuery(context, input, { searched: request, resultCount: passages.length, sentAtMs });
    const results = passages.map(toSearchResult);
    return {
      data: fields ? results.map((result) => selectFields(result, fields)) : results,
      ...(phrasesAsWords.length > 0 && { phrasesAsWords }),
      ...(warnings.length + reasons.length > 0 && { warnings: [...reasons, ...warnings] }),
    };
  },
} satisfies Partial<Handlers>;
