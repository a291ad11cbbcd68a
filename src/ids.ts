/**
 * Identifiers of the contract. Document and file ids contain their knowledge base's id, so that a look-up names its
 * shard.
 */
import { documentNotFound, fileNotFound, knowledgeBaseNotFound } from './errors.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const UUID_PATTERN = new RegExp(`^${UUID}$`);
const SCOPED_ID_PATTERN = new RegExp(`^(${UUID})_(${UUID})$`);

/** The id of a document or file: its knowledge base's id and its own, both UUIDs. */
export type ScopedId = { knowledgeBaseId: string; id: string };

/** The id of an account's document or file. */
export type OwnedId = ScopedId & { accountId: string };

/** The id that clients see: `<knowledge base>_<own>`, 73 characters. */
export const formatScopedId = ({ knowledgeBaseId, id }: ScopedId): string => `${knowledgeBaseId}_${id}`;

function parseScopedId(text: string): ScopedId | undefined {
  const match = SCOPED_ID_PATTERN.exec(text);
  return match?.[1] && match[2] ? { knowledgeBaseId: match[1], id: match[2] } : undefined;
}

/** @throws KNOWLEDGE_BASE_NOT_FOUND: a malformed id is simply unknown. */
export function parseKnowledgeBaseId(text: string): string {
  if (!UUID_PATTERN.test(text)) throw knowledgeBaseNotFound();
  return text;
}

/**
 * The distinct ids among `texts`.
 * @throws KNOWLEDGE_BASE_NOT_FOUND for the first malformed one, named where there are several
 */
export function parseKnowledgeBaseIds(texts: string[]): string[] {
  const ids = [...new Set(texts)];
  const malformed = ids.find((id) => !UUID_PATTERN.test(id));
  if (malformed !== undefined) throw knowledgeBaseNotFound(malformed, ids);
  return ids;
}

/** @throws DOCUMENT_NOT_FOUND: a malformed id is simply unknown. */
export function parseDocumentId(text: string): ScopedId {
  const parsed = parseScopedId(text);
  if (parsed === undefined) throw documentNotFound();
  return parsed;
}

/** @throws FILE_NOT_FOUND: a malformed id is simply unknown. */
export function parseFileId(text: string): ScopedId {
  const parsed = parseScopedId(text);
  if (parsed === undefined) throw fileNotFound();
  return parsed;
}
