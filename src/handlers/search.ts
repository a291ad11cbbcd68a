/** The query operation. */
import type { SearchResult } from '../../generated/types.gen.ts';
import type { Handlers } from '../contract.ts';
import { insufficientCredits } from '../errors.ts';
import { formatScopedId, parseKnowledgeBaseId } from '../ids.ts';
import type { FoundPassage } from '../retrieval/ranking.ts';
import { searchPassages } from '../retrieval/search.ts';
import { chargeCredits } from '../storage/accounts.ts';
import { findSearchedKnowledgeBases } from '../storage/knowledge-bases.ts';

function toSearchResult(passage: FoundPassage): SearchResult {
  const { knowledge_base_id: knowledgeBaseId, position, page, headings } = passage;
  const documentId = formatScopedId({ knowledgeBaseId, id: passage.document_id });
  const location = {
    passage: position,
    ...(page !== null && { page }),
    headings,
    start: passage.start_offset,
    end: passage.end_offset,
  };
  return {
    id: `${documentId}_${position}`,
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
  async query({ query, limit = 10, knowledgeBaseIds }, { database, stem, accountId, config }) {
    const ids = knowledgeBaseIds?.map(parseKnowledgeBaseId);
    const searched = await findSearchedKnowledgeBases(database, accountId, ids && [...new Set(ids)]);
    const credits = config.creditsPerQuery;
    if (credits > searched.accountCredits) throw insufficientCredits();
    const passages = await searchPassages({ database, stem }, { query, searched, limit });
    await chargeCredits(database, accountId, credits);
    return { data: passages.map(toSearchResult) };
  },
} satisfies Partial<Handlers>;
