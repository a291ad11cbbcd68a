/** The one error that the client throws: a union over `errorCode`, so that the code determines the type of `data`. */
import type {
  CreateKnowledgeBaseError,
  CreateWebhookError,
  DeleteDocumentError,
  DeleteKnowledgeBaseError,
  DeleteWebhookError,
  Document,
  DocumentStatusReport,
  ErrorCode,
  ErrorData,
  GetBalanceError,
  GetDocumentContentError,
  GetDocumentError,
  GetDocumentStatusError,
  GetKnowledgeBaseError,
  GetSynonymsError,
  GetUsageError,
  ImportFileError,
  ImportTextContentError,
  ListDocumentsError,
  ListKnowledgeBasesError,
  ListPassagesError,
  ListWebhooksError,
  PresignDownloadUrlError,
  PresignUploadUrlError,
  QueryError,
  RetryDocumentError,
  SetSynonymsError,
  TestWebhookError,
  UpdateDocumentError,
  UpdateKnowledgeBaseError,
} from '../../generated/types.gen.ts';

/** All error envelopes that the operations document. */
type Envelope =
  | CreateKnowledgeBaseError
  | CreateWebhookError
  | DeleteDocumentError
  | DeleteKnowledgeBaseError
  | DeleteWebhookError
  | GetBalanceError
  | GetDocumentError
  | GetDocumentStatusError
  | GetDocumentContentError
  | GetKnowledgeBaseError
  | GetSynonymsError
  | GetUsageError
  | ImportFileError
  | ImportTextContentError
  | ListDocumentsError
  | ListKnowledgeBasesError
  | ListPassagesError
  | ListWebhooksError
  | PresignDownloadUrlError
  | PresignUploadUrlError
  | QueryError
  | RetryDocumentError
  | SetSynonymsError
  | UpdateDocumentError
  | TestWebhookError
  | UpdateKnowledgeBaseError;

type DataIn<One, Code> = One extends { errorCode: infer Known; data: infer Data }
  ? Code extends Known
    ? Data
    : never
  : never;

/** The `data` of each code of the service. Upload and download addresses have codes that no operation has. */
type ServiceData = {
  [Code in ErrorCode]: [DataIn<Envelope, Code>] extends [never] ? ErrorData : DataIn<Envelope, Code>;
};

/** What had become of a file when its call was aborted. With a `document`, the service has it. */
export type BegunUpload = { fileName: string; document?: Document; error?: KnowledgeRetrievalError };

/** The `data` of each code of the client itself: errors before or without an answer, and imports that fail. */
type ClientData = {
  /** An argument cannot be used: an address, a key, a file without a name. */
  INVALID_ARGUMENT: { argument: string };
  /** The file at this path does not exist, is a directory, or may not be read. */
  FILE_UNREADABLE: { path: string };
  /** The caller's signal has aborted the call; `cause` is its reason. Only `uploadFiles` has `results`. */
  ABORTED: { results?: BegunUpload[] };
  /** No answer arrived: no connection, a broken one, or a web page that may not call the service (CORS). */
  NETWORK_ERROR: Record<string, never>;
  /** No answer arrived in time. It is unknown whether the request took effect. */
  REQUEST_TIMED_OUT: { timeoutMs: number };
  /** An answer arrived that is not the service's, for example a proxy's. `text` is its beginning. */
  UNEXPECTED_ANSWER: { text: string };
  /** The document cannot be read; `report.error` has the reason. */
  DOCUMENT_FAILED: { report: DocumentStatusReport };
  /** The service gave up on the document at its own deadline. */
  DOCUMENT_TIMED_OUT: { report: DocumentStatusReport };
  /** The caller's deadline passed before the document was processed. Its import goes on. */
  DEADLINE_PASSED: { documentId: string; deadlineMs: number };
  /** The request did not come from the service, was changed on its way, or is too old. */
  WEBHOOK_NOT_VERIFIED: Record<string, never>;
};

type DataByCode = ServiceData & ClientData;

/** All codes: the service's, and the client's own. */
export type KnowledgeRetrievalErrorCode = keyof DataByCode;

type ErrorDetails = { status?: number; requestId?: string; retryAfterSeconds?: number; cause?: unknown };

