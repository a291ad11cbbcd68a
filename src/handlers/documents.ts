/** The operations on documents. */
import type { Document, DocumentStatusReport } from '../../generated/types.gen.ts';
import { withinBounds } from '../database/connection/bounded-statements.ts';
import type { Queryable } from '../database/connection/database.ts';
import { announceDeletion, DeletionAnnounced } from '../database/rows/deletion-lock.ts';
import { findUnchangedImport } from '../database/rows/documents/document-addresses.ts';
import {
  bothFilters,
  COMPARISON_MAX_MS,
  toDocumentFilter,
} from '../database/rows/documents/document-filter.ts';
import {
  asSeen,
  type DocumentChange,
  findDocument,
  isUnfinished,
  lockDocument,
  requeueDocument,
  requireDocument,
  type SoughtId,
  toDocument,
  toStatusReport,
} from '../database/rows/documents/documents.ts';
import { listDocumentRows } from '../database/rows/documents/list-documents.ts';
import { countLanguages, readPassages, readText, toPassage } from '../database/rows/documents/passages.ts';
import { countVectors } from '../database/rows/documents-without-vectors.ts';
import { requireKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { discardObjects, findDocumentFile, toDocumentFile } from '../files/files.ts';
import { endAnalysis } from '../indexing/analysis-pool.ts';
import { deleteDocuments } from '../indexing/delete-documents.ts';
import { readStoredPassages } from '../indexing/store-passages.ts';
import { documentNotFound, documentNotRetryable, ServiceError } from '../terms/errors.ts';
import { type OwnedId, parseDocumentId, parseKnowledgeBaseId } from '../terms/ids.ts';
import { requirePlainAddress } from '../terms/plain-address.ts';
import { changeDocument, retitleDocument } from '../versions/change-document.ts';
import type { HandlerContext, Handlers } from './handler-types.ts';
import { importText } from './import-text.ts';
import { byCreation, byPosition, parseCursor, toPage } from './pagination.ts';

/**
 * Gives a processed document a new title, under which searches find it from the commit on.
 * @throws DOCUMENT_NOT_FOUND when the document is deleted meanwhile
 */
async function retitle(context: HandlerContext, id: OwnedId, change: DocumentChange): Promise<Document> {
  const { database, accountId, config: defaults, analyse, withoutPermit, signal, remainingWait } = context;
  const { title = '' } = change;
  const passages = await readStoredPassages(database, id);
  const analysing = () =>
    analyse({ title, format: 'passages', passages }, { accountId, signal: signal(), remainingWait });
  return await withoutPermit(async () => {
    const batches = await analysing();
    try {
      return await database.transaction().execute(async (transaction) => {
        const row = await retitleDocument(transaction, { ...id, defaults }, { change, batches });
        if (row === undefined) throw documentNotFound();
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

type ReportedDocument = Awaited<ReturnType<typeof requireDocument>> & { unchanged?: true };

/**
 * The document with this id, or the document that has the content of an import by address which made nothing new.
 * @throws DOCUMENT_NOT_FOUND
 */
async function requireReported(database: Queryable, id: SoughtId): Promise<ReportedDocument> {
  try {
    return await requireDocument(database, id);
  } catch (error) {
    const isGone = error instanceof ServiceError && error.errorCode === 'DOCUMENT_NOT_FOUND';
    const same = isGone ? await findUnchangedImport(database, id) : undefined;
    if (same === undefined) throw error;
    return {
      ...(await requireDocument(database, { ...same, restriction: id.restriction })),
      unchanged: true,
    };
  }
}

/**
 * The progress of a document: its position in the queue while it waits, the pages that OCR has recognised while it is
 * read, and how many vectors it has afterwards.
 */
async function reportStatus(
  row: ReportedDocument,
  { database, positions, accountId, restriction, wantedGeneration }: HandlerContext,
): Promise<DocumentStatusReport> {
  const report = { ...toStatusReport(row), ...(row.unchanged && { unchanged: row.unchanged }) };
  if (row.status === 'processed') {
    const generation = await wantedGeneration();
    if (generation === undefined) return report;
    const document = { knowledgeBaseId: row.knowledge_base_id, id: row.id };
    const made = await countVectors(database, document, generation);
    return { ...report, vectors: { made, of: row.passage_count } };
  }
  if (row.status === 'processing' && row.recognition !== null)
    return { ...report, recognition: row.recognition };
  // The position depends on all that wait, also on those that do not exist for the caller.
  if (row.status !== 'pending' || restriction !== undefined) return report;
  const createdAt = row.queued_at ?? row.created_at;
  return { ...report, queuePosition: await positions.positionOf({ accountId, createdAt }) };
}

export const documentHandlers = {
  async importTextContent(
    { title, content, attributes, sourceUrl, externalId, ifUnchanged, ...input },
    context,
  ) {
    requirePlainAddress('sourceUrl', sourceUrl);
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId, context.allowedKnowledgeBases);
    const bytes = Buffer.byteLength(content);
    await context.diskWatermark.require(bytes);
    const text = { accountId: context.accountId, knowledgeBaseId, title, content, bytes };
    const description = { attributes, sourceUrl, externalId };
    return { data: await importText(context, { ...text, description, skips: ifUnchanged === 'skip' }) };
  },

  async deleteDocument({ documentId }, { database, accountId, allowedKnowledgeBases, files, log }) {
    const { knowledgeBaseId, id } = parseDocumentId(documentId, allowedKnowledgeBases);
    const document = { accountId, knowledgeBaseId, id };
    const unreferenced = await database.transaction().execute(async (transaction) => {
      const found = await findDocument(transaction, document)
        .forKeyShare(['knowledge_bases'])
        .executeTakeFirst();
      if (found === undefined) throw documentNotFound();
      await announceDeletion(transaction, id);
      if ((await lockDocument(transaction, document)) === undefined) throw documentNotFound();
      return await deleteDocuments(transaction, { accountId, knowledgeBaseId, ids: [id] });
    });
    await discardObjects({ database, files, log }, unreferenced);
    return { data: { id: documentId } };
  },

  async listDocuments({ limit = 1000, cursor, status, titleContains, externalId, ...input }, context) {
    const { database, accountId, allowedKnowledgeBases, restriction } = context;
    const filter = bothFilters(restriction, input.filter && toDocumentFilter(input.filter));
    const knowledgeBaseId = parseKnowledgeBaseId(input.knowledgeBaseId, allowedKnowledgeBases);
    const owned = { accountId, knowledgeBaseId };
    // Its absence is reported before a wrong cursor. Without documents it may be absent, too: see below.
    if (cursor !== undefined) await requireKnowledgeBase(database, owned);
    const after = parseCursor(knowledgeBaseId, cursor, byCreation);
    const wanted = { status, titleContains, externalId, filter };
    const list = () => listDocumentRows(database, owned, { ...wanted, after, limit: limit + 1 });
    const isFiltered = Object.values(wanted).some((condition) => condition !== undefined);
    const bounds = { timeMaxMs: COMPARISON_MAX_MS, signal: context.signal };
    const rows = await (isFiltered ? withinBounds(bounds, list) : list());
    if (rows.length === 0) await requireKnowledgeBase(database, owned);
    const { page, pagination } = toPage(rows, {
      list: knowledgeBaseId,
      limit,
      found: rows[0]?.found,
      positionOf: (row) => byCreation.write({ createdAt: row.created_at, id: row.id }),
    });
    const shown = page.map((row) => toDocument(asSeen(row, restriction)));
    return { data: shown, pagination };
  },

  async getDocumentStatus({ documentId, waitSeconds = 0 }, context) {
    const { database, accountId, allowedKnowledgeBases, restriction, longPolls, signal } = context;
    const { withoutPermit, requestedWait } = context;
    const id = { ...parseDocumentId(documentId, allowedKnowledgeBases), accountId, restriction };
    const before = await requireReported(database, id);
    if (waitSeconds === 0 || !isUnfinished(before)) return { data: await reportStatus(before, context) };
    const wait = { seconds: waitSeconds, signal: signal() };
    await withoutPermit(() => requestedWait(() => longPolls.untilFinal(id, wait)));
    return { data: await reportStatus(await requireReported(database, id), context) };
  },

  async getDocument({ documentId }, { database, accountId, allowedKnowledgeBases, restriction }) {
    const id = { ...parseDocumentId(documentId, allowedKnowledgeBases), accountId, restriction };
    // In one round trip: the others find nothing where there is no such document.
    const [row, languages, file] = await Promise.all([
      requireDocument(database, id),
      countLanguages(database, id),
      findDocumentFile(database, id),
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

  async getDocumentContent({ documentId, offset = 0, limit = 100_000 }, context) {
    const { database, accountId, allowedKnowledgeBases, restriction } = context;
    const id = { ...parseDocumentId(documentId, allowedKnowledgeBases), accountId, restriction };
    const last = Math.min(offset + limit, CONTENT_LENGTH_MAX);
    const [, { text, length }] = await Promise.all([
      requireDocument(database, id),
      readText(database, id, { start: offset, end: last }),
    ]);
    const start = Math.min(offset, length);
    return { data: { id: documentId, text, start, end: Math.min(last, length), length } };
  },

  async updateDocument({ documentId, ...change }, context) {
    requirePlainAddress('sourceUrl', change.sourceUrl);
    const { database, accountId, config: defaults, diskWatermark, allowedKnowledgeBases } = context;
    const id = { ...parseDocumentId(documentId, allowedKnowledgeBases), accountId };
    await diskWatermark.require(0);
    const { status, title } = await requireDocument(database, id);
    const isRetitled = change.title !== undefined && change.title !== title;
    if (isRetitled && status === 'processed') return { data: await retitle(context, id, change) };
    const row = await database
      .transaction()
      .execute((transaction) => changeDocument(transaction, { ...id, defaults }, change));
    if (row === undefined) throw documentNotFound();
    // A file that was processed since the check above has its former title in its passages.
    if (isRetitled && row.status === 'processed') return { data: await retitle(context, id, change) };
    return { data: toDocument(row) };
  },

  async retryDocument({ documentId }, { database, accountId, allowedKnowledgeBases, jobs, diskWatermark }) {
    const id = { ...parseDocumentId(documentId, allowedKnowledgeBases), accountId };
    await diskWatermark.require(0);
    const row = await database.transaction().execute(async (transaction) => {
      const document = await lockDocument(transaction, id);
      if (document === undefined) throw documentNotFound();
      const requeued = await requeueDocument(transaction, id);
      if (requeued === undefined) throw documentNotRetryable(document.status);
      await (requeued.file_id === null ? jobs.enqueueFetch : jobs.enqueueImport)(transaction, id);
      return requeued;
    });
    jobs.wakeImporters();
    jobs.wakeFetchers();
    return { data: toDocument(row) };
  },

  async listPassages({ documentId, limit = 1000, cursor, from = 1, to }, context) {
    const { database, accountId, allowedKnowledgeBases, restriction } = context;
    const id = { ...parseDocumentId(documentId, allowedKnowledgeBases), accountId, restriction };
    const existing = requireDocument(database, id);
    if (cursor !== undefined) await existing; // the absence of the document is reported before a wrong cursor
    const after = Math.max(parseCursor(documentId, cursor, byPosition) ?? 0, from - 1);
    const [rows] = await Promise.all([readPassages(database, id, { after, to, limit: limit + 1 }), existing]);
    const { page, pagination } = toPage(rows, {
      list: documentId,
      limit,
      positionOf: ({ position }) => byPosition.write(position),
    });
    return { data: page.map(toPassage), pagination };
  },
} satisfies Partial<Handlers>;
