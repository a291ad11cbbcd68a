/** Part `files`: how soon uploaded files are searchable, and how this affects the server and its other clients. */
import { availableParallelism } from 'node:os';
import { createRandom, makeQuery, makeText } from '../../../contract-tests/harness/documents/texts.ts';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { readResidentBytes } from '../../../contract-tests/harness/machine/processes.ts';
import {
  call,
  createKnowledgeBase,
  type RunningService,
  withService,
} from '../../../contract-tests/harness/service/service-process.ts';
import type { Document, DocumentStatusReport, UploadTicket } from '../../../generated/types.gen.ts';
import { inParallel } from '../../../src/concurrency/in-parallel.ts';
import { showProgress } from '../../../src/terminal/progress.ts';
import { ask } from '../measuring/ask.ts';
import type { Report } from '../measuring/figures.ts';
import { observe } from '../measuring/open-loop.ts';
import {
  findPostgresProcesses,
  readCpuSeconds,
  readEndedCpuSeconds,
  readSharedOnceBytes,
} from '../measuring/processor-use.ts';
import { makeBomb, makePdf, makeSmallFile, SMALL_FORMATS, type TypicalFile } from './typical-files.ts';

const MEBIBYTE = 1024 ** 2;

/** Nearly the longest text that is extracted from a file (src/extraction/extraction-limits.ts). */
const LARGE_BYTES = 9_900_000;
const TARGET_LARGE_SECONDS = 15;
const PDF_PAGES = 200;
const TARGET_PDF_SECONDS = 10;
const SMALL_FILES = 120;
const TARGET_PER_MINUTE = 100;
const BOMBS = 10;
/** Concurrent waits for documents, which end in about the order of their import. */
const CLIENTS_WAITING = 4;
/** Extraction uses all processors but one, which is the server's (src/extraction/sandbox/extraction-pool.ts). */
const WORKER_CORES = Math.max(1, availableParallelism() - 1);

/** The texts that the other client searches: a few hundred passages, so that only the imports can slow it down. */
const OTHER_TEXTS = 100;
const OTHER_CHARACTERS = 3_000;
const QUERIES_PER_SECOND = 20;
const QUERY_WORDS = 3;
const TARGET_QUERY_MS = 100;

const MEMORY_SAMPLE_MS = 20;
/** Reading the memory of all processes takes some milliseconds. */
const TOGETHER_SAMPLE_MS = 250;
/** For the server and its PostgreSQL. Extraction processes have their own limit. */
const TARGET_MEMORY_MIB = 512;
/** The contract's longest wait. Longer waits take several requests. */
const WAIT_SECONDS = 30;
const SEED = 500;

/** A service with the knowledge base of the uploads, and the search of another client during their import. */
type Measured = {
  service: RunningService;
  report: Report;
  knowledgeBaseId: string;
  search(): Promise<unknown>;
};

