/**
 * Imports small files of one account that were taken together: each is read by itself, and the files of a knowledge
 * base are analysed and published in one transaction. What cannot go with the others is imported alone, in the same
 * try.
 */

import type { ReadFacts } from '../../database/rows/documents/documents.ts';
import { findUnread, type UnreadFile } from '../../database/rows/documents/small-files.ts';
import type { OwnedKnowledgeBase } from '../../database/rows/knowledge-bases.ts';
import { hasTooLargeIndex } from '../../database/rows/limits/storage-limit.ts';
import { discardObjects } from '../../files/files.ts';
import type { AnalysedTexts } from '../../indexing/analyse-document.ts';
import { type Batches, endAnalysis } from '../../indexing/analysis-pool.ts';
import { readExpectedLanguages } from '../../indexing/expected-languages.ts';
import type { PackedText } from '../../indexing/split/extracted-text.ts';
import { isUnavailable } from '../../terms/errors.ts';
import type { ScopedId } from '../../terms/ids.ts';
import { publishFiles } from '../../versions/publish-files.ts';
import type { JobContext } from '../job-context.ts';
import { type Attempt, Postponed } from '../workers.ts';
import { runImport } from './import-attempt.ts';
import { fail, importAlone, readStored } from './import-file.ts';

/** Files taken together whose reading has not begun after this time go back to the queue. */
const BEGIN_WITHIN_MS = 10_000;
/** A file that takes longer than this is read alone: it holds up the others, which take some milliseconds. */
const READ_WITHIN_MS = 10_000;
/** A small file may become a long text: an archive, a workbook. */
const TEXT_MAX_BYTES = 65_536;

/** What is left to do for a document: to import it alone, or to throw. */
type Rest = 'alone' | Error;

/** A small file that was read. */
type ReadFile = UnreadFile & { extracted: PackedText; facts: ReadFacts };

/** Files of one knowledge base. `untilMs`: the time after which none begins. */
type Together = {
  knowledgeBaseId: string;
  attempts: Attempt<ScopedId>[];
  rest: Map<string, Rest>;
  untilMs: number;
};

/** Reads a file. Undefined: its document has failed, or there is something left to do. */
async function readSmall(
  service: JobContext,
  file: UnreadFile,
  { signal, rest }: { signal: AbortSignal; rest: Together['rest'] },
): Promise<ReadFile | undefined> {
  const { accountId, fileName } = file;
  const ended = AbortSignal.any([signal, AbortSignal.timeout(READ_WITHIN_MS)]);
  const readBytes = () => readStored(service, file, ended);
  const { extract, telemetry } = service;
  const extraction = await telemetry
    .step('extracting', () => extract({ accountId, fileName, readBytes }, ended))
    .catch(() => undefined);
  if (
    extraction === undefined ||
    ('extracted' in extraction && extraction.extracted.byteLength > TEXT_MAX_BYTES)
  ) {
    rest.set(file.id, 'alone');
    return undefined;
  }
  if ('failure' in extraction) {
    await fail(service, file, { ...extraction.failure, facts: extraction });
    return undefined;
  }
  return { ...file, extracted: extraction.extracted, facts: extraction };
}

/** Of several versions of one document, the first: the others come after it. */
function takeFirstVersions(files: UnreadFile[], rest: Together['rest']): UnreadFile[] {
  const taken = new Set<string>();
  return files.filter(({ id, externalId }) => {
    const isFirst = externalId === null || !taken.has(externalId);
    if (isFirst && externalId !== null) taken.add(externalId);
    if (!isFirst) rest.set(id, 'alone');
    return isFirst;
  });
}

