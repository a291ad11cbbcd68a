/** Finds the document that a knowledge base has of a content already, for imports that skip unchanged content. */
import { sql } from 'kysely';
import type { Queryable } from '../../connection/database.ts';
import type { OwnedKnowledgeBase } from '../knowledge-bases.ts';
import type { DocumentRow } from './documents.ts';

/**
 * The content of an import. `isText`: it is no file. The same bytes as a text and as a file become different passages.
 * `title`: that of the text, or the name of the file.
 */
export type Content = OwnedKnowledgeBase & {
  title: string;
  sha256: Buffer;
  isText: boolean;
  externalId: string | undefined;
};

/**
 * Makes imports of the same content that skip unchanged content take turns, until the transaction ends. Each
 * transaction takes one such lock, after those on the knowledge base and on the file, and before any other.
 */
export async function lockContent(
  transaction: Queryable,
  { knowledgeBaseId, sha256, externalId = '' }: Content,
): Promise<void> {
  const name = `content ${sha256.toString('hex')} in ${knowledgeBaseId} ${externalId}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}

/**
 * Finds the document that has this content, processed or still to be processed:
 *
 * - With an external id: the last document with this external id, if it also has this title, or is of a file with this
 *   name. An older one would be replaced by the last one.
 * - Without: the oldest document with this content, whatever its title and external id.
 */
export async function findSameContent(
  database: Queryable,
  { accountId, knowledgeBaseId, title, sha256, isText, externalId }: Content,
): Promise<DocumentRow | undefined> {
  const candidates = database
    .selectFrom('documents')
    .selectAll()
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('account_id', '=', accountId)
    .where('status', 'not in', ['failed', 'timeout'])
    .limit(1);
  if (externalId === undefined)
    return await candidates
      .where('sha256', '=', sha256)
      .where('file_id', isText ? 'is' : 'is not', null)
      .orderBy('created_at')
      .orderBy('id')
      .executeTakeFirst();
  const last = await candidates
    .where('external_id', '=', externalId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst();
  if (last === undefined || (last.file_id === null) !== isText || !last.sha256?.equals(sha256))
    return undefined;
  // A file has no title but its name. It keeps the title that it has got since.
  return (isText ? last.title : last.source) === title ? last : undefined;
}