/** Uploads a file. Returns the id for its import. */
async function upload(
  { service, knowledgeBaseId }: Measured,
  { fileName, bytes }: TypicalFile,
): Promise<string> {
  const ticket = { knowledgeBaseId, fileName, size: bytes.length };
  const { uploadUrl, fileId } = await call<UploadTicket>(service, 'presignUploadUrl', ticket);
  const response = await fetch(uploadUrl, { method: 'PUT', body: bytes });
  if (!response.ok) throw new Error(`the upload was answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
  return fileId;
}

/** Requests the import of an uploaded file. Returns its document's id. */
async function importFile({ service }: Measured, fileId: string): Promise<string> {
  return (await call<Document>(service, 'importFile', { fileId })).id;
}

/**
 * Resolves once a document has the expected final status.
 * @throws for another final status
 */
async function waitForDocument({ service }: Measured, id: string, end = 'processed'): Promise<void> {
  const wait = `getDocumentStatus?documentId=${id}&waitSeconds=${WAIT_SECONDS}`;
  let report: DocumentStatusReport;
  do report = await call<DocumentStatusReport>(service, wait);
  while (['pending', 'processing'].includes(report.status));
  if (report.status !== end) throw new Error(`the import ended ${JSON.stringify(report)}`);
}

/**
 * Runs `act` while the other client searches. Returns its seconds, the searches' times, the growth of the server's
 * memory, the peak of server and PostgreSQL together, and the processor time of the server and of the extraction.
 */
async function watch({ service: { pid }, search }: Measured, act: () => Promise<void>) {
  const before = readResidentBytes(pid);
  const cpuBefore = { server: readCpuSeconds([pid]), extraction: readEndedCpuSeconds(pid) };
  let most = before;
  let togetherBytes = 0;
  const sampling = setInterval(() => {
    most = Math.max(most, readResidentBytes(pid));
  }, MEMORY_SAMPLE_MS);
  const samplingAll = setInterval(() => {
    togetherBytes = Math.max(togetherBytes, readSharedOnceBytes([pid, ...findPostgresProcesses(pid)]));
  }, TOGETHER_SAMPLE_MS);
  const start = performance.now();
  let seconds = 0;
  const ended = act().then(() => {
    seconds = (performance.now() - start) / 1000;
  });
  const milliseconds = await observe(search, { perSecond: QUERIES_PER_SECOND, ended }).finally(() => {
    clearInterval(sampling);
    clearInterval(samplingAll);
  });
  const serverCpu = readCpuSeconds([pid]) - cpuBefore.server;
  const extractionCpu = readEndedCpuSeconds(pid) - cpuBefore.extraction;
  return { seconds, milliseconds, growthBytes: most - before, togetherBytes, serverCpu, extractionCpu };
}

type Watched = Awaited<ReturnType<typeof watch>>;

/** Adds the cost of an import per file, and its effect on others. */
function addCosts(
  { report }: Measured,
  name: string,
  { files, watched }: { files: number; watched: Watched },
) {
  const { milliseconds, growthBytes, togetherBytes, serverCpu, extractionCpu } = watched;
  const add = (what: string, share: number, target?: { atMost: number }) =>
    report.figure({
      name: `${name}: ${what} of queries meanwhile`,
      value: percentile(milliseconds, share),
      unit: 'ms',
      ...(target && { target }),
    });
  add('p50', 0.5);
  add('p99', 0.99, { atMost: TARGET_QUERY_MS });
  if (!(serverCpu > 0)) return;
  report.figure({
    name: `${name}: memory of server and PostgreSQL`,
    value: togetherBytes / MEBIBYTE,
    unit: 'MiB',
    target: { atMost: TARGET_MEMORY_MIB },
  });
  report.figure({ name: `${name}: server memory growth`, value: growthBytes / MEBIBYTE, unit: 'MiB' });
  report.figure({
    name: `${name}: CPU of the extraction process a file`,
    value: extractionCpu / files,
    unit: 's',
  });
  report.figure({ name: `${name}: CPU of the server a file`, value: serverCpu / files, unit: 's' });
}

async function measureOne(
  measured: Measured,
  { name, file, targetSeconds }: { name: string; file: TypicalFile; targetSeconds: number },
): Promise<void> {
  const { report } = measured;
  report.progress(`import of a ${name}`);
  const fileId = await upload(measured, file);
  const watched = await watch(measured, async () =>
    waitForDocument(measured, await importFile(measured, fileId)),
  );
  const target = { atMost: targetSeconds };
  report.figure({ name: `${name}: until searchable`, value: watched.seconds, unit: 's', target });
  addCosts(measured, name, { files: 1, watched });
}

async function measureSmallFiles(measured: Measured): Promise<void> {
  const { report } = measured;
  const name = `${SMALL_FILES} small files`;
  report.progress(`import of ${name}`);
  const fileIds: string[] = [];
  for (let i = 0; i < SMALL_FILES; i++) fileIds.push(await upload(measured, makeSmallFile(SEED + i)));
  const progress = showProgress(name, SMALL_FILES);
  const watched = await watch(measured, async () => {
    const ids: string[] = [];
    for (const fileId of fileIds) ids.push(await importFile(measured, fileId));
    await inParallel(ids, CLIENTS_WAITING, async (id) => {
      await waitForDocument(measured, id);
      progress.advance(1);
    });
  });
  progress.end();
  report.figure({
    name: `${name}: a minute and worker core`,
    value: SMALL_FILES / (watched.seconds / 60) / WORKER_CORES,
    unit: '/min',
    target: { atLeast: TARGET_PER_MINUTE },
  });
  addCosts(measured, name, { files: SMALL_FILES, watched });
}

/** Files that are made to exhaust the server's memory and time. */
async function measureBombs(measured: Measured): Promise<void> {
  const { report } = measured;
  const name = `${BOMBS} bombs`;
  report.progress(`import of ${name}`);
  const bomb = makeBomb();
  const fileIds: string[] = [];
  for (let i = 0; i < BOMBS; i++) fileIds.push(await upload(measured, bomb));
  const watched = await watch(measured, async () => {
    const ids: string[] = [];
    for (const fileId of fileIds) ids.push(await importFile(measured, fileId));
    for (const id of ids) await waitForDocument(measured, id, 'failed');
  });
  report.figure({ name: `${name}: until each has its reason`, value: watched.seconds, unit: 's' });
  addCosts(measured, name, { files: BOMBS, watched });
}

/**
 * Fills the knowledge base that the other client searches. Returns its passages, and a function for the next search.
 */
async function createSearches(service: RunningService) {
  const knowledgeBaseId = await createKnowledgeBase(service, 'searched');
  let passages = 0;
  for (let i = 0; i < OTHER_TEXTS; i++) {
    const content = makeText('english', OTHER_CHARACTERS, SEED - i);
    const text = { knowledgeBaseId, title: `Page ${i}`, content };
    passages += (await call<Document>(service, 'importTextContent', text)).passageCount ?? 0;
  }
  const random = createRandom(SEED);
  const search = () =>
    ask(service, { query: makeQuery(QUERY_WORDS, random), knowledgeBaseIds: [knowledgeBaseId] });
  return { passages, search };
}

/** Measures bombs, many small files, a long PDF and the largest text in turn, in one service. */
export async function measureFileImport(report: Report): Promise<void> {
  const largest = { fileName: 'largest.txt', bytes: Buffer.from(makeText('english', LARGE_BYTES, SEED)) };
  await withService(async (service) => {
    const { passages, search } = await createSearches(service);
    const knowledgeBaseId = await createKnowledgeBase(service, 'files');
    const measured = { service, report, knowledgeBaseId, search };
    await measureBombs(measured);
    await measureSmallFiles(measured);
    const pdf = makePdf(PDF_PAGES, SEED);
    await measureOne(measured, {
      name: `PDF of ${PDF_PAGES} pages`,
      file: pdf,
      targetSeconds: TARGET_PDF_SECONDS,
    });
    await measureOne(measured, {
      name: `text of ${LARGE_BYTES / 1e6} MB`,
      file: largest,
      targetSeconds: TARGET_LARGE_SECONDS,
    });
    report.note(
      `Small files: ${SMALL_FORMATS.join(', ')}, uploaded before; cores for extraction: ${WORKER_CORES}. ` +
        `Queries: ${QUERIES_PER_SECOND}/s, of ${QUERY_WORDS} words, to ${passages} passages of another knowledge base.`,
    );
  });
}
