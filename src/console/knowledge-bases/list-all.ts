/** All knowledge bases of the account. An account has a thousand by default: one page of the list. */
import type { KnowledgeBase, KnowledgeRetrieval } from '../../client/index.ts';

export async function listAllKnowledgeBases(
  service: KnowledgeRetrieval,
  signal: AbortSignal,
): Promise<KnowledgeBase[]> {
  const all: KnowledgeBase[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<KnowledgeRetrieval['listKnowledgeBases']>> =
      await service.listKnowledgeBases(cursor === null ? {} : { cursor }, { signal });
    all.push(...page.data);
    cursor = page.pagination.nextCursor;
  } while (cursor !== null);
  return all;
}
