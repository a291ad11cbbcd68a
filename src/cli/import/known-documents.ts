/** What the knowledge base already has of the files that are to be imported. */
import type { Document, KnowledgeBase } from '../../../generated/types.gen.ts';
import type { KnowledgeRetrieval } from '../../client/client.ts';

/** Finds the newest document of a file; undefined: there is none. */
export type FindKnown = (externalId: string) => Promise<KnownDocument | undefined>;

export type KnownDocument = Pick<
  Document,
  'id' | 'title' | 'size' | 'status' | 'createdAt' | 'sha256' | 'attributes' | 'error'
>;

/**
 * With at most this many documents for each file, all documents are listed, a thousand in a request. Otherwise each
 * file is looked up by a request of its own. The number also bounds the memory.
 */
const LISTED_PER_FILE = 10;

const toKnown = (document: Document): KnownDocument => {
  const { id, title, size, status, createdAt, sha256, attributes, error } = document;
  return {
    id,
    title,
    size,
    status,
    createdAt,
    ...(sha256 !== undefined && { sha256 }),
    ...(attributes !== undefined && { attributes }),
    ...(error !== undefined && { error }),
  };
};

async function listKnown(client: KnowledgeRetrieval, knowledgeBaseId: string): Promise<FindKnown> {
  const known = new Map<string, KnownDocument>();
  for await (const document of client.listDocuments(knowledgeBaseId)) {
    const { externalId } = document;
    // The newest comes first.
    if (externalId !== undefined && !known.has(externalId)) known.set(externalId, toKnown(document));
  }
  return async (externalId) => known.get(externalId);
}

/** `knowledgeBase` undefined: it does not exist yet. */
export async function findKnownDocuments(
  client: KnowledgeRetrieval,
  knowledgeBase: KnowledgeBase | undefined,
  fileCount: number,
): Promise<FindKnown> {
  const { id: knowledgeBaseId = '', documentCount = 0 } = knowledgeBase ?? {};
  if (documentCount === 0) return async () => undefined;
  if (documentCount <= fileCount * LISTED_PER_FILE) return await listKnown(client, knowledgeBaseId);
  return async (externalId) => {
    const { data } = await client.listDocuments({ knowledgeBaseId, externalId, limit: 1 });
    return data[0] && toKnown(data[0]);
  };
}
