/** The operations on documents. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Document, DocumentStatus, DocumentStatusReport } from '../../generated/types.gen.ts';
import { expectStorage, requireStorage } from '../database/accounts.ts';
import type { Queryable } from '../database/database.ts';
import { announceDeletion, DeletionAnnounced } from '../database/deletion-lock.ts';
import {
  type Description,
  type DocumentChange,
  findDocument,
  insertDocument,
  isUnfinished,
  requeueDocument,
  requireDocument,
  toDocument,
  toStatusReport,
  updateDocumentRow,
} from '../database/documents.ts';
import { lockKnowledgeBase, requireKnowledgeBase } from '../database/knowledge-bases.ts';
import { countLanguages, readPassages, readText, toPassage } from '../database/passages.ts';
import { recordDocumentEvents } from '../database/webhook-events.ts';
import { documentNotFound, documentNotRetryable, knowledgeBaseNotFound } from '../errors.ts';
import { discardObject, findDocumentFile, toDocumentFile } from '../files/files.ts';
import { type OwnedId, parseDocumentId, parseKnowledgeBaseId } from '../ids.ts';
import type { PassageBatch } from '../indexing/analyse-document.ts';
import { endAnalysis, isLarge } from '../indexing/analysis-pool.ts';
import { readExpectedLanguages } from '../indexing/expected-languages.ts';
import { isShort } from '../indexing/short-texts.ts';
import { isBlank } from '../indexing/split/extracted-text.ts';
import {
  deleteDocumentRows,
  insertPassages,
  readStoredPassages,
  replacePassages,
} from '../indexing/store-passages.ts';
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
  const { hasWebhooks } = await lockKnowledgeBase(transaction, { accountId, knowledgeBaseId });
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
  const data = toDocument({ ...inserted, passage_count });
  const type = text.isBlank ? 'document.failed' : 'document.processed';
  if (hasWebhooks) await recordDocumentEvents(transaction, document, { type, documents: [data] });
  await requireStorage(transaction, { accountId, defaults: config }, bytes);
  return data;
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

/**
 * Gives a processed document a new title, under which searches find it from the commit on.
 * @throws DOCUMENT_NOT_FOUND when the document is deleted meanwhile
 */
async function retitle(context: HandlerContext, id: OwnedId, change: DocumentChange): Promise<Document> {
  const { database, accountId, analyse, withoutPermit, signal, budget } = context;
  const { title = '' } = change;
  const passages = await readStoredPassages(database, id);
  const analysing = () => analyse({ title, format: 'passages', passages }, { accountId, signal, budget });
  return await withoutPermit(async () => {
    const batches = await analysing();
    try {
      return await database.transaction().execute(async (transaction) => {
        await lockKnowledgeBase(transaction, id);
        const row = await updateDocumentRow(transaction, id, change);
        if (row === undefined) throw documentNotFound();
        await replacePassages(transaction, id, batches);
        return toDocument(row);
      });
    } catch (error) {
      throw error instanceof DeletionAnnounced ? documentNotFound() : error;
    } finally {
      await endAnalysis(batches);
    }
  });
}

/** Code points of a text at most: PostgreSQL's largest integer, and the spec's largest offset. */
const CONTENT_LENGTH_MAX = 2_147_483_647;

/** The progress of a document, and its position in the queue while it waits. */
async function reportStatus(
  row: Awaited<ReturnType<typeof requireDocument>>,
  { positions, accountId }: HandlerContext,
): Promise<DocumentStatusReport> {
  const report = toStatusReport(row);
  if (row.status !== 'pending') return report;
  const createdAt = row.queued_at ?? row.created_at;
  return { ...report, queuePosition: await positions.positionOf({ accountId, createdAt }) };
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

  async getDocumentContent({ documentId, offset = 0, limit = 100_000 }, { database, accountId, reach }) {
    const id = { ...parseDocumentId(documentId, reach), accountId };
    await requireDocument(database, id);
    const last = Math.min(offset + limit, CONTENT_LENGTH_MAX);
    const { text, length } = await readText(database, id, { start: offset, end: last });
    const start = Math.min(offset, length);
    return { data: { id: documentId, text, start, end: Math.min(last, length), length } };
  },

  async updateDocument({ documentId, ...change }, context) {
    const { database, accountId, diskWatermark, reach } = context;
    const id = { ...parseDocumentId(documentId, reach), accountId };
    await diskWatermark.require(0);
    const { status, title } = await requireDocument(database, id);
    const isRetitled = change.title !== undefined && change.title !== title;
    if (isRetitled && status === 'processed') return { data: await retitle(context, id, change) };
    const row = await updateDocumentRow(database, id, change);
    if (row === undefined) throw documentNotFound();
    // A file that was processed since the check above has its former title in its passages.
    if (isRetitled && row.status === 'processed') return { data: await retitle(context, id, change) };
    return { data: toDocument(row) };
  },

  async retryDocument({ documentId }, { database, accountId, reach, jobs, diskWatermark }) {
    const id = { ...parseDocumentId(documentId, reach), accountId };
    await diskWatermark.require(0);
    const row = await database.transaction().execute(async (transaction) => {
      const { status } = await requireDocument(transaction, id);
      const requeued = await requeueDocument(transaction, id);
      if (requeued === undefined) throw documentNotRetryable(status);
      await jobs.enqueueImport(transaction, id);
      return requeued;
    });
    jobs.wakeImporters();
    return { data: toDocument(row) };
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
