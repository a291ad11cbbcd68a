/** The client: the operations, and functions that upload files and wait for imports. */
import type {
  Document,
  DocumentStatusReport,
  GetDocumentData,
  ImportFileRequest,
  ImportTextContentRequest,
  UploadTicket,
} from '../../generated/types.gen.ts';
import { toDocumentInput } from './bare-id.ts';
import { type FileSource, openFile } from './file-source.ts';
import { type PollOptions, type StatusSource, untilProcessed } from './poll.ts';
import { createReadOperations } from './read-operations.ts';
import { createRequestOptions } from './request-options.ts';
import { send } from './send.ts';
import {
  type CallOptions,
  type CreateOptions,
  type KnowledgeRetrievalSettings,
  readSettings,
} from './settings.ts';
import { createWriteOperations } from './write-operations.ts';

/** A file for a knowledge base, and what `importFile` takes besides its id. */
export type UploadFileRequest = FileSource & { knowledgeBaseId: string } & Omit<ImportFileRequest, 'fileId'>;

/** As long as the service allows for an upload. */
const UPLOAD_TIMEOUT_MS = 600_000;

/**
 * A client of one service with one key. Every function returns the `data` of the answer; lists return a page with its
 * `pagination`. Every error is a KnowledgeRetrievalError.
 */
export function createKnowledgeRetrieval(settings: KnowledgeRetrievalSettings) {
  const context = readSettings(settings);
  const { semaphores, fetch, answeredOrigins } = context;
  const options = createRequestOptions(context);
  const reads = createReadOperations(options);
  const writes = createWriteOperations(options);

  const statusSource: StatusSource = {
    getStatus: reads.getDocumentStatus,
    hasWaiters: semaphores.longPolls.hasWaiters,
  };

  /** Waits until the document is processed. */
  const untilDone = async (document: Document, poll?: PollOptions): Promise<Document> => ({
    ...document,
    ...(await untilProcessed(statusSource, document.id, poll)),
  });

  /** Sends the bytes of a file. They are read only when it is their turn. */
  const sendBytes = async (read: () => Promise<Blob>, ticket: UploadTicket, call: CallOptions) => {
    const { uploadUrl: address, method, headers } = ticket;
    const { signal, deadlineMs = context.deadlineMs, retries = context.retries } = call;
    const sendInTurn = async () => {
      const request = { address, method, headers, body: await read(), signal };
      const limits = { timeoutMs: UPLOAD_TIMEOUT_MS, deadlineMs: deadlineMs + UPLOAD_TIMEOUT_MS, retries };
      return await semaphores.requests.run(
        () => send(request, { fetch, answeredOrigins, ...limits }),
        signal,
      );
    };
    await semaphores.bodies.run(sendInTurn, signal);
  };

  const uploadInTurn = async ({ knowledgeBaseId, ...source }: UploadFileRequest, call: CallOptions) => {
    const { fileName, sizeBytes: size, read } = await openFile(source);
    const ticket = await writes.presignUploadUrl({ knowledgeBaseId, fileName, size }, call);
    await sendBytes(read, ticket, call);
    const { file: _file, fileName: _fileName, ...described } = source;
    return await writes.importFile({ ...described, fileId: ticket.fileId }, call);
  };

  /**
   * Uploads and imports a file: requests an upload address, sends the bytes there, and imports them. The returned
   * document is `pending`. A path works in Node, Deno and Bun.
   */
  const uploadFile = async (request: UploadFileRequest, call: CallOptions = {}): Promise<Document> =>
    await semaphores.uploads.run(() => uploadInTurn(request, call), call.signal);

  return {
    ...reads,
    ...writes,
    uploadFile,
    /** Like uploadFile, and waits until the document is processed. */
    uploadFileAndPoll: async (request: UploadFileRequest, poll: PollOptions = {}): Promise<Document> =>
      await untilDone(await uploadFile(request, poll), poll),
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
