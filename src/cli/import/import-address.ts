/** Imports one address: the service fetches it, and compares it with what it has. */
import { createHash } from 'node:crypto';
import type { ImportContext, LocalImport } from './import-context.ts';
import type { ImportableAddress } from './read-sitemap.ts';

/** The longest `externalId`. */
const EXTERNAL_ID_MAX = 256;
/** The part of a longer address that people read; the hash follows it. */
const SHOWN_LENGTH = 180;

/** The `externalId` of an address: itself, or its beginning with a hash where it is too long. */
export function addressId(url: string, prefix: string): string {
  const id = prefix + url;
  if ([...id].length <= EXTERNAL_ID_MAX) return id;
  const hash = createHash('sha256').update(id).digest('hex');
  return `${[...id].slice(0, SHOWN_LENGTH).join('')}#${hash}`;
}

/**
 * Imports an address, unless its sitemap says that it has not changed since the last import.
 * @throws KnowledgeRetrievalError
 */
export async function importAddress(
  { client, findKnown, knowledgeBaseId, attributes, waitForDocument, isTrial, signal }: ImportContext,
  { url, changedMs }: ImportableAddress,
  externalId: string,
): Promise<LocalImport> {
  const known = await findKnown(externalId);
  const isDone = known?.status === 'processed' && attributes === undefined;
  if (isDone && changedMs !== undefined && changedMs < Date.parse(known.createdAt))
    return { outcome: 'unchanged', documentId: known.id };
  if (isTrial) return { outcome: 'sent' };
  const facts = attributes === undefined ? {} : { attributes };
  const document = await client.importUrl({ knowledgeBaseId, url, externalId, ...facts }, { signal });
  if (waitForDocument === undefined) return { outcome: 'sent', documentId: document.id };
  // Not by a list: an unchanged document has another id.
  const {
    id: documentId,
    unchanged,
    warnings = [],
  } = await client.pollDocumentStatus(document.id, { signal });
  if (unchanged) return { outcome: 'unchanged', documentId };
  const outcome = document.replaces === undefined ? 'imported' : 'updated';
  return { outcome, documentId, ...(warnings.length > 0 && { warnings }) };
}
