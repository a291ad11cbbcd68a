/** The import of a text: analysed first, then stored in one transaction with the answer. */
import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Document } from '../../generated/types.gen.ts';
import { expectStorage, requireStorage } from '../database/rows/account-limits.ts';
import { DeletionAnnounced } from '../database/rows/deletion-lock.ts';
import { toDocument } from '../database/rows/documents/documents.ts';
import { insertDocument, type NewText } from '../database/rows/documents/new-documents.ts';
import { lockKnowledgeBase, type OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { recordDocumentEvents } from '../database/rows/webhook-events.ts';
import type { Tables } from '../database/schema/tables.ts';
import { discardObjects } from '../files/files.ts';
import type { Text } from '../indexing/analyse-document.ts';
import { type Batches, endAnalysis, isLarge } from '../indexing/analysis-pool.ts';
import { readExpectedLanguages } from '../indexing/expected-languages.ts';
import { isBlank } from '../indexing/split/extracted-text.ts';
import { countPassages, storePassages } from '../indexing/store-passages.ts';
import { knowledgeBaseNotFound } from '../terms/errors.ts';
import { publishTexts } from '../versions/replace-earlier.ts';
import { isShort } from '../versions/short-texts.ts';
import { findUnchanged, takeUnchanged, toUnchanged } from '../versions/unchanged.ts';
import type { HandlerContext } from './handler-types.ts';

/** A text to import. `skips`: it makes no new document if there is one with its content. */
type ImportedText = Text & Omit<NewText, 'sha256'> & OwnedKnowledgeBase & { skips: boolean };

/** `batches` yields the text's passages as they are analysed. */
type AnalysedText = ImportedText & NewText & { batches: Batches };

type Storing = AnalysedText & { hasWebhooks: boolean };

/** The answer to an import, and the objects that no row refers to after the commit. */
type Stored = { data: Document; unreferenced: string[] };

/**
 * The outcome of a text without readable characters, the same as for a file. The spec refuses white space alone.
 */
const NO_TEXT = {
  status: 'failed',
  failure: { code: 'NO_TEXT_EXTRACTED', message: 'The content holds no readable text.' },
} as const;

/** Inserts the document of a text and its passages, in the given transaction. */
async function insertText(
  transaction: Transaction<Tables>,
  { config }: HandlerContext,
  { accountId, knowledgeBaseId, batches, title, bytes, sha256, description, ...text }: Storing,
): Promise<Stored> {
  const owned = { accountId, knowledgeBaseId };
  const document = { ...owned, id: uuidv7() };
  const outcome = isBlank(text.content) ? NO_TEXT : ({ status: 'processed' } as const);
  const given = { title, source: title, type: 'text', bytes, sha256, description } as const;
  const row = await insertDocument(transaction, { ...document, ...given, ...outcome });
  const uncounted = await storePassages(transaction, document, batches);
  const published =
    outcome.status === 'processed'
      ? await publishTexts(transaction, owned, [row])
      : { rows: [row], unreferenced: [] };
  const bytesStored = row.storage_bytes;
  await countPassages(transaction, document, { ...uncounted, documents: 1, bytes: bytesStored });
  const data = toDocument({ ...(published.rows[0] ?? row), passage_count: uncounted.totals.passageCount });
  const type = `document.${outcome.status}` as const;
  if (text.hasWebhooks) await recordDocumentEvents(transaction, owned, { type, documents: [data] });
  await requireStorage(transaction, { accountId, defaults: config }, bytesStored);
  return { data, unreferenced: published.unreferenced };
}

/**
 * Stores an analysed text. Ends its analysis even if storing fails.
 * @throws KNOWLEDGE_BASE_NOT_FOUND when the knowledge base is deleted meanwhile: no client knows the document yet
 */
async function storeText(context: HandlerContext, text: AnalysedText): Promise<Document> {
  let unreferenced: string[] = [];
  try {
    const data = await context.transact(async (transaction) => {
      const { hasWebhooks } = await lockKnowledgeBase(transaction, text);
      const unchanged = text.skips
        ? await takeUnchanged(transaction, { ...text, isText: true }, context.config)
        : undefined;
      if (unchanged !== undefined) return toUnchanged(unchanged);
      const stored = await insertText(transaction, context, { ...text, hasWebhooks });
      unreferenced = stored.unreferenced;
      return stored.data;
    });
    await discardObjects(context, unreferenced);
    return data;
  } catch (error) {
    throw error instanceof DeletionAnnounced ? knowledgeBaseNotFound() : error;
  } finally {
    await endAnalysis(text.batches);
  }
}

/** Analyses a text beside other requests, and stores it. */
async function importAlone(context: HandlerContext, text: ImportedText & NewText): Promise<Document> {
  const { database, config, analyse, withoutPermit, signal, budget } = context;
  const { accountId, title, content, bytes } = text;
  const expected = await readExpectedLanguages(database, text);
  await expectStorage(database, { accountId, defaults: config }, bytes);
  const analysing = () =>
    analyse({ title, expected, format: 'text', content }, { accountId, signal: signal(), budget });
  const store = (batches: AnalysedText['batches']) => storeText(context, { ...text, batches });
  // The batches of a large text are stored while the next ones are analysed. That takes seconds, so it runs without
  // a permit.
  if (isLarge(content.length)) return await withoutPermit(async () => store(await analysing()));
  return await store(await withoutPermit(analysing));
}

/**
 * Imports a text, unless it skips and there is a document with its content.
 * @throws KNOWLEDGE_BASE_NOT_FOUND, STORAGE_LIMIT_EXCEEDED, IDEMPOTENCY_KEY_REUSED, SERVICE_UNAVAILABLE
 */
export async function importText(context: HandlerContext, given: ImportedText): Promise<Document> {
  const { withoutPermit, importShortText, transact, keyed, signal, budget } = context;
  const text = { ...given, sha256: createHash('sha256').update(given.content).digest() };
  if (text.skips) {
    // Before the analysis, which unchanged content does not need.
    const unchanged = await findUnchanged(context, { ...text, isText: true });
    return unchanged ?? (await importAlone(context, text));
  }
  if (!isShort(text) || isBlank(text.content)) return await importAlone(context, text);
  return await withoutPermit(() =>
    importShortText({ ...text, transact, keyed }, { accountId: text.accountId, signal: signal(), budget }),
  );
}
