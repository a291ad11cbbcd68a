/** Imports with `ifUnchanged: skip`: the document that has the content already is the answer. */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Document } from '../../generated/types.gen.ts';
import type { Queryable } from '../database/connection/database.ts';
import { type Description, type DocumentRow, toDocument } from '../database/rows/documents/documents.ts';
import type { Transact } from '../database/rows/kept-answers.ts';
import { lockKnowledgeBase, type OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import type { DefaultLimits } from '../database/rows/limits/account-limits.ts';
import { changeDocument } from './change-document.ts';
import { lockContents } from './locks.ts';

/**
 * The content of an import. `isText`: it is no file. The same bytes as a text and as a file become different passages.
 * `title`: of the text, or the name of the file.
 */
type Content = OwnedKnowledgeBase & {
  title: string;
  sha256: Buffer;
  isText: boolean;
  externalId: string | undefined;
};

/** The content of an import, and what its caller says about it. */
type DescribedContent = Omit<Content, 'externalId'> & { description: Description };

const contentOf = ({ description: { externalId }, ...imported }: DescribedContent): Content => ({
  ...imported,
  externalId,
});

/**
 * Finds the document that has this content, processed or still to be processed:
 *
 * - With an external id: the last document with this external id, if it also has this title, or is of a file with this
 *   name. An older one would be replaced by the last one.
 * - Without: the oldest document with this content, whatever its title and external id.
 */
async function findSameContent(
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

/** A file of an external id: its name and the hash of its bytes. */
type FileContent = { fileName: string; sha256: Buffer; externalId: string };

/** Filters the external ids whose last document has this content, as `findSameContent` does. */
export async function findUnchangedFiles(
  database: Queryable,
  { accountId, knowledgeBaseId }: OwnedKnowledgeBase,
  contents: FileContent[],
): Promise<Set<string>> {
  const { rows } = await sql<{ externalId: string; isFile: boolean; sha256: Buffer | null; source: string }>`
    SELECT DISTINCT ON (external_id) external_id AS "externalId", file_id IS NOT NULL AS "isFile", sha256, source
    FROM documents
    WHERE knowledge_base_id = ${knowledgeBaseId} AND account_id = ${accountId}
      AND external_id = ANY(${contents.map(({ externalId }) => externalId)}::text[])
      AND status NOT IN ('failed', 'timeout')
    ORDER BY external_id, created_at DESC, id DESC`.execute(database);
  const last = new Map(rows.map((row) => [row.externalId, row]));
  const isUnchanged = ({ externalId, sha256, fileName }: FileContent) => {
    const row = last.get(externalId);
    return row?.isFile === true && row.source === fileName && row.sha256?.equals(sha256) === true;
  };
  return new Set(contents.filter(isUnchanged).map(({ externalId }) => externalId));
}

/** Whether an import says something else about its content than the document does. What it leaves out stays. */
const isDescribedOtherwise = (row: DocumentRow, { attributes, sourceUrl }: Description): boolean =>
  (attributes !== undefined && !isDeepStrictEqual(attributes, row.attributes)) ||
  (sourceUrl !== undefined && sourceUrl !== row.source_url);

/** The answer to an import whose content a document has already. */
export const toUnchanged = (row: DocumentRow): Document => ({ ...toDocument(row), unchanged: true });

/**
 * The document with the same content, as the answer to an import; undefined: there is none. Under an external id, its
 * attributes and source URL are replaced by the import's, where these are given. Other imports of the same content that
 * skip wait until the transaction ends. The knowledge base must be locked.
 * @throws STORAGE_LIMIT_EXCEEDED
 */
export async function takeUnchanged(
  transaction: Queryable,
  imported: DescribedContent,
  defaults: DefaultLimits,
): Promise<DocumentRow | undefined> {
  const content = contentOf(imported);
  await lockContents(transaction, [content]);
  const same = await findSameContent(transaction, content);
  if (same === undefined) return undefined;
  const { accountId, knowledgeBaseId, externalId } = content;
  if (externalId === undefined || !isDescribedOtherwise(same, imported.description)) return same;
  const document = { accountId, knowledgeBaseId, id: same.id, defaults };
  const { attributes, sourceUrl } = imported.description;
  // Undefined when it is deleted meanwhile.
  return await changeDocument(transaction, document, { attributes, sourceUrl });
}

/** Thrown when the document with the same content was changed or deleted meanwhile. */
class ContentChanged extends Error {}

/** The same in the transaction of a request that takes an Idempotency-Key, if there is such a document now. */
export async function findUnchanged(
  { database, transact, config }: { database: Queryable; transact: Transact; config: DefaultLimits },
  imported: DescribedContent,
): Promise<Document | undefined> {
  if ((await findSameContent(database, contentOf(imported))) === undefined) return undefined;
  try {
    return await transact(async (transaction) => {
      await lockKnowledgeBase(transaction, imported);
      const unchanged = await takeUnchanged(transaction, imported, config);
      if (unchanged === undefined) throw new ContentChanged();
      return toUnchanged(unchanged);
    });
  } catch (error) {
    if (error instanceof ContentChanged) return undefined;
    throw error;
  }
}
