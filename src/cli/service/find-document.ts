/** Finds the document that the user means. */
import type { Document } from '../../../generated/types.gen.ts';
import type { KnowledgeRetrieval } from '../../client/client.ts';
import { enumerate } from '../../terminal/formats.ts';
import { CommandError } from '../options.ts';
import { requireKnowledgeBase } from './find-knowledge-base.ts';

const ID = /^[0-9a-f-]{36}_[0-9a-f-]{36}$/;

/** The newest document with this `externalId`: the path of an imported file. */
async function findByExternalId(
  client: KnowledgeRetrieval,
  knowledgeBaseId: string,
  externalId: string,
): Promise<Document | undefined> {
  return (await client.listDocuments({ knowledgeBaseId, externalId, limit: 1 })).data[0];
}

/** @throws a sentence when no document has this title, or several have it */
async function requireByTitle(
  client: KnowledgeRetrieval,
  knowledgeBaseId: string,
  title: string,
): Promise<Document> {
  const found: Document[] = [];
  for await (const document of client.listDocuments({ knowledgeBaseId, titleContains: title }))
    if (document.title === title) found.push(document);
  const [document] = found;
  if (document === undefined)
    throw new CommandError(`The knowledge base has no document "${title}"; \`docs list\` shows all.`);
  if (found.length === 1) return document;
  const ids = enumerate(found.map(({ id, externalId }) => externalId ?? id));
  throw new CommandError(`${found.length} documents have the title "${title}". Give one of ${ids}.`);
}

/**
 * The id of a document: `given` itself, or the id of the document with this path (`externalId`) or title in the
 * knowledge base `kb`.
 * @throws a sentence when there is none, when several have the title, or the knowledge base is missing
 */
export async function requireDocumentId(
  client: KnowledgeRetrieval,
  given: string,
  kb: string | undefined,
): Promise<string> {
  if (ID.test(given)) return given;
  if (kb === undefined)
    throw new CommandError(`"${given}" is no id. With its knowledge base (--kb), a path or title will do.`);
  const { id } = await requireKnowledgeBase(client, kb);
  return ((await findByExternalId(client, id, given)) ?? (await requireByTitle(client, id, given))).id;
}
