/**
 * Uses the packed client as another project would. client-package.test.ts copies this file into an empty project,
 * type-checks it against the installed package, and runs it in Node, Deno, Bun and a browser.
 */
import {
  createKnowledgeRetrieval,
  type DocumentErrorCode,
  type DocumentStatus,
  type FileProgress,
  type KnowledgeRetrieval,
  KnowledgeRetrievalError,
  type KnowledgeRetrievalSettings,
  type SearchResult,
  type UploadFilesProgress,
  type UploadPhase,
  type UploadResult,
  type UploadSource,
  type UploadTotals,
} from 'knowledge-retrieval-client';

export { createKnowledgeRetrieval };

/** The errorCode that a call throws, and a detail of its data for two codes. */
async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'nothing was thrown';
  } catch (error) {
    if (!(error instanceof KnowledgeRetrievalError)) throw error;
    switch (error.errorCode) {
      case 'INPUT_VALIDATION_FAILED':
        return `${error.errorCode} ${Object.keys(error.data.fieldErrors)}`;
      case 'DOCUMENT_FAILED': {
        const reason: DocumentErrorCode | undefined = error.data.report.error?.code;
        return `${error.errorCode} ${reason}`;
      }
      default:
        // @ts-expect-error: the type of `data` depends on the code
        error.data.report;
        return error.errorCode;
    }
  }
}

/** Calls with the same outcome at a service and at a mock. */
export async function useOperations(settings: KnowledgeRetrievalSettings) {
  const retrieval = createKnowledgeRetrieval(settings);
  const { id: knowledgeBaseId } = await retrieval.createKnowledgeBase({ name: 'Handbook' });
  const content = 'The restart policy of new containers is on-failure.';
  const text = await retrieval.importTextContentAndPoll({ knowledgeBaseId, title: 'Notes', content });
  const found: SearchResult[] = await retrieval.query({
    query: 'restart policy',
    knowledgeBaseIds: [knowledgeBaseId],
  });
  const { data: documents, pagination } = await retrieval.listDocuments({ knowledgeBaseId });
  const invalid = codeOf(retrieval.createKnowledgeBase({ name: '' }));
  // @ts-expect-error: `query` is required
  const untyped = codeOf(retrieval.query({ limit: 1 }));
  const unreachable = createKnowledgeRetrieval({ ...settings, baseUrl: 'http://127.0.0.1:9', retries: 0 });
  return {
    status: text.status satisfies DocumentStatus,
    foundWords: found.some((passage) => passage.content.includes('restart')),
    isListed: documents.length > 0 && !pagination.hasMore,
    invalid: await invalid,
    untyped: await untyped,
    unreachable: await codeOf(unreachable.getUsage()),
  };
}

/** `file` contains text, `empty` does not. */
export type Files = { file: string | File; empty: string | File };

/** Uploads several files from a generator, one of them empty, and lists them by `for await`. */
async function useSeveral(retrieval: KnowledgeRetrieval, knowledgeBaseId: string) {
  const text = 'The keeper counts the ships. '.repeat(2_000);
  async function* generate(): AsyncGenerator<UploadSource> {
    yield { file: new Blob([text]), fileName: 'long.txt', attributes: { pages: 'many' } };
    yield { file: new TextEncoder().encode('').buffer, fileName: 'nothing.txt' };
    yield { file: new Blob([text]).stream(), fileName: 'stream.txt', size: text.length };
  }
  const phases: UploadPhase[] = [];
  const sent: number[] = [];
  let totals: UploadTotals | undefined;
  const onProgress = (progress: UploadFilesProgress) => {
    totals = progress.totals;
    if (progress.index > 0) return;
    if (progress.phase !== phases.at(-1)) phases.push(progress.phase);
    sent.push(progress.sentBytes / text.length);
  };
  const results = await retrieval.uploadFilesAndPoll(generate(), { knowledgeBaseId, onProgress });
  const titles: string[] = [];
  for await (const { title } of retrieval.listDocuments({ knowledgeBaseId, limit: 2 })) titles.push(title);
  return {
    outcomes: results.map(({ document, error }) => error?.errorCode ?? document?.status),
    phases,
    sent: [sent.at(0), sent.at(-1)],
    totals: { ...totals, sentBytes: (totals?.sentBytes ?? 0) / text.length, totalBytes: undefined },
    titles: titles.toSorted(),
  };
}

/** Calls that need a service: a mock accepts any key. */
export async function useFiles(settings: KnowledgeRetrievalSettings, { file, empty }: Files) {
  const retrieval = createKnowledgeRetrieval(settings);
  const { id: knowledgeBaseId } = await retrieval.createKnowledgeBase({ name: 'Files' });
  const document = await retrieval.uploadFileAndPoll({ knowledgeBaseId, file });
  const blob = new Blob(['A Blob needs a name.']);
  const named = await retrieval.uploadFile({ knowledgeBaseId, file: blob, fileName: 'blob.txt' });
  // @ts-expect-error: a Blob needs a name
  const nameless = await codeOf(retrieval.uploadFile({ knowledgeBaseId, file: blob }));
  const missing = await codeOf(retrieval.uploadFile({ knowledgeBaseId, file: 'missing.txt' }));
  const failed = await codeOf(retrieval.uploadFileAndPoll({ knowledgeBaseId, file: empty }));
  const downloaded = await retrieval.downloadFile(document.id);
  const textOfDownload = await downloaded.text();
  const found = await retrieval.query({ query: 'lighthouse', knowledgeBaseIds: [knowledgeBaseId] });
  const several = await useSeveral(retrieval, knowledgeBaseId);
  await retrieval.deleteKnowledgeBase(knowledgeBaseId);
  return {
    status: document.status,
    title: document.title,
    named: named.title,
    downloaded: [downloaded.name, textOfDownload.includes('lighthouse')],
    nameless,
    missing,
    failed,
    found: found.map(({ title }) => title),
    several,
    gone: await codeOf(retrieval.getDocument(document.id)),
    unauthorized: await codeOf(createKnowledgeRetrieval({ ...settings, apiKey: 'wrong' }).getBalance()),
  };
}

