/** Documents that are imported by address: what is to be fetched, and which version of the file a document is of. */
import { sql } from 'kysely';
import type { OwnedId, ScopedId } from '../../../terms/ids.ts';
import { databaseNow } from '../../connection/clock.ts';
import type { Queryable } from '../../connection/database.ts';

/** `readsAnew`: the file is read also if it has not changed. */
export type DocumentAddress = { url: string; readsAnew: boolean };

/** What the server said with the file. Null: nothing. */
export type FetchedFacts = {
  finalUrl: string;
  etag: string | null;
  lastModified: string | null;
  charset: string | null;
};

/** Records the address of a new document, which has no file yet. */
export async function insertAddress(
  transaction: Queryable,
  { knowledgeBaseId, id, accountId }: OwnedId,
  { url, readsAnew }: DocumentAddress,
): Promise<void> {
  await transaction
    .insertInto('document_addresses')
    .values({
      knowledge_base_id: knowledgeBaseId,
      document_id: id,
      account_id: accountId,
      url,
      reads_anew: readsAnew,
    })
    .execute();
}

/** Records what the server said with the file of a document. */
export async function recordFetched(
  transaction: Queryable,
  { knowledgeBaseId, id }: ScopedId,
  { finalUrl, etag, lastModified, charset }: FetchedFacts,
): Promise<void> {
  await transaction
    .updateTable('document_addresses')
    .set({ final_url: finalUrl, etag, last_modified: lastModified, charset })
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('document_id', '=', id)
    .execute();
}

/** A document whose file is to be fetched. */
export type UnfetchedDocument = OwnedId &
  DocumentAddress & { externalId: string; title: string; attributes: object };

/** Finds a document of an address whose file has not been fetched; undefined: there is no such one any more. */
export async function findUnfetched(
  database: Queryable,
  { knowledgeBaseId, id }: ScopedId,
): Promise<UnfetchedDocument | undefined> {
  const { rows } = await sql<UnfetchedDocument>`
    SELECT knowledge_base_id AS "knowledgeBaseId", id, documents.account_id AS "accountId", url,
      reads_anew AS "readsAnew", external_id AS "externalId", title, attributes
    FROM documents
      JOIN document_addresses USING (knowledge_base_id)
      JOIN knowledge_bases USING (knowledge_base_id)
    WHERE knowledge_base_id = ${knowledgeBaseId} AND id = ${id} AND document_id = id AND status = 'pending'
      AND file_id IS NULL AND external_id IS NOT NULL AND deleted_at IS NULL`.execute(database);
  return rows[0];
}

/**
 * The current version of an address: a processed document of a file. `source`: the name of its file. `finalUrl` null:
 * it was not fetched from this address.
 */
export type CurrentVersion = {
  id: string;
  title: string;
  source: string;
  sha256: Buffer;
  finalUrl: string | null;
  etag: string | null;
  lastModified: string | null;
};

/**
 * Finds the document that an unfetched one would replace, if that is the last one before it, has not failed and is
 * processed. While an earlier import is under way, nothing is known to be unchanged.
 */
export async function findCurrentVersion(
  database: Queryable,
  { knowledgeBaseId, id, externalId, url }: Omit<UnfetchedDocument, 'title' | 'attributes'>,
): Promise<CurrentVersion | undefined> {
  const { rows } = await sql<CurrentVersion & { isFile: boolean }>`
    SELECT earlier.id, earlier.title, earlier.source, earlier.sha256, etag, last_modified AS "lastModified",
      final_url AS "finalUrl",
      earlier.status = 'processed' AND earlier.file_id IS NOT NULL AND earlier.sha256 IS NOT NULL AS "isFile"
    FROM documents AS earlier
      JOIN documents AS new ON new.knowledge_base_id = earlier.knowledge_base_id AND new.id = ${id}
      LEFT JOIN document_addresses AS address ON address.knowledge_base_id = earlier.knowledge_base_id
        AND address.document_id = earlier.id AND address.url = ${url}
    WHERE earlier.knowledge_base_id = ${knowledgeBaseId} AND earlier.external_id = ${externalId}
      AND earlier.status NOT IN ('failed', 'timeout')
      AND (earlier.created_at, earlier.id) < (new.created_at, new.id)
    ORDER BY earlier.created_at DESC, earlier.id DESC LIMIT 1`.execute(database);
  const last = rows[0];
  return last?.isFile ? last : undefined;
}

/** Records that an import made nothing new: its document is removed, and `documentId` has its content. */
export async function insertUnchangedImport(
  transaction: Queryable,
  { knowledgeBaseId, id, accountId }: OwnedId,
  documentId: string,
): Promise<void> {
  await transaction
    .insertInto('unchanged_imports')
    .values({
      knowledge_base_id: knowledgeBaseId,
      id,
      account_id: accountId,
      document_id: documentId,
      ended_at: databaseNow,
    })
    .execute();
}

/** The document that has the content of an import that made nothing new; undefined: there was no such import. */
export async function findUnchangedImport(
  database: Queryable,
  { knowledgeBaseId, id, accountId }: OwnedId,
): Promise<OwnedId | undefined> {
  const found = await database
    .selectFrom('unchanged_imports')
    .select('document_id')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return found && { knowledgeBaseId, id: found.document_id, accountId };
}

/** Removes the records of imports that made nothing new and have ended more than `days` ago. */
export async function removeUnchangedImports(database: Queryable, days: number): Promise<void> {
  await sql`DELETE FROM unchanged_imports WHERE ended_at < now() - make_interval(days => ${days})`.execute(
    database,
  );
}
