/** The client: the operations, and functions that upload files and wait for imports. */
import { createOperations, type Operations } from '../../generated/client-operations.ts';
import type {
  Document,
  DocumentStatusReport,
  GetDocumentData,
  ImportFileRequest,
  ImportTextContentRequest,
  ImportUrlRequest,
} from '../../generated/types.gen.ts';
import { createDownloadFile } from './download-file.ts';
import { toDocumentInput } from './operations/bare-id.ts';
import { createQuery } from './operations/query.ts';
import { createRequestOptions } from './operations/request-options.ts';
import { type PollOptions, type StatusSource, untilProcessed, type Watch } from './poll.ts';
import {
  type Context,
  type CreateOptions,
  type KnowledgeRetrievalSettings,
  readSettings,
} from './settings.ts';
import {
  createUpload,
  type Finish,
  type UploadFileRequest,
  type UploadOptions,
  uploadOne,
} from './upload/upload.ts';
import {
  type UploadFilesOptions,
  type UploadResult,
  type UploadSources,
  uploadEach,
} from './upload/upload-files.ts';
import type { ReportProgress } from './upload/upload-progress.ts';

type UntilDone = (document: Document, poll: PollOptions, report?: ReportProgress) => Promise<Document>;

/** Creates the function that waits until a document is processed, unless it is already. */
const createUntilDone =
  (statusSource: StatusSource): UntilDone =>
  async (document, poll, report) => {
    if (document.status === 'processed') return document;
    const onReport = (status: DocumentStatusReport) => {
      if (status.status !== 'processed')
        report?.({ phase: 'processing', document: { ...document, ...status } });
    };
    return { ...document, ...(await untilProcessed(statusSource, document.id, { ...poll, onReport })) };
  };

function createUploads(context: Context, operations: Operations, untilDone: UntilDone) {
  const { concurrency } = context;
  const upload = createUpload(context, operations);
  const finishWith =
    (poll: PollOptions): Finish =>
    async (document, report) =>
      await untilDone(document, poll, report);
  return {
    /**
     * Uploads and imports a file: requests an upload address, sends the bytes there, and imports them. The returned
     * document is `pending`. A path works in Node, Deno and Bun.
     */
    uploadFile: async (request: UploadFileRequest, options: UploadOptions = {}): Promise<Document> =>
      await uploadOne(upload, request, options),
    /** Like uploadFile, and waits until the document is processed. */
    uploadFileAndPoll: async (
      request: UploadFileRequest,
      options: PollOptions & UploadOptions = {},
    ): Promise<Document> => await uploadOne(upload, request, options, finishWith(options)),
    /**
     * Uploads and imports many files, several at a time. Returns a result for each, in their order: its document, or
     * the error. An async iterable is read as the uploads proceed, not ahead.
     * @throws ABORTED, with the results of the files that were begun in `data.results`; INVALID_ARGUMENT when the
     * sources cannot be read. Files that are uploaded by then stay.
     */
    uploadFiles: async (sources: UploadSources, options: UploadFilesOptions): Promise<UploadResult[]> =>
      await uploadEach(sources, options, { upload, concurrency }),
    /**
     * Like uploadFiles, and waits until all documents are processed, or have failed. `deadlineMs` applies to each
     * document from the moment when the wait for it begins. As many are waited for as files are uploaded at once.
     */
    uploadFilesAndPoll: async (
      sources: UploadSources,
      options: UploadFilesOptions & PollOptions,
    ): Promise<UploadResult[]> =>
      await uploadEach(sources, options, { upload, concurrency, finish: finishWith(options) }),
  };
}

type CreateAndPoll = PollOptions & Pick<CreateOptions, 'idempotencyKey'>;

/** Without a key, the operation makes one. */
const toCreateOptions = ({ idempotencyKey, ...poll }: CreateAndPoll): CreateOptions & PollOptions =>
  idempotencyKey === undefined ? poll : { ...poll, idempotencyKey };

const createImports = (operations: Operations, untilDone: UntilDone) => ({
  /** Like importFile, and waits until the document is processed. */
  importFileAndPoll: async (file: ImportFileRequest | string, poll: PollOptions = {}): Promise<Document> =>
    await untilDone(await operations.importFile(file, poll), poll),
  /**
   * Like importUrl, and waits until the document is processed. If the file has not changed since the last import of
   * the address, the returned document has the `id` of the document that is there, and `unchanged: true`.
   */
  importUrlAndPoll: async (body: ImportUrlRequest, call: CreateAndPoll = {}): Promise<Document> =>
    await untilDone(await operations.importUrl(body, toCreateOptions(call)), call),
  /** Like importTextContent, and waits until the document is processed. The service does so before it answers. */
  importTextContentAndPoll: async (
    body: ImportTextContentRequest,
    call: CreateAndPoll = {},
  ): Promise<Document> =>
    await untilDone(await operations.importTextContent(body, toCreateOptions(call)), call),
});

/**
 * A client of one service with one key. Every function returns the `data` of the answer. Lists return a page with its
 * `pagination` when awaited, and the items of all pages with `for await`. Every error is a KnowledgeRetrievalError.
 */
export function createKnowledgeRetrieval(settings: KnowledgeRetrievalSettings = {}) {
  const context = readSettings(settings);
  const options = createRequestOptions(context);
  const operations = createOperations(options);
  const statusSource: StatusSource = {
    getStatus: operations.getDocumentStatus,
    hasWaiters: context.semaphores.longPolls.hasWaiters,
  };
  const untilDone = createUntilDone(statusSource);
  return {
    ...createQuery(options),
    ...operations,
    ...createUploads(context, operations, untilDone),
    ...createImports(operations, untilDone),
    /** The file from which a document was made: the bytes that were uploaded, in memory, as a File with their name. */
    downloadFile: createDownloadFile(context, operations.presignDownloadUrl),
    /** Waits until the document is processed, and returns its status report. */
    pollDocumentStatus: async (
      document: GetDocumentData['query'] | string,
      poll: Watch = {},
    ): Promise<DocumentStatusReport> =>
      await untilProcessed(statusSource, toDocumentInput(document).documentId, poll),
  };
}

export type KnowledgeRetrieval = ReturnType<typeof createKnowledgeRetrieval>;
