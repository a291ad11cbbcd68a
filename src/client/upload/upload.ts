/** Uploads and imports a file: an upload address, the bytes, the import; a small one in one request. */
import type { Operations } from '../../../generated/client-operations.ts';
import type {
  Document,
  ImportFileRequest,
  UploadFileData,
  UploadTicket,
} from '../../../generated/types.gen.ts';
import { namingOtherAddress, parseJson, toClientError, unexpectedAnswer } from '../errors.ts';
import { writeQuery } from '../operations/request-options.ts';
import { type Received, readText, send } from '../requests/send.ts';
import { type CallOptions, type Context, TRANSFER_TIMEOUT_MS } from '../settings.ts';
import { countingFetch } from './counting-fetch.ts';
import { type FileSource, labelOf, openFile } from './file-source.ts';
import { type FileProgress, type ReportProgress, trackFile } from './upload-progress.ts';

/** A file, and what `importFile` takes besides its id. */
export type DescribedFile = FileSource & Omit<ImportFileRequest, 'fileId'>;

/** A file for a knowledge base. */
export type UploadFileRequest = DescribedFile & { knowledgeBaseId: string };

export type UploadOptions = CallOptions & {
  /** Called whenever the state of the file changes, and at each piece of its bytes that is sent. */
  onProgress?: (progress: FileProgress) => void;
};

/**
 * The largest file that is sent with its import in one request instead of three: of a larger one the progress is shown,
 * and a store of objects may take the bytes directly.
 */
const ONE_REQUEST_MAX_BYTES = 1_048_576;

/** Whether a file may go in one request: it is small, and when it arrives twice, there is still one document. */
const fitsOneRequest = ({ externalId, ifUnchanged }: DescribedFile, sizeBytes: number): boolean =>
  externalId !== undefined && ifUnchanged === 'skip' && sizeBytes <= ONE_REQUEST_MAX_BYTES;

/** The payload of an answer. @throws UNEXPECTED_ANSWER */
function readDocument({ response, body }: Received<string>): Document {
  const answer = parseJson(body);
  if (typeof answer === 'object' && answer !== null && 'data' in answer) return answer.data as Document;
  throw unexpectedAnswer(response, body);
}

/** Uploads one file in its turn, and imports it. Reports all phases up to `importing`. */
export type Upload = (
  request: UploadFileRequest,
  call: CallOptions,
  report: ReportProgress | undefined,
) => Promise<Document>;

/** Sends a request in its turn. */
const sendInTurn = async (
  { semaphores, answeredOrigins, fetch }: Pick<Context, 'semaphores' | 'answeredOrigins' | 'fetch'>,
  request: Parameters<typeof send>[0],
  limits: { timeoutMs: number; deadlineMs: number; retries: number | undefined },
): Promise<Received<string>> =>
  await semaphores.requests.run(
    () => send(request, { fetch, answeredOrigins, ...limits }, readText),
    request.signal,
  );

/** Sends the bytes of a file. They are read only when it is their turn. */
async function sendBytes(
  context: Context,
  { read, ticket }: { read: () => Promise<Blob>; ticket: UploadTicket },
  call: CallOptions,
  report?: ReportProgress,
): Promise<void> {
  const { uploadUrl: address, method, headers } = ticket;
  const { signal, deadlineMs = context.deadlineMs, retries = context.retries } = call;
  // A store may answer before its sender has noticed that all is sent: that is no news any more.
  let isSending = true;
  const onSent = (sentBytes: number) => isSending && report?.({ phase: 'uploading', sentBytes });
  const fetch = report === undefined ? context.fetch : countingFetch(context, onSent);
  const limits = {
    timeoutMs: TRANSFER_TIMEOUT_MS,
    deadlineMs: deadlineMs + TRANSFER_TIMEOUT_MS,
    retries,
  };
  const sendRead = async () =>
    await sendInTurn({ ...context, fetch }, { address, method, headers, body: await read(), signal }, limits);
  try {
    await context.semaphores.bodies.run(sendRead, signal);
  } catch (error) {
    throw namingOtherAddress(error, address, context.baseUrl);
  } finally {
    isSending = false;
  }
}

/** Sends the bytes of a small file with all that is said about it. */
async function sendAtOnce(
  context: Context,
  { read, query }: { read: () => Promise<Blob>; query: UploadFileData['query'] },
  call: CallOptions,
): Promise<Document> {
  const { signal, timeoutMs = context.timeoutMs } = call;
  const { deadlineMs = context.deadlineMs, retries = context.retries } = call;
  const address = `${context.baseUrl}/v1/uploadFile?${writeQuery(query)}`;
  const headers = { 'x-api-key': context.apiKey, 'content-type': 'application/octet-stream' };
  const request = { address, method: 'POST', headers, body: await read(), signal };
  return readDocument(await sendInTurn(context, request, { timeoutMs, deadlineMs, retries }));
}

export function createUpload(context: Context, operations: Operations): Upload {
  const uploadInTurn: Upload = async ({ knowledgeBaseId, ...source }, call, report) => {
    const { fileName, sizeBytes: size, read } = await openFile(source, call.signal);
    if (fitsOneRequest(source, size)) {
      const { file: _file, size: _size, ...described } = source;
      report?.({ fileName, totalBytes: size, phase: 'uploading' });
      const query = { ...described, knowledgeBaseId, fileName };
      const document = await sendAtOnce(context, { read, query }, call);
      report?.({ sentBytes: size, phase: 'importing' });
      return document;
    }
    const ticket = await operations.presignUploadUrl({ knowledgeBaseId, fileName, size }, call);
    report?.({ fileName, totalBytes: size, phase: 'uploading' });
    await sendBytes(context, { read, ticket }, call, report);
    report?.({ sentBytes: size, phase: 'importing' });
    const { file: _file, fileName: _fileName, size: _size, ...described } = source;
    return await operations.importFile({ ...described, fileId: ticket.fileId }, call);
  };

  return (request, call, report) =>
    context.semaphores.uploads.run(() => uploadInTurn(request, call, report), call.signal);
}

/** Waits until a document is processed, and reports its status meanwhile. */
export type Finish = (document: Document, report: ReportProgress) => Promise<Document>;

/** Runs `act`, and reports that the file is queued before, and done or failed after it. */
export async function completeFile(report: ReportProgress, act: () => Promise<Document>): Promise<Document> {
  report({ phase: 'queued' });
  try {
    const document = await act();
    report({ phase: 'done', document });
    return document;
  } catch (thrown) {
    const error = toClientError(thrown);
    report({ phase: 'failed', error });
    throw error;
  }
}

/** Uploads one file with its progress. Without `finish` its document is `pending`. */
export async function uploadOne(
  upload: Upload,
  request: UploadFileRequest,
  { onProgress, ...call }: UploadOptions,
  finish?: Finish,
): Promise<Document> {
  const { report } = trackFile(labelOf(request), onProgress);
  return await completeFile(report, async () => {
    const document = await upload(request, call, onProgress && report);
    if (finish === undefined) return document;
    report({ phase: 'processing', document });
    return await finish(document, report);
  });
}
