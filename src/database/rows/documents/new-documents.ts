/** Inserts the rows of new documents: of one, or of several texts together. */
import { type RawBuilder, sql } from 'kysely';
import type { DocumentError, DocumentType } from '../../../../generated/types.gen.ts';
import type { OwnedId } from '../../../terms/ids.ts';
import { databaseNow } from '../../connection/clock.ts';
import type { Queryable } from '../../connection/database.ts';
import { prepare } from '../../connection/prepared.ts';
import type { OwnedKnowledgeBase } from '../knowledge-bases.ts';
import type { Description, DocumentRow } from './documents.ts';

type NewDocument = OwnedId & {
  title: string;
  source: string;
  type: DocumentType;
  bytes: number;
  fileId?: string;
  description: Description;
  sha256?: Buffer | undefined;
  replaces?: string | undefined;
} & ({ status: 'pending' | 'processed'; failure?: never } | { status: 'failed'; failure: DocumentError });

/** The columns of `DocumentRow`. */
export const documentColumns = sql.raw(
  'knowledge_base_id, id, title, type, size_bytes, status, error_code, error_message, warnings, page_count, ' +
    'passage_count, created_at, updated_at, attributes, source_url, external_id, sha256, replaces, storage_bytes, ' +
    'recognition',
);

const insertRow = prepare(
  'insert_document',
  [
    'knowledgeBaseId',
    'id',
    'accountId',
    'title',
    'source',
    'type',
    'bytes',
    'status',
    'errorCode',
    'errorMessage',
    'fileId',
    'attributes',
    'sourceUrl',
    'externalId',
    'sha256',
    'replaces',
  ],
  (values) => sql<DocumentRow>`
    INSERT INTO documents (knowledge_base_id, id, account_id, title, source, type, size_bytes, status, error_code,
      error_message, file_id, attributes, source_url, external_id, sha256, replaces, created_at, updated_at)
    VALUES (${values.knowledgeBaseId}, ${values.id}, ${values.accountId}, ${values.title}, ${values.source},
      ${values.type}, ${values.bytes}, ${values.status}, ${values.errorCode}, ${values.errorMessage}, ${values.fileId},
      coalesce(${values.attributes}::jsonb, '{}'), ${values.sourceUrl}, ${values.externalId}, ${values.sha256},
      ${values.replaces}, ${databaseNow}, ${databaseNow})
    RETURNING ${documentColumns}`,
);

const descriptionValues = ({ attributes, sourceUrl, externalId }: Description) => ({
  attributes: attributes && JSON.stringify(attributes),
  sourceUrl,
  externalId,
});

/** The same for several documents, in their order. */
function descriptionArrays(documents: readonly { description: Description }[]) {
  const values = documents.map(({ description }) => descriptionValues(description));
  return {
    attributes: values.map(({ attributes }) => attributes),
    sourceUrls: values.map(({ sourceUrl }) => sourceUrl),
    externalIds: values.map(({ externalId }) => externalId),
  };
}

/** Inserts the row of a new document; its bytes and passages are counted separately. */
export async function insertDocument(
  transaction: Queryable,
  { fileId, sha256, replaces, failure, description, ...document }: NewDocument,
): Promise<DocumentRow> {
  const [row] = await insertRow(transaction, {
    ...document,
    errorCode: failure?.code,
    errorMessage: failure?.message,
    fileId,
    sha256,
    replaces,
    ...descriptionValues(description),
  });
  if (row === undefined) throw new Error('a document was inserted without its row');
  return row;
}

const readInserted = prepare(
  'read_inserted_documents',
  ['knowledgeBaseId', 'ids'],
  ({ knowledgeBaseId, ids }) => sql<DocumentRow>`
    SELECT ${documentColumns} FROM documents
    WHERE knowledge_base_id = ${knowledgeBaseId}::uuid AND id = ANY(${ids}::uuid[])`,
);

/**
 * Prepares an INSERT of the documents with the `ids` among its values. The function returns their rows, in any order.
 * Citus takes 2.6 ms to insert and return them, and 1.4 to insert and then read them.
 */
function prepareInsertion<Value extends string>(
  name: string,
  values: readonly Value[],
  insertion: (placeholders: Record<Value, RawBuilder<unknown>>) => RawBuilder<DocumentRow>,
) {
  const insert = prepare(
    name,
    values,
    (given) => sql<DocumentRow>`${insertion(given)} RETURNING ${documentColumns}`,
    {
      build: insertion,
    },
  );
  return async (
    transaction: Queryable,
    given: Record<Value, unknown> & { knowledgeBaseId: string; ids: string[] },
  ): Promise<DocumentRow[]> => {
    const rows = await insert(transaction, given);
    return rows.length > 0 ? rows : await readInserted(transaction, given);
  };
}