/** Reads the files one after the other, as long as there is time. */
async function readAll(
  service: JobContext,
  files: UnreadFile[],
  { attempts, rest, untilMs }: Together,
): Promise<ReadFile[]> {
  const signals = new Map(attempts.map(({ payload, signal }) => [payload.id, signal]));
  const read: (ReadFile | undefined)[] = [];
  for (const file of files) {
    const signal = signals.get(file.id) as AbortSignal; // one for each document
    if (performance.now() > untilMs) rest.set(file.id, new Postponed('earlier files took too long'));
    else read.push(await readSmall(service, file, { signal, rest }));
  }
  return read.filter((file) => file !== undefined);
}

/** The only batch of an analysis of several files. */
async function onlyBatch(batches: Batches): Promise<AnalysedTexts> {
  for await (const batch of batches)
    if (batch.totals !== undefined && batch.passageCounts !== undefined)
      return { ...batch, passageCounts: batch.passageCounts };
  throw new Error('several files were analysed without their totals');
}

/** Analyses and publishes files of one knowledge base, all or none. */
async function publishRead(service: JobContext, owned: OwnedKnowledgeBase, read: ReadFile[]): Promise<void> {
  const { database, analyse, telemetry } = service;
  const expected = await readExpectedLanguages(database, owned);
  const files = read.map(({ title, extracted }) => ({ title, extracted }));
  const batches = await analyse({ format: 'files', files, expected }, owned);
  try {
    const analysed = await onlyBatch(batches);
    const { unreferenced } = await telemetry.step('storing', () =>
      database
        .transaction()
        .execute((transaction) => publishFiles(transaction, owned, { files: read, analysed })),
    );
    telemetry.importsEnded({ status: 'processed' }, read.length);
    await discardObjects(service, unreferenced);
  } finally {
    await endAnalysis(batches);
  }
}

/**
 * Imports the files of one knowledge base, and sets in `rest` what is left to do. @throws while the database is
 * unreachable
 */
async function importInto(service: JobContext, together: Together): Promise<void> {
  const { knowledgeBaseId, attempts, rest } = together;
  const { config: defaults, database } = service;
  const ids = attempts.map(({ payload }) => payload.id);
  const unread = await findUnread(database, { knowledgeBaseId, ids });
  const accountId = unread[0]?.accountId;
  if (accountId === undefined) return;
  const leaveAlone = (files: UnreadFile[]) => {
    for (const { id } of files) rest.set(id, 'alone');
  };
  if (await hasTooLargeIndex(database, { accountId, defaults })) return leaveAlone(unread);
  const read = await readAll(service, takeFirstVersions(unread, rest), together);
  if (read.length === 0) return;
  try {
    await publishRead(service, { accountId, knowledgeBaseId }, read);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    // One of them may have failed the others.
    service.log.info({ err: error, knowledgeBaseId }, 'small files are imported one by one');
    leaveAlone(read);
  }
}

/** Imports what can be imported together. Returns what is left to do, by document; the others have ended. */
async function importTogether(
  service: JobContext,
  attempts: Attempt<ScopedId>[],
): Promise<Map<string, Rest>> {
  await service.diskWatermark.untilFree(AbortSignal.any(attempts.map(({ signal }) => signal)));
  const rest = new Map<string, Rest>();
  const untilMs = performance.now() + BEGIN_WITHIN_MS;
  const byKnowledgeBase = Map.groupBy(attempts, ({ payload }) => payload.knowledgeBaseId);
  for (const [knowledgeBaseId, group] of byKnowledgeBase)
    await importInto(service, { knowledgeBaseId, attempts: group, rest, untilMs }).catch((error) => {
      for (const { payload } of group) if (!rest.has(payload.id)) rest.set(payload.id, error);
    });
  return rest;
}

/** One try for each of these small files of an account. Each of the promises is the result of one. */
export function importSmallFiles(service: JobContext, attempts: Attempt<ScopedId>[]): Promise<void>[] {
  const together = importTogether(service, attempts);
  return attempts.map((attempt) =>
    runImport(service, attempt, async (signal) => {
      const left = (await together).get(attempt.payload.id);
      if (left instanceof Error) throw left;
      if (left === 'alone') await importAlone(service, attempt.payload, signal);
    }),
  );
}
