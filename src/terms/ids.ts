/**
 * Identifiers of the contract. Document and file ids contain their knowledge base's id, so that a look-up names its
 * shard, and so that this file can check which knowledge bases a key allows: every id in a request is parsed here.
 */
import { documentNotFound, fileNotFound, knowledgeBaseNotFound, webhookNotFound } from './errors.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const UUID_PATTERN = new RegExp(`^${UUID}$`);
const SCOPED_ID_PATTERN = new RegExp(`^(${UUID})_(${UUID})$`);

/** The id of a document or file: its knowledge base's id and its own, both UUIDs. */
export type ScopedId = { knowledgeBaseId: string; id: string };

/** The id of an account's document or file. */
export type OwnedId = ScopedId & { accountId: string };

/** The knowledge bases that an API key is bound to; undefined: all of its account. Others do not exist for the key. */
export type AllowedKnowledgeBases = ReadonlySet<string> | undefined;

const isAllowed = (knowledgeBaseId: string, allowed: AllowedKnowledgeBases): boolean =>
  allowed === undefined || allowed.has(knowledgeBaseId);

/** The id that clients see: `<knowledge base>_<own>`, 73 characters. */
export const formatScopedId = ({ knowledgeBaseId, id }: ScopedId): string => `${knowledgeBaseId}_${id}`;

function parseScopedId(text: string, allowed: AllowedKnowledgeBases): ScopedId | undefined {
  const [, knowledgeBaseId, id] = SCOPED_ID_PATTERN.exec(text) ?? [];
  if (knowledgeBaseId === undefined || id === undefined) return undefined;
  return isAllowed(knowledgeBaseId, allowed) ? { knowledgeBaseId, id } : undefined;
}

const isKnowledgeBaseId = (text: string, allowed: AllowedKnowledgeBases): boolean =>
  UUID_PATTERN.test(text) && isAllowed(text, allowed);

/** @throws KNOWLEDGE_BASE_NOT_FOUND: an id that is malformed or not allowed is simply unknown. */
export function parseKnowledgeBaseId(text: string, allowed: AllowedKnowledgeBases): string {
  if (!isKnowledgeBaseId(text, allowed)) throw knowledgeBaseNotFound();
  return text;
}

/**
 * The distinct ids among `texts`.
 * @throws KNOWLEDGE_BASE_NOT_FOUND for the first that is malformed or not allowed, named where there are several
 */
export function parseKnowledgeBaseIds(texts: string[], allowed: AllowedKnowledgeBases): string[] {
  const ids = [...new Set(texts)];
  const unknown = ids.find((id) => !isKnowledgeBaseId(id, allowed));
  if (unknown !== undefined) throw knowledgeBaseNotFound(unknown, ids);
  return ids;
}

/** @throws DOCUMENT_NOT_FOUND: an id that is malformed or not allowed is simply unknown. */
export function parseDocumentId(text: string, allowed: AllowedKnowledgeBases): ScopedId {
  const parsed = parseScopedId(text, allowed);
  if (parsed === undefined) throw documentNotFound();
  return parsed;
}

/**
 * The distinct ids among `texts`.
 * @throws DOCUMENT_NOT_FOUND for the first that is malformed or not allowed, named where there are several
 */
export function parseDocumentIds(texts: string[], allowed: AllowedKnowledgeBases): ScopedId[] {
  const ids = [...new Set(texts)];
  return ids.map((id) => {
    const parsed = parseScopedId(id, allowed);
    if (parsed === undefined) throw documentNotFound(id, ids);
    return parsed;
  });
}

/** @throws FILE_NOT_FOUND: an id that is malformed or not allowed is simply unknown. */
export function parseFileId(text: string, allowed: AllowedKnowledgeBases): ScopedId {
  const parsed = parseScopedId(text, allowed);
  if (parsed === undefined) throw fileNotFound();
  return parsed;
}

/** @throws WEBHOOK_NOT_FOUND: a malformed id is simply unknown. */
export function parseWebhookId(text: string): string {
  if (!UUID_PATTERN.test(text)) throw webhookNotFound();
  return text;
}
