/**
 * Publishes texts: one whose passages come in batches, or several short ones together. Their documents are new, and
 * current from the commit on.
 */
import { v7 as uuidv7 } from 'uuid';
import type { Document } from '../../generated/types.gen.ts';
import type { Queryable } from '../database/connection/database.ts';
import { inOneRoundTrip } from '../database/connection/prepared.ts';
import { type DocumentRow, toDocument } from '../database/rows/documents/documents.ts';
import {
  insertDocument,
  insertTextDocuments,
  type NewText,
} from '../database/rows/documents/new-documents.ts';
import { lockKnowledgeBase, type OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import type { DefaultLimits } from '../database/rows/limits/account-limits.ts';
import { requireStorage } from '../database/rows/limits/storage-limit.ts';
import { recordDocumentEvents } from '../database/rows/webhooks/webhook-events.ts';
import type { AnalysedTexts, Text } from '../indexing/analyse-document.ts';
import type { Batches } from '../indexing/analysis-pool.ts';
import { isBlank } from '../indexing/split/extracted-text.ts';
import {
  countPassages,
  storePassages,
  storeTextPassages,
  type Uncounted,
} from '../indexing/store-passages.ts';
import { becomeLatest, replaceEarlier } from './replace-earlier.ts';
import { takeUnchanged, toUnchanged } from './unchanged.ts';

/** The documents of texts, and the objects that no row refers to after the commit. */
export type PublishedTexts = { documents: Document[]; unreferenced: string[] };

type Publishing = OwnedKnowledgeBase & { defaults: DefaultLimits; hasWebhooks: boolean };

/**
 * Documents whose rows and passages this transaction has stored, all with one status. `id`: of the document whose row
 * lacks the number of its passages.
 */
type StoredTexts = { rows: DocumentRow[]; uncounted: Uncounted; id?: string };

/** The last steps of both ways, from the lock on the external ids to the lock on the account. */
async function publish(
  transaction: Queryable,
  { defaults, hasWebhooks, ...owned }: Publishing,
  { rows: stored, uncounted, id }: StoredTexts,
): Promise<PublishedTexts> {
  const isProcessed = stored[0]?.status === 'processed';
  const rows = isProcessed ? await becomeLatest(transaction, owned, stored) : stored;
  const unreferenced = isProcessed ? await replaceEarlier(transaction, owned, rows) : [];
  const bytes = rows.reduce((sum, { storage_bytes }) => sum + storage_bytes, 0);
  const counted = { ...uncounted, documents: rows.length, bytes };
  const documents = rows.map(toDocument);
  const type = isProcessed ? 'document.processed' : 'document.failed';
  await inOneRoundTrip(transaction, (together) => [
    countPassages(together, { ...owned, ...(id !== undefined && { id }) }, counted),
    hasWebhooks ? recordDocumentEvents(together, owned, { type, documents }) : Promise.resolve(),
    requireStorage(together, { ...owned, defaults }, bytes),
  ]);
  return { documents, unreferenced };
}

/** A text to import. `skips`: it makes no new document if there is one with its content. */
export type ImportedText = Text & NewText & OwnedKnowledgeBase & { skips: boolean };

/**
 * The outcome of a text without readable characters, the same as for a file. The spec refuses white space alone.
 */
const NO_TEXT = {
  status: 'failed',
  failure: { code: 'NO_TEXT_EXTRACTED', message: 'The content holds no readable text.' },
} as const;

/**
 * Publishes a text in its own transaction, or returns the document that has its content. `batches` yields its passages
 * as they are analysed.
 * @throws KNOWLEDGE_BASE_NOT_FOUND, STORAGE_LIMIT_EXCEEDED
 * @throws DeletionAnnounced when the knowledge base is about to be deleted
 */
export async function publishText(
  transaction: Queryable,
  { accountId, knowledgeBaseId, title, content, skips, ...text }: ImportedText,
  { batches, defaults }: { batches: Batches; defaults: DefaultLimits },
): Promise<{ document: Document; unreferenced: string[] }> {
  const owned = { accountId, knowledgeBaseId };
  const { hasWebhooks } = await lockKnowledgeBase(transaction, owned);
  const sameContent = { ...owned, ...text, title, isText: true };
  const unchanged = skips ? await takeUnchanged(transaction, sameContent, defaults) : undefined;
  if (unchanged !== undefined) return { document: toUnchanged(unchanged), unreferenced: [] };
  const document = { ...owned, ...text, id: uuidv7(), title, source: title, type: 'text' as const };
  const outcome = isBlank(content) ? NO_TEXT : { status: 'processed' as const };
  const row = await insertDocument(transaction, { ...document, ...outcome });
  const uncounted = await storePassages(transaction, document, batches);
  const rows = [{ ...row, passage_count: uncounted.totals.passageCount }];
  const stored = { rows, uncounted, id: row.id };
  const published = await publish(transaction, { ...owned, defaults, hasWebhooks }, stored);
  return { ...published, document: published.documents[0] as Document }; // one for each row
}

/**
 * Publishes short texts of one knowledge base together. `analysed` is the result of their analysis.
 * @returns the documents in the order of the texts
 * @throws KNOWLEDGE_BASE_NOT_FOUND, STORAGE_LIMIT_EXCEEDED
 */
export async function publishTexts(
  transaction: Queryable,
  { defaults, ...owned }: OwnedKnowledgeBase & { defaults: DefaultLimits },
  { texts, analysed }: { texts: NewText[]; analysed: AnalysedTexts },
): Promise<PublishedTexts> {
  const { passageCounts } = analysed;
  const ids = texts.map(() => uuidv7());
  const [{ hasWebhooks }, rows, uncounted] = await inOneRoundTrip(transaction, (together) => [
    lockKnowledgeBase(together, owned),
    insertTextDocuments(together, owned, { texts, passageCounts, ids }),
    storeTextPassages(together, owned, { ids, analysed }),
  ]);
  return await publish(transaction, { ...owned, defaults, hasWebhooks }, { rows, uncounted });
}
