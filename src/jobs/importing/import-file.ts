/** The job that makes an uploaded file searchable, or fails its document with a reason. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../database/connection/database.ts';
import {
  failDocument,
  moveDocument,
  noteRecognition,
  retitleUnread,
} from '../../database/rows/documents/documents.ts';
import { hasTooLargeIndex } from '../../database/rows/limits/storage-limit.ts';
import type { RecognisedPages } from '../../extraction/recognition/recognition.ts';
import { discardObjects, recordHash } from '../../files/files.ts';
import { endAnalysis } from '../../indexing/analysis-pool.ts';
import { readExpectedLanguages } from '../../indexing/expected-languages.ts';
import type { ScopedId } from '../../terms/ids.ts';
import { type FileDocument, publishFile, type ReadFile } from '../../versions/publish-file.ts';
import type { JobContext } from '../job-context.ts';
import type { Attempt } from '../workers.ts';
import { runImport } from './import-attempt.ts';

/** How soon an import resumes after the store is available again. */
const STORE_POLL_INTERVAL_MS = 1_000;
/** Sets the status `processing` and returns the file; undefined when the document is deleted or already final. */
async function startProcessing({ database }: JobContext, document: ScopedId) {
  if (!(await moveDocument(database, document, { from: ['pending', 'processing'], to: 'processing' })))
    return undefined;
  return await database
    .selectFrom('files')
    .innerJoin('knowledge_bases', 'knowledge_bases.knowledge_base_id', 'files.knowledge_base_id')
    .innerJoin('documents', (join) =>
      join
        .onRef('documents.knowledge_base_id', '=', 'files.knowledge_base_id')
        .onRef('documents.id', '=', 'files.document_id'),
    )
    .leftJoin('document_addresses as address', (join) =>
      join
        .onRef('address.knowledge_base_id', '=', 'files.knowledge_base_id')
        .onRef('address.document_id', '=', 'files.document_id'),
    )
    .select(['files.id as fileId', 'files.account_id as accountId', 'file_name as fileName', 'title'])
    .select(['object_name as objectName', 'files.size_bytes as sizeBytes', 'files.sha256'])
    .select(['external_id as externalId', 'source', 'address.charset', 'address.document_id as addressOf'])
    .where('files.knowledge_base_id', '=', document.knowledgeBaseId)
    .where('files.document_id', '=', document.id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** The most of a title, in code points. */
const TITLE_MAX = 256;

/**
 * The title that the page of an address gives itself, where nobody has given the document one: its title is still the
 * name of the file, without the extension that the service has added. Undefined: it keeps its title.
 */
function pageTitleFor(
  { title, source, addressOf }: { title: string; source: string; addressOf: string | null },
  { title: ofPage = '' }: { title?: string },
): string | undefined {
  const isNamedByAddress = addressOf !== null && (source === title || source.startsWith(`${title}.`));
  const points = [
    ...ofPage
      .slice(0, 4 * TITLE_MAX)
      .toWellFormed()
      .replaceAll('\0', ''),
  ];
  const shown = points.slice(0, TITLE_MAX).join('').trim();
  return isNamedByAddress && shown !== '' && shown !== title ? shown : undefined;
}

/**
 * Extracts a file. If its object cannot be read because the store is unavailable, waits for the store. Without the
 * wait, the import's tries would be used up within a minute or two. A waiting import occupies no extraction process.
 */
async function extractWhenStoreIsAvailable(
  { extract, isStoreAvailable }: JobContext,
  file: Parameters<JobContext['extract']>[0],
  signal: AbortSignal,
): ReturnType<JobContext['extract']> {
  for (;;) {
    try {
      return await extract(file, signal);
    } catch (error) {
      if (signal.aborted || (await isStoreAvailable())) throw error;
      while (!(await isStoreAvailable())) await delay(STORE_POLL_INTERVAL_MS, undefined, { signal });
    }
  }
}

/** The number of recognised pages is written at most this often: before that it is not worth a row. */
const PAGES_INTERVAL_MS = 5_000;

/** Notes how many pages OCR has recognised. If the database does not answer, the next page tries again. */
function pageNotes(database: Database, document: ScopedId): (pages: RecognisedPages) => void {
  let notedAtMs = performance.now();
  return (pages) => {
    if (performance.now() - notedAtMs < PAGES_INTERVAL_MS) return;
    notedAtMs = performance.now();
    noteRecognition(database, document, pages).catch(() => {});
  };
}

const TOO_MANY_WORDS = {
  code: 'FILE_TOO_COMPLEX',
  message:
    'The account holds more different words than its storage limit allows; ' +
    'delete something, and import the file again.',
} as const;

/** The bytes of a stored file, whose hash is recorded if it is not known yet. */
export async function readStored(
  { database, files }: JobContext,
  file: {
    knowledgeBaseId: string;
    fileId: string;
    objectName: string;
    sizeBytes: number;
    sha256: Buffer | null;
  },
  signal: AbortSignal,
): Promise<Buffer> {
  const { knowledgeBaseId, fileId, objectName, sizeBytes, sha256 } = file;
  const bytes = await files.read(objectName, { sizeBytes, signal });
  if (sha256 === null) await recordHash(database, { knowledgeBaseId, id: fileId }, bytes);
  return bytes;
}

/** `retitled`: the document got another title meanwhile, and has to be processed again. */
type Outcome = Awaited<ReturnType<typeof publishFile>>['outcome'] | 'failed';

/** Extracts, splits and indexes the file. Fails the document when the file cannot be extracted. */
async function processFile(service: JobContext, document: ScopedId, signal: AbortSignal): Promise<Outcome> {
  const { config, database, diskWatermark, analyse, telemetry } = service;
  await diskWatermark.untilFree(signal);
  const file = await startProcessing(service, document);
  if (file === undefined || file.objectName === null) return 'ended';
  const { accountId, fileName, objectName, externalId, charset } = file;
  if (await hasTooLargeIndex(database, { accountId, defaults: config }))
    return await fail(service, document, TOO_MANY_WORDS);
  const readBytes = () =>
    readStored(service, { ...file, knowledgeBaseId: document.knowledgeBaseId, objectName }, signal);
  const owned = { ...document, accountId };
  const expectedLanguages = () => readExpectedLanguages(database, owned);
  const onPages = pageNotes(database, document);
  const extraction = await telemetry.step('extracting', () =>
    extractWhenStoreIsAvailable(
      service,
      { accountId, fileName, charset, readBytes, expectedLanguages, onPages },
      signal,
    ),
  );
  if ('failure' in extraction)
    return await fail(service, document, { ...extraction.failure, facts: extraction });
  const title = pageTitleFor(file, extraction) ?? file.title;
  // As with a title that was changed meanwhile, the next round finds out.
  if (title !== file.title && !(await retitleUnread(database, document, { from: file.title, to: title })))
    return 'retitled';
  const expected = await expectedLanguages();
  const text = { title, expected, format: 'extracted', extracted: extraction.extracted } as const;
  const batches = await analyse(text, { accountId, signal });
  return await publish(service, { ...owned, externalId }, { batches, title, facts: extraction });
}

/** Publishes the document of a file that was read, in one transaction, and ends the analysis. */
async function publish(service: JobContext, document: FileDocument, read: ReadFile): Promise<Outcome> {
  const { database, telemetry } = service;
  try {
    const { outcome, unreferenced } = await telemetry.step('storing', () =>
      database.transaction().execute((transaction) => publishFile(transaction, document, read)),
    );
    await discardObjects(service, unreferenced);
    if (outcome === 'processed') telemetry.importsEnded({ status: 'processed' }, 1);
    return outcome;
  } finally {
    await endAnalysis(read.batches);
  }
}

/** Fails the document, and reports it to telemetry. */
export async function fail(
  { database, telemetry }: JobContext,
  document: ScopedId,
  reason: Parameters<typeof failDocument>[2],
): Promise<'failed'> {
  const hasFailed = await database
    .transaction()
    .execute((transaction) => failDocument(transaction, document, reason));
  if (hasFailed) telemetry.importsEnded({ status: 'failed', errorCode: reason.code }, 1);
  return 'failed';
}

/** Processes the file, and again with the new title when the title has changed meanwhile. */
export async function importAlone(
  service: JobContext,
  document: ScopedId,
  signal: AbortSignal,
): Promise<void> {
  let outcome: Outcome;
  do outcome = await processFile(service, document, signal);
  while (outcome === 'retitled');
}

/** One try to read the file of a document. */
export const importFile = (service: JobContext, attempt: Attempt<ScopedId>): Promise<void> =>
  runImport(service, attempt, (signal) => importAlone(service, attempt.payload, signal));

/** Whether the store answers that it does not have the document's file. */
async function isFileMissing({ database, files }: JobContext, document: ScopedId): Promise<boolean> {
  const file = await database
    .selectFrom('files')
    .select('object_name')
    .where('knowledge_base_id', '=', document.knowledgeBaseId)
    .where('document_id', '=', document.id)
    .executeTakeFirst();
  if (!file?.object_name) return false;
  return await files.exists(file.object_name).then(
    (exists) => !exists,
    () => false,
  );
}

const BYTES_MISSING =
  'The bytes of this file are missing in the store of the service: upload the file again, or ask its operator.';

/**
 * Fails the document of an import whose every try has failed or lost its worker. Only now a missing file is final:
 * another worker might have had it.
 */
export async function giveUpImport(
  service: JobContext,
  { payload: document }: Attempt<ScopedId>,
): Promise<void> {
  service.log.error({ document }, 'import given up');
  const message = (await isFileMissing(service, document))
    ? BYTES_MISSING
    : 'The import failed several times by a fault of the service; import the file again.';
  await fail(service, document, { code: 'INTERNAL_ERROR', message });
}
