/** The operations on documents. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Handlers } from '../contract.ts';
import { parseCursor, toPage } from '../cursor.ts';
import { documentNotFound } from '../errors.ts';
import { parseDocumentId, parseKnowledgeBaseId } from '../ids.ts';
import { expectStorage, requireStorage } from '../storage/accounts.ts';
import { findDocument, insertDocument, toDocument } from '../storage/documents.ts';
import { lockKnowledgeBase, requireKnowledgeBase } from '../storage/knowledge-bases.ts';
import { deleteDocumentRows, insertPassages } from '../storage/passages.ts';

export const documentHandlers = {
  async importTextContent({ title, content, ...input }, { database, accountId, config, analyse }) {
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId);
    const account = { accountId, defaults: config };
    const bytes = Buffer.byteLength(content);
    await requireKnowledgeBase(database, { accountId, knowledgeBaseId });
    await expectStorage(database, account, bytes);
    const parts = await analyse({ title, format: 'text', content });

    const id = uuidv7();
    const row = await database.transaction().execute(async (transaction) => {
      await lockKnowledgeBase(transaction, { accountId, knowledgeBaseId });
      const inserted = await insertDocument(transaction, {
        knowledgeBaseId,
        id,
        accountId,
        title,
        source: title,
        type: 'text',
        bytes,
        status: 'processed',
      });
      const document = { knowledgeBaseId, id, accountId };
      await insertPassages(transaction, document, { parts, documents: 1, bytes });
      await requireStorage(transaction, account, bytes);
      return inserted;
    });
    return { data: toDocument(row) };
  },

  async deleteDocument({ documentId }, { database, accountId, files }) {
    const id = parseDocumentId(documentId);
    const file = await database.transaction().execute(async (transaction) => {
      const document = await findDocument(transaction, { ...id, accountId })
        .forUpdate(['documents'])
        .forShare(['knowledge_bases'])
        .executeTakeFirst();
      if (document === undefined) throw documentNotFound();
      await deleteDocumentRows(transaction, { ...id, accountId, bytes: document.size_bytes });
      return await transaction
        .deleteFrom('files')
        .where('knowledge_base_id', '=', id.knowledgeBaseId)
        .where('document_id', '=', id.id)
        .where('account_id', '=', accountId)
        .returning('object_name')
        .executeTakeFirst();
    });
    if (file?.object_name) await files.remove(file.object_name);
    return { data: { id: documentId } };
  },

  async listDocuments({ limit = 1000, cursor, ...input }, { database, accountId }) {
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId);
    await requireKnowledgeBase(database, { accountId, knowledgeBaseId });
    const after = cursor === undefined ? undefined : parseCursor(knowledgeBaseId, cursor);
    const rows = await database
      .selectFrom('documents')
      .selectAll()
      .where('knowledge_base_id', '=', knowledgeBaseId)
      .where('account_id', '=', accountId)
      .$if(after !== undefined, (rest) =>
        rest.where(sql<boolean>`(created_at, id) < (${after?.createdAt}, ${after?.id}::uuid)`),
      )
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute();
    const { page, pagination } = toPage(rows, {
      list: knowledgeBaseId,
      limit,
      placeOf: (row) => ({ createdAt: row.created_at, id: row.id }),
    });
    return { data: page.map(toDocument), pagination };
  },

  async getDocumentStatus({ documentId }, { database, accountId }) {
    const id = parseDocumentId(documentId);
    const row = await findDocument(database, { ...id, accountId }).executeTakeFirst();
    if (row === undefined) throw documentNotFound();
    const { status, error } = toDocument(row);
    return { data: { id: documentId, status, ...(error && { error }) } };
  },
} satisfies Partial<Handlers>;