class CodedError<Code extends KnowledgeRetrievalErrorCode> extends Error {
  readonly errorCode: Code;
  /** More about the error; its type depends on the code. */
  readonly data: DataByCode[Code];
  /** The HTTP status; undefined where no answer has arrived. */
  readonly status: number | undefined;
  /** Names the request in the service's log. */
  readonly requestId: string | undefined;
  /** Seconds after which the same request may succeed. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    errorCode: Code,
    message: string,
    data: DataByCode[Code],
    { status, requestId, retryAfterSeconds, cause }: ErrorDetails = {},
  ) {
    super(message, { cause });
    this.name = 'KnowledgeRetrievalError';
    this.errorCode = errorCode;
    this.data = data;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The error that every call throws. Branch on `errorCode`. */
export type KnowledgeRetrievalError = {
  [Code in KnowledgeRetrievalErrorCode]: CodedError<Code>;
}[KnowledgeRetrievalErrorCode];

/** For `instanceof`, which narrows to the union. It is abstract, since callers must not construct it. */
export const KnowledgeRetrievalError = CodedError as unknown as abstract new (
  ...hidden: never
) => KnowledgeRetrievalError; // each instance has one code, as the union says

const isEnvelope = (body: unknown): body is Envelope =>
  typeof body === 'object' && body !== null && 'errorCode' in body && 'message' in body && 'data' in body;

/** The value of JSON text; undefined: it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function detailsOf({ status, headers }: Response): ErrorDetails {
  const requestId = headers.get('x-request-id');
  const retryAfter = headers.get('retry-after');
  return {
    status,
    ...(requestId !== null && { requestId }),
    // HTTP also allows a date, which the service never sends: it is ignored.
    ...(retryAfter !== null && /^\d+$/.test(retryAfter) && { retryAfterSeconds: Number(retryAfter) }),
  };
}

/** Characters of an unexpected answer that `data` holds. */
const SHOWN_CHARACTERS = 500;

export function unexpectedAnswer(response: Response, text: string): KnowledgeRetrievalError {
  const { status, type, headers } = response;
  // A browser hides where a redirection leads.
  const isRedirection = type === 'opaqueredirect' || (status >= 300 && status < 400);
  const message = isRedirection
    ? `The address redirects to ${headers.get('location') ?? 'another'}, where the key is not sent: ` +
      `give the service's own.`
    : `The answer with status ${status} is not the service's.`;
  return new CodedError(
    'UNEXPECTED_ANSWER',
    message,
    { text: text.slice(0, SHOWN_CHARACTERS) },
    detailsOf(response),
  );
}

/** The error of an answer that is not a success. */
export function answeredError(response: Response, text: string): KnowledgeRetrievalError {
  const body = parseJson(text);
  if (!isEnvelope(body)) return unexpectedAnswer(response, text);
  const { errorCode, message, data } = body;
  // In an envelope `data` fits `errorCode`, but the compiler does not follow that through the union.
  return new CodedError(errorCode, message, data as never, detailsOf(response)) as KnowledgeRetrievalError;
}

export const invalidArgument = (
  argument: string,
  message: string,
  cause?: unknown,
): KnowledgeRetrievalError => new CodedError('INVALID_ARGUMENT', message, { argument }, { cause });

export const fileUnreadable = (path: string, reason: string, cause?: unknown): KnowledgeRetrievalError =>
  new CodedError('FILE_UNREADABLE', `${path} cannot be read: ${reason}.`, { path }, { cause });

export const aborted = (cause: unknown, results?: BegunUpload[]): KnowledgeRetrievalError =>
  new CodedError('ABORTED', 'The call was aborted.', results === undefined ? {} : { results }, { cause });

/** Any other error is thrown before anything is sent, because of the caller's input. */
export const toClientError = (error: unknown): KnowledgeRetrievalError =>
  error instanceof KnowledgeRetrievalError
    ? error
    : invalidArgument('input', `The request cannot be made: ${String(error)}`, error);

/** The address of the web page that runs this code; undefined outside of browsers. */
export const pageAddress = (): { origin: string; href: string } | undefined =>
  (globalThis as { location?: { origin: string; href: string } }).location; // of browsers

/** In a browser, a server that does not answer and a refusal by CORS are the same error: the message names both. */
export function networkError(address: string, cause: unknown): KnowledgeRetrievalError {
  const { origin } = new URL(address);
  const page = pageAddress()?.origin;
  const message =
    page === undefined || page === origin
      ? `${origin} did not answer.`
      : `${origin} did not answer, or it does not let pages of ${page} call (CORS): \
its setting CORS_ORIGIN must name that origin.`;
  return new CodedError('NETWORK_ERROR', message, {}, { cause });
}

/**
 * Adds to an error of an address that the service has made, for an upload or a download, that the address is not below
 * the service's own: behind a proxy the service has to be told. Addresses of a store of objects are meant so.
 */
export function namingOtherAddress(error: unknown, address: string, baseUrl: string): unknown {
  const [made] = /^.*(?=\/(?:uploads|downloads)\/)/.exec(address) ?? [];
  const isTold = error instanceof KnowledgeRetrievalError;
  if (!isTold || made === undefined || made === baseUrl || pageAddress() !== undefined) return error;
  if (error.errorCode !== 'NETWORK_ERROR' && error.errorCode !== 'UNEXPECTED_ANSWER') return error;
  error.message +=
    ` The service made this address, which begins with ${made} and not with ${baseUrl}: on the server, ` +
    `BASE_URL must be ` +
    `${baseUrl}.`;
  return error;
}

export const webhookNotVerified = (message: string): KnowledgeRetrievalError =>
  new CodedError('WEBHOOK_NOT_VERIFIED', message, {});

export const requestTimedOut = (timeoutMs: number, cause: unknown): KnowledgeRetrievalError =>
  new CodedError('REQUEST_TIMED_OUT', `No answer came within ${timeoutMs} ms.`, { timeoutMs }, { cause });

export const documentFailed = (report: DocumentStatusReport): KnowledgeRetrievalError =>
  new CodedError('DOCUMENT_FAILED', report.error?.message ?? 'The document could not be read.', { report });

export const documentTimedOut = (report: DocumentStatusReport): KnowledgeRetrievalError =>
  new CodedError('DOCUMENT_TIMED_OUT', 'The service gave up reading the document.', { report });

export const deadlinePassed = (documentId: string, deadlineMs: number): KnowledgeRetrievalError =>
  new CodedError('DEADLINE_PASSED', `The document was not done within ${deadlineMs} ms.`, {
    documentId,
    deadlineMs,
  });
