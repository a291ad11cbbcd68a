/** All knowledge bases of the account. An account has a thousand by default: one page of the list. */
import type { KnowledgeBase, KnowledgeRetrieval } from '../../client/index.ts';

export async function listAllKnowledgeBases(
  service: KnowledgeRetrieval,
  signal: AbortSignal,
): Promise<KnowledgeBase[]> {
  const all: KnowledgeBase[] = [];
  for await (const knowledgeBase of service.listKnowledgeBases({}, { signal })) all.push(knowledgeBase);
  return all;
}
