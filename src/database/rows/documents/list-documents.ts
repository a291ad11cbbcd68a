/** Lists the documents of a knowledge base, a page at a time. */
import { type RawBuilder, sql } from 'kysely';
import type { DocumentStatus } from '../../../../generated/types.gen.ts';
import type { Database } from '../../connection/database.ts';
import { foldCase } from '../../connection/fold-case.ts';
import { prepareRead } from '../../connection/prepared.ts';
import { liveKnowledgeBase, type OwnedKnowledgeBase } from '../knowledge-bases.ts';
import { BEFORE_ALL, isLongPage, type RowPosition } from '../row-position.ts';
import { type DocumentFilter, fitsFilter } from './document-filter.ts';
import type { DocumentRow } from './documents.ts';
import { documentColumns } from './new-documents.ts';
import { withinPageBytes } from './page-bytes.ts';

const PAGE_VALUES = ['knowledgeBaseId', 'accountId', 'createdAt', 'id', 'limit'] as const;

/** SQL for the newest documents that fit `condition`, after a position; none where the knowledge base is deleted. */
const listing = (
  page: Record<(typeof PAGE_VALUES)[number], RawBuilder<unknown>>,
  condition: RawBuilder<unknown>,
) =>
  withinPageBytes(sql<DocumentRow>`
    SELECT ${documentColumns} FROM documents
    WHERE knowledge_base_id = ${page.knowledgeBaseId}::uuid AND account_id = ${page.accountId}::uuid
      AND (created_at, id) < (${page.createdAt}::timestamptz, ${page.id}::uuid) AND ${condition}
      AND EXISTS (${liveKnowledgeBase(page)})
    ORDER BY created_at DESC, id DESC LIMIT ${page.limit}::integer`);

const listAll = prepareRead('list_documents', PAGE_VALUES, (page) => listing(page, sql`true`));

/** What the documents have to fit; undefined: all do. */
type Conditions = {
  status: DocumentStatus | undefined;
  titleContains: string | undefined;
  externalId: string | undefined;
  filter: DocumentFilter | undefined;
};

const conditionsOf = (
  database: Database,
  { status, titleContains, externalId, filter }: Conditions,
): RawBuilder<unknown>[] => {
  const [title, part] = [sql`title`, sql`${titleContains}::text`].map((text) => foldCase(database, text));
  return [
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(titleContains === undefined ? [] : [sql`strpos(${title}, ${part}) > 0`]),
    ...(externalId === undefined ? [] : [sql`external_id = ${externalId}`]),
    ...(filter === undefined
      ? []
      : [fitsFilter({ path: sql`${filter.path}`, hasFields: sql`${filter.hasFields}` })]),
  ];
};

/**
 * The newest documents of an account's knowledge base that fit the conditions and were created before `after`: as
 * many as `limit`, and as fit into the bytes of a page. `found`: how many there are up to `limit`. None where there is
 * no such knowledge base.
 */
export async function listDocumentRows(
  database: Database,
  { knowledgeBaseId, accountId }: OwnedKnowledgeBase,
  { after = BEFORE_ALL, limit, ...wanted }: Conditions & { after: RowPosition | undefined; limit: number },
): Promise<(DocumentRow & { found: number })[]> {
  const page = { knowledgeBaseId, accountId, ...after, limit };
  const conditions = conditionsOf(database, wanted);
  if (conditions.length === 0) return await listAll(database, page, isLongPage(limit));
  const { createdAt, id } = after;
  const values = {
    knowledgeBaseId: sql`${knowledgeBaseId}`,
    accountId: sql`${accountId}`,
    createdAt: sql`${createdAt}`,
    id: sql`${id}`,
    limit: sql`${limit}`,
  };
  return (await listing(values, sql.join(conditions, sql` AND `)).execute(database)).rows;
}
