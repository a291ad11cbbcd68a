/** What a program sees of its account, by requests that every release has answered. */
import { call } from '../../harness/service/service-process.ts';

/** A service with the key of one account. */
export type Access = { address: string; apiKey: string };

type Identified = { id: string };
type Passage = Identified & { document_id: string; score: number };

/** The documents of a knowledge base in the order of their list, each with its details, its status and its passages. */
async function viewDocuments(access: Access, knowledgeBaseId: string) {
  const documents = await call<Identified[]>(
    access,
    `listDocuments?knowledgeBaseId=${knowledgeBaseId}&limit=1000`,
  );
  const view = async ({ id }: Identified) => ({
    details: await call<Identified>(access, `getDocument?documentId=${id}`),
    status: await call<object>(access, `getDocumentStatus?documentId=${id}`),
    passages: await call<object[]>(access, `listPassages?documentId=${id}`),
  });
  return await Promise.all(documents.map(view));
}

type DocumentViews = Awaited<ReturnType<typeof viewDocuments>>;

/**
 * The account's balance and usage, its knowledge bases, and the documents of each by its id. None of the requests costs
 * credits.
 */
export async function viewAccount(access: Access) {
  const knowledgeBases = await call<Identified[]>(access, 'listKnowledgeBases?limit=1000');
  const documents: Record<string, DocumentViews> = {};
  for (const { id } of knowledgeBases) documents[id] = await viewDocuments(access, id);
  return {
    balance: await call<object>(access, 'getBalance'),
    usage: await call<object>(access, 'getUsage'),
    knowledgeBases,
    documents,
  };
}

export type AccountView = Awaited<ReturnType<typeof viewAccount>>;

/** The best passage for each query, without its score: that may differ between releases. */
export async function searchEach(
  access: Access,
  queries: string[],
): Promise<{ query: string; found: { document_id?: string } }[]> {
  const best = [];
  for (const query of queries) {
    const [passage] = await call<Passage[]>(access, 'query', { query, limit: 1 });
    const { score: _score, ...found } = passage ?? { score: 0 };
    best.push({ query, found });
  }
  return best;
}
