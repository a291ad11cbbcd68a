/** The operations on documents. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { DocumentStatus, DocumentStatusReport } from '../../generated/types.gen.ts';
import { expectStorage, requireStorage } from '../database/accounts.ts';
import type { Queryable } from '../database/database.ts';
import { announceDeletion, DeletionAnnounced } from '../database/deletion-lock.ts';
import {
  type Description,
  findDocument,
  insertDocument,
  isUnfinished,
  requireDocument,
  toDocument,
  toStatusReport,
} from '../database/documents.ts';
import { lockKnowledgeBase, requireKnowledgeBase } from '../database/knowledge-bases.ts';
import { countLanguages, readPassages, toPassage } from '../database/passages.ts';
import { documentNotFound, knowledgeBaseNotFound } from '../errors.ts';
import { discardObject, findDocumentFile, toDocumentFile } from '../files/files.ts';
import { parseDocumentId, parseKnowledgeBaseId } from '../ids.ts';
import type { PassageBatch } from '../indexing/analyse-document.ts';
import { endAnalysis, isLarge } from '../indexing/analysis-pool.ts';
import { readExpectedLanguages } from '../indexing/expected-languages.ts';
import { isShort } from '../indexing/short-texts.ts';
import { isBlank } from '../indexing/split/extracted-text.ts';
import { deleteDocumentRows, insertPassages } from '../indexing/store-passages.ts';
import type { HandlerContext, Handlers } from './handler-types.ts';
import { byCreation, byPosition, parseCursor, toPage } from './pagination.ts';

/** A text that is being imported. `batches` yields its passages as they are analysed. `isBlank`: it has none. */
type ImportedText = {
  knowledgeBaseId: string;
  title: string;
  bytes: number;
  description: Description;
  isBlank: boolean;
  batches: AsyncIterable<PassageBatch>;
};

/**
 * The outcome of a text without readable characters, the same as for a file. The spec refuses white space alone.
 */
const NO_TEXT = {
  status: 'failed',
  failure: { code: 'NO_TEXT_EXTRACTED', message: 'The content holds no readable text.' },
} as const;

/** Inserts the document of a text and its passages, in the given transaction. */
async function insertText(
  transaction: Queryable,
  { accountId, config }: HandlerContext,
  { knowledgeBaseId, title, bytes, description, batches, ...text }: ImportedText,
) {
  await lockKnowledgeBase(transaction, { accountId, knowledgeBaseId });
  const document = { knowledgeBaseId, id: uuidv7(), accountId };
  const inserted = await insertDocument(transaction, {
    ...document,
    title,
    source: title,
    type: 'text',
    bytes,
    description,
    ...(text.isBlank ? NO_TEXT : { status: 'processed' }),
  });
  const passage_count = await insertPassages(transaction, document, { batches, documents: 1, bytes });
  await requireStorage(transaction, { accountId, defaults: config }, bytes);
  return toDocument({ ...inserted, passage_count });
}

/**
 * Stores a text. Ends its analysis even if storing fails.
 * @throws KNOWLEDGE_BASE_NOT_FOUND when the knowledge base is deleted meanwhile: no client knows the document yet
 */
async function storeText(context: HandlerContext, text: ImportedText) {
  try {
    return await context.transact((transaction) => insertText(transaction, context, text));
  } catch (error) {
    throw error instanceof DeletionAnnounced ? knowledgeBaseNotFound() : error;
  } finally {
    await endAnalysis(text.batches);
  }
}

/** The progress of a document, and its position in the queue while it waits. */
async function reportStatus(
  row: Awaited<ReturnType<typeof requireDocument>>,
  { positions, accountId }: HandlerContext,
): Promise<DocumentStatusReport> {
  const report = toStatusReport(row);
  if (row.status !== 'pending') return report;
  return { ...report, queuePosition: await positions.positionOf({ accountId, createdAt: row.created_at }) };
}