const insertTextRows = prepareInsertion(
  'insert_texts',
  [
    'knowledgeBaseId',
    'accountId',
    'ids',
    'titles',
    'bytes',
    'hashes',
    'passageCounts',
    'attributes',
    'sourceUrls',
    'externalIds',
  ],
  (values) => sql<DocumentRow>`
    INSERT INTO documents (knowledge_base_id, id, account_id, title, source, type, size_bytes, status, passage_count,
      attributes, source_url, external_id, sha256, created_at, updated_at)
    SELECT ${values.knowledgeBaseId}::uuid, id, ${values.accountId}::uuid, title, title, 'text', bytes, 'processed',
      passage_count, coalesce(attributes::jsonb, '{}'), source_url, external_id, sha256,
      ${databaseNow}, ${databaseNow}
    FROM unnest(${values.ids}::uuid[], ${values.titles}::text[], ${values.bytes}::bigint[], ${values.hashes}::bytea[],
        ${values.passageCounts}::integer[], ${values.attributes}::text[], ${values.sourceUrls}::text[],
        ${values.externalIds}::text[])
      AS text (id, title, bytes, sha256, passage_count, attributes, source_url, external_id)`,
);

/** The document of a text; `bytes`: its size in UTF-8. `sha256`: of these bytes. */
export type NewText = { title: string; bytes: number; sha256: Buffer; description: Description };

/** Inserts the documents of analysed texts. Returns their rows in the order of the texts. */
export async function insertTextDocuments(
  transaction: Queryable,
  { accountId, knowledgeBaseId }: OwnedKnowledgeBase,
  { ids, texts, passageCounts }: { ids: string[]; texts: NewText[]; passageCounts: number[] },
): Promise<DocumentRow[]> {
  const rows = await insertTextRows(transaction, {
    accountId,
    knowledgeBaseId,
    ids,
    titles: texts.map(({ title }) => title),
    bytes: texts.map(({ bytes }) => bytes),
    hashes: texts.map(({ sha256 }) => sha256),
    passageCounts,
    ...descriptionArrays(texts),
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    if (row === undefined) throw new Error('a document was inserted without its row');
    return row;
  });
}

const insertFileRows = prepareInsertion(
  'insert_file_documents',
  [
    'knowledgeBaseId',
    'accountId',
    'ids',
    'fileIds',
    'fileNames',
    'types',
    'bytes',
    'hashes',
    'attributes',
    'sourceUrls',
    'externalIds',
  ],
  (values) => sql<DocumentRow>`
    INSERT INTO documents (knowledge_base_id, id, account_id, title, source, type, size_bytes, status, file_id,
      attributes, source_url, external_id, sha256, created_at, updated_at)
    SELECT ${values.knowledgeBaseId}::uuid, id, ${values.accountId}::uuid, file_name, file_name, type, bytes, 'pending',
      file_id, coalesce(attributes::jsonb, '{}'), source_url, external_id, sha256, ${databaseNow}, ${databaseNow}
    FROM unnest(${values.ids}::uuid[], ${values.fileIds}::uuid[], ${values.fileNames}::text[], ${values.types}::text[],
        ${values.bytes}::bigint[], ${values.hashes}::bytea[], ${values.attributes}::text[],
        ${values.sourceUrls}::text[], ${values.externalIds}::text[])
      AS file (id, file_id, file_name, type, bytes, sha256, attributes, source_url, external_id)`,
);

/** The document of a file whose bytes are stored. `type`: as far as its name says. */
export type NewFileDocument = {
  id: string;
  fileId: string;
  fileName: string;
  type: DocumentType;
  sizeBytes: number;
  sha256: Buffer;
  description: Description;
};

/** Inserts the pending documents of files. Returns their rows, in any order. */
export async function insertFileDocuments(
  transaction: Queryable,
  { accountId, knowledgeBaseId }: OwnedKnowledgeBase,
  files: NewFileDocument[],
): Promise<DocumentRow[]> {
  return await insertFileRows(transaction, {
    accountId,
    knowledgeBaseId,
    ids: files.map(({ id }) => id),
    fileIds: files.map(({ fileId }) => fileId),
    fileNames: files.map(({ fileName }) => fileName),
    types: files.map(({ type }) => type),
    bytes: files.map(({ sizeBytes }) => sizeBytes),
    hashes: files.map(({ sha256 }) => sha256),
    ...descriptionArrays(files),
  });
}