/** Uploads 300,000 bytes. Returns the numbers of bytes that are reported meanwhile, each once. */
export async function useProgress(settings: KnowledgeRetrievalSettings) {
  const sent = new Set<number>();
  const onProgress = ({ sentBytes }: FileProgress) => sent.add(sentBytes);
  const file = new Blob([new Uint8Array(300_000)]);
  const request = { knowledgeBaseId: 'any', file, fileName: 'zeros.bin' };
  await createKnowledgeRetrieval(settings).uploadFile(request, { onProgress });
  return [...sent];
}

/** Ends an upload when a part of its bytes has been sent. */
export async function useInterrupted(settings: KnowledgeRetrievalSettings) {
  const retrieval = createKnowledgeRetrieval(settings);
  const { id: knowledgeBaseId } = await retrieval.createKnowledgeBase({ name: 'Interrupted' });
  const file = new Blob([new Uint8Array(20_000_000)]);
  const stopping = new AbortController();
  let isPartial = false;
  const onProgress = ({ sentBytes, totalBytes }: FileProgress) => {
    if (sentBytes === 0) return;
    isPartial = sentBytes < totalBytes;
    stopping.abort();
  };
  const { signal } = stopping;
  const request = { knowledgeBaseId, file, fileName: 'large.txt' };
  const errorCode = await codeOf(retrieval.uploadFile(request, { signal, onProgress }));
  await retrieval.deleteKnowledgeBase(knowledgeBaseId);
  return { errorCode, isPartial };
}

function toDocument({ document, error }: UploadResult) {
  if (error !== undefined) throw error;
  return document;
}

/** Uploads `count` files at once; returns the number of documents in each status, and the number of refusals. */
export async function useMany(
  settings: KnowledgeRetrievalSettings,
  { count, untilProcessed }: { count: number; untilProcessed: boolean },
) {
  let refused = 0;
  const send: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    if (response.status === 429 || response.status === 503) refused++;
    return response;
  };
  const retrieval = createKnowledgeRetrieval({ ...settings, fetch: send });
  const { id: knowledgeBaseId } = await retrieval.createKnowledgeBase({ name: 'Many' });
  function* generate() {
    for (let index = 0; index < count; index++)
      yield { file: new Blob([`The keeper counts ship number ${index}.`]), fileName: `${index}.txt` };
  }
  const documents = untilProcessed
    ? (await retrieval.uploadFilesAndPoll(generate(), { knowledgeBaseId })).map(toDocument)
    : await Promise.all([...generate()].map((file) => retrieval.uploadFile({ knowledgeBaseId, ...file })));
  await retrieval.deleteKnowledgeBase(knowledgeBaseId);
  const statuses: Partial<Record<DocumentStatus, number>> = {};
  for (const { status } of documents) statuses[status] = (statuses[status] ?? 0) + 1;
  return { ...statuses, refused };
}

/**
 * Calls operations that write, at a service whose answers get lost. Calls `beforeTry` before each try of a call, with
 * its number from 0. Returns the number of tries of each call, and their effects.
 */
export async function useLossy(settings: KnowledgeRetrievalSettings, beforeTry: (index: number) => void) {
  let tries = 0;
  const send: typeof fetch = (...request) => {
    beforeTry(tries++);
    return fetch(...request);
  };
  const retrieval = createKnowledgeRetrieval({ ...settings, fetch: send });
  const counts: number[] = [];
  const counted = async <T>(call: () => Promise<T>): Promise<T> => {
    tries = 0;
    const result = await call();
    counts.push(tries);
    return result;
  };
  const before = (await retrieval.getUsage()).knowledgeBaseCount;
  const { id: knowledgeBaseId } = await counted(() => retrieval.createKnowledgeBase({ name: 'Lossy' }));
  const text = { knowledgeBaseId, title: 'Notes', content: 'Kept once.' };
  const { id } = await counted(() => retrieval.importTextContent(text));
  const ownKey = { idempotencyKey: `mine-${knowledgeBaseId}` };
  const first = await counted(() => retrieval.importTextContent(text, ownKey));
  const again = await counted(() => retrieval.importTextContent(text, ownKey));
  const file = new Blob(['A file.']);
  const ticket = { knowledgeBaseId, fileName: 'a.txt', size: file.size };
  const { uploadUrl: address, fileId } = await counted(() => retrieval.presignUploadUrl(ticket));
  await send(address, { method: 'PUT', body: file });
  const imported = await counted(() => retrieval.importFile({ fileId }));
  await counted(() => retrieval.deleteDocument(id));
  const withoutRetries = await codeOf(
    counted(() => retrieval.createKnowledgeBase({ name: 'Lossy' }, { retries: 0 })),
  );
  const { data } = await counted(() => retrieval.listDocuments({ knowledgeBaseId }));
  return {
    counts,
    isSameDocument: first.id === again.id,
    withoutRetries,
    areBothListed: data.map((document) => document.id).toString() === [imported.id, first.id].toString(),
    created: (await retrieval.getUsage()).knowledgeBaseCount - before,
  };
}