export const documentHandlers = {
  async importTextContent({ title, content, attributes, sourceUrl, ...input }, context) {
    const { database, accountId, reach, config, diskWatermark, analyse, withoutPermit, signal, budget } =
      context;
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId, reach);
    const bytes = Buffer.byteLength(content);
    const description = { attributes, sourceUrl };
    await diskWatermark.require(bytes);
    if (isShort({ title, content }) && !isBlank(content)) {
      const { transact, keyed, importShortText } = context;
      const text = { knowledgeBaseId, title, content, bytes, description, transact, keyed };
      return { data: await withoutPermit(() => importShortText(text, { accountId, signal, budget })) };
    }
    const expected = await readExpectedLanguages(database, { accountId, knowledgeBaseId });
    await expectStorage(database, { accountId, defaults: config }, bytes);
    const text = { title, expected, format: 'text', content } as const;
    const analysing = () => analyse(text, { accountId, signal, budget });
    const store = (batches: ImportedText['batches']) =>
      storeText(context, { knowledgeBaseId, title, bytes, description, isBlank: isBlank(content), batches });
    // The batches of a large text are stored while the next ones are analysed. That takes seconds, so it runs without
    // a permit.
    if (isLarge(content.length)) return { data: await withoutPermit(async () => store(await analysing())) };
    return { data: await store(await withoutPermit(analysing)) };
  },

  async deleteDocument({ documentId }, { database, accountId, reach, files, log }) {
    const id = parseDocumentId(documentId, reach);
    const file = await database.transaction().execute(async (transaction) => {
      await requireDocument(transaction, { ...id, accountId });
      await announceDeletion(transaction, id.id);
      const document = await findDocument(transaction, { ...id, accountId })
        .forUpdate(['documents'])
        .forKeyShare(['knowledge_bases'])
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
    if (file?.object_name) await discardObject({ database, files, log }, file.object_name);
    return { data: { id: documentId } };
  },

  async listDocuments({ limit = 1000, cursor, status, titleContains, ...input }, context) {
    const { database, accountId, reach } = context;
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId, reach);
    await requireKnowledgeBase(database, { accountId, knowledgeBaseId });
    const after = parseCursor(knowledgeBaseId, cursor, byCreation);
    const rows = await database
      .selectFrom('documents')
      .selectAll()
      .where('knowledge_base_id', '=', knowledgeBaseId)
      .where('account_id', '=', accountId)
      .$if(after !== undefined, (rest) =>
        rest.where(sql<boolean>`(created_at, id) < (${after?.createdAt}, ${after?.id}::uuid)`),
      )
      .$if(status !== undefined, (rest) => rest.where('status', '=', status as DocumentStatus))
      .$if(titleContains !== undefined, (rest) =>
        rest.where(sql<boolean>`strpos(lower(title), lower(${titleContains})) > 0`),
      )
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute();
    const { page, pagination } = toPage(rows, {
      list: knowledgeBaseId,
      limit,
      positionOf: (row) => byCreation.write({ createdAt: row.created_at, id: row.id }),
    });
    return { data: page.map(toDocument), pagination };
  },

  async getDocumentStatus({ documentId, waitSeconds = 0 }, context) {
    const { database, accountId, reach, longPolls, signal } = context;
    const id = { ...parseDocumentId(documentId, reach), accountId };
    const before = await requireDocument(database, id);
    if (waitSeconds === 0 || !isUnfinished(before)) return { data: await reportStatus(before, context) };
    await longPolls.untilFinal(id, { seconds: waitSeconds, signal });
    return { data: await reportStatus(await requireDocument(database, id), context) };
  },

  async getDocument({ documentId }, { database, accountId, reach }) {
    const id = { ...parseDocumentId(documentId, reach), accountId };
    const row = await requireDocument(database, id);
    const [languages, file] = await Promise.all([
      countLanguages(database, id),
      findDocumentFile(database, id).executeTakeFirst(),
    ]);
    return {
      data: {
        ...toDocument(row),
        source: row.source,
        languages,
        ...(file && { file: toDocumentFile(file) }),
      },
    };
  },

  async listPassages({ documentId, limit = 1000, cursor, from = 1, to }, { database, accountId, reach }) {
    const id = { ...parseDocumentId(documentId, reach), accountId };
    await requireDocument(database, id);
    const after = Math.max(parseCursor(documentId, cursor, byPosition) ?? 0, from - 1);
    const rows = await readPassages(database, id, { after, to, limit: limit + 1 });
    const { page, pagination } = toPage(rows, {
      list: documentId,
      limit,
      positionOf: ({ position }) => byPosition.write(position),
    });
    return { data: page.map(toPassage), pagination };
  },
} satisfies Partial<Handlers>;
