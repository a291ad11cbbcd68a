/** The import of a text: analysed first, then stored in one transaction with the answer. */
import { createHash } from 'node:crypto';
import type { Document } from '../../generated/types.gen.ts';
import { DeletionAnnounced } from '../database/rows/deletion-lock.ts';
import { expectStorage } from '../database/rows/limits/storage-limit.ts';
import { discardObjects } from '../files/files.ts';
import { type Batches, endAnalysis, isLarge } from '../indexing/analysis-pool.ts';
import { readExpectedLanguages } from '../indexing/expected-languages.ts';
import { isBlank } from '../indexing/split/extracted-text.ts';
import { knowledgeBaseNotFound } from '../terms/errors.ts';
import { type ImportedText, publishText } from '../versions/publish-texts.ts';
import { isShort } from '../versions/short-texts.ts';
import { findUnchanged } from '../versions/unchanged.ts';
import type { HandlerContext } from './handler-types.ts';

/**
 * Stores an analysed text. Ends its analysis even if storing fails.
 * @throws KNOWLEDGE_BASE_NOT_FOUND when the knowledge base is deleted meanwhile: no client knows the document yet
 */
async function storeText(context: HandlerContext, text: ImportedText, batches: Batches): Promise<Document> {
  const { transact, config: defaults } = context;
  let unreferenced: string[] = [];
  try {
    const data = await transact(async (transaction) => {
      const published = await publishText(transaction, text, { batches, defaults });
      unreferenced = published.unreferenced;
      return published.document;
    });
    await discardObjects(context, unreferenced);
    return data;
  } catch (error) {
    throw error instanceof DeletionAnnounced ? knowledgeBaseNotFound() : error;
  } finally {
    await endAnalysis(batches);
  }
}

/** Analyses a text beside other requests, and stores it. */
async function importAlone(context: HandlerContext, text: ImportedText): Promise<Document> {
  const { database, config, analyse, withoutPermit, signal, remainingWait } = context;
  const { accountId, title, content, bytes } = text;
  const expected = await readExpectedLanguages(database, text);
  await expectStorage(database, { accountId, defaults: config }, bytes);
  const analysing = () =>
    analyse({ title, expected, format: 'text', content }, { accountId, signal: signal(), remainingWait });
  const store = (batches: Batches) => storeText(context, text, batches);
  // The batches of a large text are stored while the next ones are analysed. That takes seconds, so it runs without
  // a permit.
  if (isLarge(content.length)) return await withoutPermit(async () => store(await analysing()));
  return await store(await withoutPermit(analysing));
}

/**
 * Imports a text, unless it skips and there is a document with its content.
 * @throws KNOWLEDGE_BASE_NOT_FOUND, STORAGE_LIMIT_EXCEEDED, IDEMPOTENCY_KEY_REUSED, SERVICE_UNAVAILABLE
 */
export async function importText(
  context: HandlerContext,
  given: Omit<ImportedText, 'sha256'>,
): Promise<Document> {
  const { withoutPermit, importShortText, transact, keyed, signal, remainingWait } = context;
  const text = { ...given, sha256: createHash('sha256').update(given.content).digest() };
  if (text.skips) {
    // Before the analysis, which unchanged content does not need.
    const unchanged = await findUnchanged(context, { ...text, isText: true });
    return unchanged ?? (await importAlone(context, text));
  }
  if (!isShort(text) || isBlank(text.content)) return await importAlone(context, text);
  return await withoutPermit(() =>
    importShortText(
      { ...text, transact, keyed },
      { accountId: text.accountId, signal: signal(), remainingWait },
    ),
  );
}
