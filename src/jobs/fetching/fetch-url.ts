/** The job that fetches the file of an address. Another one then reads it, as any uploaded file. */
import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import {
  type CurrentVersion,
  findCurrentVersion,
  findUnfetched,
  type UnfetchedDocument,
} from '../../database/rows/documents/document-addresses.ts';
import { discardObject } from '../../files/files.ts';
import { storeUpload } from '../../files/store-upload.ts';
import { type FetchedFile, type Fetching, fetchAddress } from '../../outbound/fetching/fetch-address.ts';
import { FetchFailure } from '../../outbound/fetching/fetch-failure.ts';
import { nameByAddress } from '../../outbound/fetching/file-name.ts';
import { ServiceError } from '../../terms/errors.ts';
import type { ScopedId } from '../../terms/ids.ts';
import { attachFile, endUnchanged } from '../../versions/accept-address.ts';
import { runImport } from '../importing/import-attempt.ts';
import { fail } from '../importing/import-file.ts';
import type { JobContext } from '../job-context.ts';
import { type Attempt, RetryLater } from '../workers.ts';

/** How soon an import resumes after the store is available again. */
const STORE_POLL_INTERVAL_MS = 1_000;

/** The title that the caller of the import has given; undefined: none. */
const givenTitle = ({ title, url }: UnfetchedDocument): string | undefined =>
  title === nameByAddress(url) ? undefined : title;

/** The version that may be unchanged: another title makes another version, since it is searched too. */
async function findComparable(
  { database }: JobContext,
  document: UnfetchedDocument,
): Promise<CurrentVersion | undefined> {
  if (document.readsAnew) return undefined;
  const current = await findCurrentVersion(database, document);
  const title = givenTitle(document);
  return title === undefined || title === current?.title ? current : undefined;
}

const knownOf = (current: CurrentVersion | undefined): Fetching['known'] =>
  current === undefined || current.finalUrl === null ? undefined : { ...current, finalUrl: current.finalUrl };

/** Stores the file and gives it to its document, whose import then begins. */
async function store(
  service: JobContext,
  document: UnfetchedDocument,
  { spooled, ...fetched }: FetchedFile,
): Promise<void> {
  const { config, database, jobs, telemetry } = service;
  const { sizeBytes } = spooled;
  const file = { knowledgeBaseId: document.knowledgeBaseId, id: uuidv7() };
  const stored = await storeUpload(service, file, { sizeBytes, bytes: spooled.bytes() });
  const arrived = { ...fetched, facts: fetched, fileId: file.id, sizeBytes, stored };
  const accepting = { defaults: config, enqueue: jobs.enqueueImport };
  let isAttached: boolean | undefined;
  try {
    isAttached = await telemetry.step('storing', () =>
      database.transaction().execute((transaction) => attachFile(transaction, document, arrived, accepting)),
    );
  } catch (error) {
    // Of any other error the answer to the commit may be lost: then a row refers to the object.
    if (error instanceof ServiceError && error.errorCode === 'STORAGE_LIMIT_EXCEEDED') isAttached = false;
    throw error;
  } finally {
    if (isAttached === false) await discardObject(service, stored.objectName);
  }
  jobs.wakeImporters();
}

/** Waits for the store, where that is why storing fails: the file is there, and its tries are for the address. */
async function storeWhenAvailable(
  service: JobContext,
  document: UnfetchedDocument,
  { fetched, signal }: { fetched: FetchedFile; signal: AbortSignal },
): Promise<void> {
  const { isStoreAvailable } = service;
  for (;;) {
    try {
      await store(service, document, fetched);
      return;
    } catch (error) {
      if (signal.aborted || (await isStoreAvailable())) throw error;
      while (!(await isStoreAvailable())) await delay(STORE_POLL_INTERVAL_MS, undefined, { signal });
    }
  }
}

/** Fetches the file of a document, and stores it unless the current version has the same file. */
async function fetchOnce(service: JobContext, id: ScopedId, signal: AbortSignal): Promise<void> {
  const { config, database, diskWatermark, fetchRules, telemetry } = service;
  await diskWatermark.untilFree(signal);
  const document = await findUnfetched(database, id);
  if (document === undefined) return;
  const current = await findComparable(service, document);
  const end = (same: CurrentVersion) =>
    database.transaction().execute((transaction) => endUnchanged(transaction, document, same, config));
  const fetching = { rules: fetchRules, signal };
  const ask = (known: Fetching['known']) =>
    telemetry.step('fetching', () => fetchAddress(document.url, { ...fetching, known }));
  let fetched = await ask(knownOf(current));
  if (fetched === 'unchanged') {
    if (current !== undefined && (await end(current))) return;
    // The current version has been replaced or deleted since.
    fetched = await ask(undefined);
    if (fetched === 'unchanged') return;
  }
  const { spooled, fileName } = fetched;
  try {
    const isSame = current?.sha256.equals(spooled.sha256) && current.source === fileName;
    if (current !== undefined && isSame && (await end(current))) return;
    await storeWhenAvailable(service, document, { fetched, signal });
  } finally {
    await spooled.close();
  }
}

/**
 * One try to fetch the file of a document. A failure that another try may mend is tried again, and fails the document
 * only after the last try.
 */
export async function fetchUrl(service: JobContext, attempt: Attempt<ScopedId>): Promise<void> {
  const { payload: document, isLastTry } = attempt;
  await runImport(service, attempt, async (signal) => {
    try {
      await fetchOnce(service, document, signal);
    } catch (error) {
      if (error instanceof FetchFailure) {
        const { code, message, isTemporary, afterSeconds } = error;
        if (isTemporary && !isLastTry) throw new RetryLater(message, { cause: error, afterSeconds });
        await fail(service, document, { code, message });
      } else if (error instanceof ServiceError && error.errorCode === 'STORAGE_LIMIT_EXCEEDED') {
        const message = `${error.message} Delete something, and import the address again.`;
        await fail(service, document, { code: 'STORAGE_LIMIT_EXCEEDED', message });
      } else throw error;
    }
  });
}
