/** The client: the operations, and functions that upload files and wait for imports. */
import type {
  Document,
  DocumentStatusReport,
  GetDocumentData,
  ImportFileRequest,
  ImportTextContentRequest,
} from '../../generated/types.gen.ts';
import { toDocumentInput } from './bare-id.ts';
import { labelOf } from './file-source.ts';
import { type PollOptions, type StatusSource, untilProcessed } from './poll.ts';
import { createReadOperations } from './read-operations.ts';
import { createRequestOptions } from './request-options.ts';
import { type CreateOptions, type KnowledgeRetrievalSettings, readSettings } from './settings.ts';
import { completeFile, createUpload, type UploadFileRequest, type UploadOptions } from './upload.ts';
import {
  type UploadFilesOptions,
  type UploadResult,
  type UploadSources,
  uploadEach,
} from './upload-files.ts';
import { type ReportProgress, trackFile } from './upload-progress.ts';
import { createWriteOperations } from './write-operations.ts';

/**
 * A client of one service with one key. Every function returns the `data` of the answer; lists return a page with its
 * `pagination`. Every error is a KnowledgeRetrievalError.
 */
export function createKnowledgeRetrieval(settings: KnowledgeRetrievalSettings = {}) {
  const context = readSettings(settings);
  const { semaphores, concurrency } = context;
  const options = createRequestOptions(context);
  const reads = createReadOperations(options);
  const writes = createWriteOperations(options);

  const statusSource: StatusSource = {
    getStatus: reads.getDocumentStatus,
    hasWaiters: semaphores.longPolls.hasWaiters,
  };

  /** Waits until the document is processed. */
  const untilDone = async (
    document: Document,
    poll?: PollOptions,
    report?: ReportProgress,
  ): Promise<Document> => {
    const onReport = (status: DocumentStatusReport) => {
      if (status.status !== 'processed')
        report?.({ phase: 'processing', document: { ...document, ...status } });
    };
    return { ...document, ...(await untilProcessed(statusSource, document.id, { ...poll, onReport })) };
  };

  const upload = createUpload(context, writes);

  return {
    ...reads,
    ...writes,
    /**
     * Uploads and imports a file: requests an upload address, sends the bytes there, and imports them. The returned
     * document is `pending`. A path works in Node, Deno and Bun.
     */
    uploadFile: async (request: UploadFileRequest, options: UploadOptions = {}): Promise<Document> => {
      const { report } = trackFile(labelOf(request), options.onProgress);
      return await completeFile({ report }, () => upload(request, options, options.onProgress && report));
    },
    /** Like uploadFile, and waits until the document is processed. */
    uploadFileAndPoll: async (
      request: UploadFileRequest,
      options: PollOptions & UploadOptions = {},
    ): Promise<Document> => {
      const { report } = trackFile(labelOf(request), options.onProgress);
      return await completeFile({ report }, async () => {
        const document = await upload(request, options, options.onProgress && report);
        report({ phase: 'processing', document });
        return await untilDone(document, options, report);
      });
    },
    /**
     * Uploads and imports many files, several at a time. Returns a result for each, in their order: its document, or the
     * error. An async iterable is read as the uploads proceed, not ahead.
     * @throws ABORTED; INVALID_ARGUMENT when the sources cannot be read. Files that are uploaded by then stay.
     */
    uploadFiles: async (sources: UploadSources, options: UploadFilesOptions): Promise<UploadResult[]> =>
      await uploadEach(sources, options, { upload, concurrency }),
    /**
     * Like uploadFiles, and waits until all documents are processed, or have failed. `deadlineMs` applies to each
     * document from the moment when it is one of those that are waited for, as many as are uploaded at once.
     */
    uploadFilesAndPoll: async (
      sources: UploadSources,
      options: UploadFilesOptions & PollOptions,
    ): Promise<UploadResult[]> =>
      await uploadEach(sources, options, {
        upload,
        concurrency,
        finish: (document, report) => untilDone(document, options, report),
      }),
    /** Like importFile, and waits until the document is processed. */
    importFileAndPoll: async (file: ImportFileRequest | string, poll: PollOptions = {}): Promise<Document> =>
      await untilDone(await writes.importFile(file, poll), poll),
    /** Like importTextContent, and waits until the document is processed. The service does so before it answers. */
    importTextContentAndPoll: async (
      body: ImportTextContentRequest,
      { idempotencyKey, ...poll }: PollOptions & Pick<CreateOptions, 'idempotencyKey'> = {},
    ): Promise<Document> => {
      const key = idempotencyKey === undefined ? {} : { idempotencyKey };
      return await untilDone(await writes.importTextContent(body, { ...poll, ...key }), poll);
    },
    /** Waits until the document is processed, and returns its status report. */
    pollDocumentStatus: async (
      document: GetDocumentData['query'] | string,
      poll: PollOptions = {},
    ): Promise<DocumentStatusReport> =>
      await untilProcessed(statusSource, toDocumentInput(document).documentId, poll),
  };
}

export type KnowledgeRetrieval = ReturnType<typeof createKnowledgeRetrieval>;
