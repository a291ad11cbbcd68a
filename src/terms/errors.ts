/** The service's only error type, all its errors, and the conversion of foreign errors. */
import type { DocumentStatus, ErrorCode } from '../../generated/types.gen.ts';

/** Each errorCode always has the same HTTP status: a client may branch on either. */
export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  MALFORMED_REQUEST: 400,
  UNAUTHORIZED: 401,
  INSUFFICIENT_CREDITS: 402,
  STORAGE_LIMIT_EXCEEDED: 403,
  KNOWLEDGE_BASE_LIMIT_EXCEEDED: 403,
  KEY_NOT_PERMITTED: 403,
  WEBHOOK_LIMIT_EXCEEDED: 403,
  NOT_FOUND: 404,
  KNOWLEDGE_BASE_NOT_FOUND: 404,
  DOCUMENT_NOT_FOUND: 404,
  FILE_NOT_FOUND: 404,
  WEBHOOK_NOT_FOUND: 404,
  KEY_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  FILE_NOT_UPLOADED: 409,
  FILE_ALREADY_IMPORTED: 409,
  UPLOAD_EXPIRED: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INPUT_VALIDATION_FAILED: 422,
  IDEMPOTENCY_KEY_REUSED: 409,
  DOCUMENT_NOT_RETRYABLE: 409,
  DOCUMENT_HAS_NO_FILE: 409,
  DOWNLOAD_EXPIRED: 410,
  RANGE_NOT_SATISFIABLE: 416,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
};

/** `isExpected`: a 5xx that is no fault, so it is not logged as an error. */
type Details = {
  data?: Record<string, unknown>;
  headers?: Record<string, string>;
  cause?: unknown;
  isExpected?: boolean;
};

/** An error that the client receives as it is. Everything else becomes INTERNAL_ERROR or SERVICE_UNAVAILABLE. */
export class ServiceError extends Error {
  readonly errorCode: ErrorCode;
  readonly data: Record<string, unknown>;
  readonly headers: Record<string, string>;
  readonly isExpected: boolean;

  constructor(
    errorCode: ErrorCode,
    message: string,
    { data = {}, headers = {}, cause, isExpected = false }: Details = {},
  ) {
    super(message, { cause });
    this.isExpected = isExpected;
    this.errorCode = errorCode;
    this.data = data;
    this.headers = headers;
  }

  get status(): number {
    return STATUS_OF[this.errorCode];
  }
}

/** The body of an error answer. */
export const toErrorEnvelope = ({ message, errorCode, data }: ServiceError) => ({
  success: false as const,
  message,
  errorCode,
  data,
});

export const unauthorized = () =>
  new ServiceError('UNAUTHORIZED', 'The x-api-key header must hold a valid API key.', {
    headers: { 'www-authenticate': 'ApiKey header="x-api-key"' },
  });

export const uploadNotAuthorized = () =>
  new ServiceError('UNAUTHORIZED', 'This is not an upload address that the service has given out.');

export const downloadNotAuthorized = () =>
  new ServiceError('UNAUTHORIZED', 'This is not a download address that the service has given out.');

export const signInCodeRefused = () =>
  new ServiceError(
    'UNAUTHORIZED',
    'This code was used before, is older than five minutes, or is wrong: sign in with the API key.',
  );

export const foreignHost = () =>
  new ServiceError(
    'KEY_NOT_PERMITTED',
    'The Host header names neither this machine nor the host of BASE_URL: set BASE_URL if a proxy passes that name on.',
  );

export const foreignOrigin = () =>
  new ServiceError('KEY_NOT_PERMITTED', 'Pages of another origin may not use this address.');

export const metricsNotAuthorized = () =>
  new ServiceError(
    'UNAUTHORIZED',
    'The metrics need METRICS_TOKEN, or the token in DATA_DIR/metrics-token: Authorization: Bearer <token>.',
    { headers: { 'www-authenticate': 'Bearer' } },
  );

export const insufficientCredits = () =>
  new ServiceError('INSUFFICIENT_CREDITS', 'The balance does not cover this query.');

/** All in bytes; `used` includes the reservations of open upload tickets. */
export const storageLimitExceeded = (data: { limit: number; used: number; requested: number }) =>
  new ServiceError(
    'STORAGE_LIMIT_EXCEEDED',
    `Storing ${data.requested} bytes would pass the account's limit of ${data.limit} bytes; ${data.used} are in use.`,
    { data },
  );

export const knowledgeBaseLimitExceeded = (data: { limit: number; used: number }) =>
  new ServiceError(
    'KNOWLEDGE_BASE_LIMIT_EXCEEDED',
    `The account's limit of ${data.limit} knowledge bases is reached.`,
    { data },
  );

/** `lack`: what the key lacks, as the end of a sentence. */
export const keyNotPermitted = (lack: string) =>
  new ServiceError('KEY_NOT_PERMITTED', `This API key may not do this: ${lack}.`);

export const webhookLimitExceeded = (data: { limit: number; used: number }) =>
  new ServiceError('WEBHOOK_LIMIT_EXCEEDED', `The account's limit of ${data.limit} webhooks is reached.`, {
    data,
  });

/** `meant`: the path of an operation that is probably meant. */
export const routeNotFound = (meant?: string) =>
  new ServiceError(
    'NOT_FOUND',
    `No operation has this path${meant === undefined ? '.' : `; did you mean ${meant}?`}`,
  );

/** `among`: all distinct ids of the request. Where there are several, the message says which one is unknown. */
export const knowledgeBaseNotFound = (id?: string, among: string[] = []) =>
  new ServiceError(
    'KNOWLEDGE_BASE_NOT_FOUND',
    `There is no knowledge base with ${id !== undefined && among.length > 1 ? `the id ${id}` : 'this id'}.`,
  );

/** `among`: as in `knowledgeBaseNotFound`. */
export const documentNotFound = (id?: string, among: string[] = []) =>
  new ServiceError(
    'DOCUMENT_NOT_FOUND',
    `There is no document with ${id !== undefined && among.length > 1 ? `the id ${id}` : 'this id'}.`,
  );

export const fileNotFound = () => new ServiceError('FILE_NOT_FOUND', 'There is no file with this id.');

export const webhookNotFound = () =>
  new ServiceError('WEBHOOK_NOT_FOUND', 'There is no webhook with this id.');

export const keyNotFound = () => new ServiceError('KEY_NOT_FOUND', 'There is no key with this id.');

/** Methods that the message leaves out, since clients send them automatically. */
const IMPLICIT_METHODS = ['HEAD', 'OPTIONS'];

/** `allowed`: the methods of this address, for the Allow header. */
export function methodNotAllowed(allowed: string[]): ServiceError {
  const named = allowed.filter((method) => !IMPLICIT_METHODS.includes(method));
  return new ServiceError('METHOD_NOT_ALLOWED', `This address takes ${named.join(', ')}.`, {
    headers: { allow: allowed.join(', ') },
  });
}

export const fileNotUploaded = () =>
  new ServiceError('FILE_NOT_UPLOADED', 'The bytes of this file have not arrived at its uploadUrl yet.');

export const fileAlreadyImported = () =>
  new ServiceError(
    'FILE_ALREADY_IMPORTED',
    'This file is imported already; its bytes can not change any more.',
  );

export const documentNotRetryable = (status: DocumentStatus) =>
  new ServiceError(
    'DOCUMENT_NOT_RETRYABLE',
    status === 'failed'
      ? 'Only a file can be read again; this document is imported text.'
      : `Only a file that failed or timed out can be read again; this document is ${status}.`,
  );

export const documentHasNoFile = () =>
  new ServiceError(
    'DOCUMENT_HAS_NO_FILE',
    'This document was imported as text, so it has no file; getDocumentContent returns its text.',
  );

export const downloadExpired = () =>
  new ServiceError('DOWNLOAD_EXPIRED', 'This download address has expired; ask for a new one.');

/** `sizeBytes`: the length of the file. */
export const rangeNotSatisfiable = (sizeBytes: number) =>
  new ServiceError(
    'RANGE_NOT_SATISFIABLE',
    `The range begins after the end: the file has ${sizeBytes} bytes.`,
    {
      data: { size: sizeBytes },
      headers: { 'content-range': `bytes */${sizeBytes}` },
    },
  );

export const uploadExpired = () =>
  new ServiceError(
    'UPLOAD_EXPIRED',
    'This upload ticket has expired and takes no bytes any more; ask for a new one.',
  );

export const payloadTooLarge = (limitBytes: number) =>
  new ServiceError('PAYLOAD_TOO_LARGE', `The body must not be larger than ${limitBytes} bytes.`, {
    data: { limit: limitBytes },
  });

export const unsupportedMediaType = () =>
  new ServiceError(
    'UNSUPPORTED_MEDIA_TYPE',
    'The Content-Type must be application/json in UTF-8, without a Content-Encoding.',
  );

export const notOctetStream = () =>
  new ServiceError(
    'UNSUPPORTED_MEDIA_TYPE',
    'The Content-Type must be application/octet-stream, without a Content-Encoding.',
  );

/** The place of a field in a sentence, as in JavaScript: `filter.filters.1.key` → `filter.filters[1].key` */
export const placeOf = (field: string): string => field.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]') || '""';

/** A question has its question mark already. */
const asSentence = (text: string): string => (text.endsWith('?') ? text : `${text}.`);

/** `formErrors`: about the request as a whole. `fieldErrors`: by the name of the field. */
export function validationFailed(
  formErrors: string[],
  fieldErrors: Record<string, string[]> = {},
): ServiceError {
  const problems = [
    ...formErrors,
    ...Object.entries(fieldErrors).flatMap(([field, messages]) =>
      messages.map((text) => `${placeOf(field)} ${text}`),
    ),
  ];
  return new ServiceError('INPUT_VALIDATION_FAILED', problems.map(asSentence).join(' '), {
    data: { formErrors, fieldErrors },
  });
}

/** `received` undefined: the body was longer than the declared size. */
export const wrongUploadLength = (declared: number, received?: number) =>
  validationFailed([], {
    body: [`must be exactly the declared ${declared} bytes, but was ${received ?? 'longer'}`],
  });

/** The client has hung up during its request. It receives no answer; this error is only for the log. */
export const clientHungUp = () => new ServiceError('MALFORMED_REQUEST', 'The body broke off.');

/** Closes the connection, because the rest of the body is not read. */
export const bodyTooSlow = () =>
  new ServiceError('REQUEST_TIMEOUT', 'The body arrives too slowly: 16 KiB a second are the least.', {
    headers: { connection: 'close' },
  });

export const idempotencyKeyReused = () =>
  new ServiceError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key has come with another body before; send a new key with a new request.',
  );

/** `fields`: header fields about the limit. */
export const rateLimited = (retryAfterSeconds: number, fields: Record<string, string>) =>
  new ServiceError('RATE_LIMITED', `Too many requests; try again in ${retryAfterSeconds} seconds.`, {
    headers: { ...fields, 'retry-after': String(retryAfterSeconds) },
  });

/** Retry-After of a 503: restarts and failovers mostly take about a second. */
const UNAVAILABLE_RETRY_SECONDS = '1';

export const serviceUnavailable = (cause?: unknown) =>
  new ServiceError('SERVICE_UNAVAILABLE', 'The service can not answer at the moment; try again.', {
    headers: { 'retry-after': UNAVAILABLE_RETRY_SECONDS },
    cause,
  });

/** Retry-After when the store of files does not answer or refuses the service. */
const STORE_RETRY_SECONDS = '5';

export const storeUnavailable = (cause: unknown) =>
  new ServiceError(
    'SERVICE_UNAVAILABLE',
    'The store of uploaded files does not answer as it should at the moment; try again.',
    { headers: { 'retry-after': STORE_RETRY_SECONDS }, cause },
  );

/** Retry-After when a person has to act first. */
const OPERATOR_RETRY_SECONDS = '30';

/** The store does not have the bytes of a file that was stored: they are lost, or in another store. */
export const fileMissing = (objectName: string) =>
  new ServiceError(
    'SERVICE_UNAVAILABLE',
    'The store of uploaded files does not have this file: the operator of the service has to find or restore it.',
    {
      headers: { 'retry-after': OPERATOR_RETRY_SECONDS },
      cause: new Error(`the store has no ${objectName}`),
    },
  );

export const diskFull = (cause?: unknown) =>
  new ServiceError(
    'SERVICE_UNAVAILABLE',
    'The disk of the service is full: nothing new can be stored until its operator makes room.',
    { headers: { 'retry-after': OPERATOR_RETRY_SECONDS }, cause },
  );

export const uploadInProgress = () =>
  new ServiceError('SERVICE_UNAVAILABLE', 'Another body of this file is arriving; send this one after it.', {
    headers: { 'retry-after': UNAVAILABLE_RETRY_SECONDS },
    isExpected: true,
  });

/** The answer to requests and health checks during shutdown, which is no fault. */
export const serverShuttingDown = () =>
  new ServiceError('SERVICE_UNAVAILABLE', 'This server is about to end; another one can answer.', {
    headers: { 'retry-after': UNAVAILABLE_RETRY_SECONDS },
    isExpected: true,
  });

export const overloaded = () =>
  new ServiceError('SERVICE_UNAVAILABLE', 'More requests have come than the service can answer; try again.', {
    headers: { 'retry-after': UNAVAILABLE_RETRY_SECONDS },
    isExpected: true,
  });

/** The search took too long, and its statements were cancelled. */
export const searchTooLong = () =>
  new ServiceError(
    'SERVICE_UNAVAILABLE',
    'The search took too long; try again, with fewer knowledge bases, a shorter query or a simpler filter.',
    { headers: { 'retry-after': UNAVAILABLE_RETRY_SECONDS } },
  );

const internalError = (cause: unknown) =>
  new ServiceError(
    'INTERNAL_ERROR',
    'An unexpected error happened; the log tells more under this x-request-id.',
    {
      cause,
    },
  );

/**
 * SQLSTATEs that mean "not now" rather than "wrong" (PostgreSQL manual, appendix A): connection exceptions (08),
 * shutdown and start-up (57P), too many connections or full disk (53), read-only as the standby to which a failover
 * leads for a while (25006), cancelled statement, deadlock, lock not available.
 */
const TRANSIENT_SQLSTATE = /^(08...|25006|57P0.|57014|53...|40001|40P01|55P03)$/;
/** Node's codes for a database whose address does not answer or hangs up. */
const CONNECTION_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ECONNABORTED',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** Disk full, quota reached, too many open files: errno(3). */
const RESOURCE_ERRORS = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);
/** The messages of `pg` and `pg-pool` that carry no code. */
const CONNECTION_MESSAGES = new RegExp(
  '^(Connection terminated|timeout expired|timeout exceeded when trying to connect' +
    '|Client has encountered a connection error|Client was closed|Query read timeout' +
    '|Cannot use a pool after calling end)',
);

/** Citus's messages on a server of shards that is unreachable, where they have no code of a lost connection. */
const LOST_SHARD_MESSAGES = new RegExp(
  '^(could not commit transaction for shard|failure on connection marked as essential' +
    '|no active placements were found|failed to (complete )?COPY |could not connect to \\S+ to get size of)',
);

/**
 * The functions in which Citus reports what happened to its connection to a server of shards. Where that has been lost,
 * there is no SQLSTATE, and the message is of the library that found out (TLS, sockets, libpq).
 */
const REPORTED_BY_CITUS = /^Report(Result|Connection)Error$/;

/** Whether Citus reports so that a server of shards is unreachable. */
export const isShardUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  (LOST_SHARD_MESSAGES.test(error.message) ||
    ('routine' in error &&
      REPORTED_BY_CITUS.test(String(error.routine)) &&
      'code' in error &&
      error.code === 'XX000'));

/** Whether `error` means that database or disk are unavailable or overloaded. The same request may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException; // pg and Node both put a code on their errors
  if (typeof code === 'string' && TRANSIENT_SQLSTATE.test(code)) return true;
  if (typeof code === 'string' && RESOURCE_ERRORS.has(code)) return true;
  if (typeof code === 'string' && CONNECTION_ERRORS.has(code)) return syscall !== 'open';
  return CONNECTION_MESSAGES.test(error.message) || isShardUnreachable(error);
}

/** PostgreSQL's and the system's codes for a full disk or quota. */
const DISK_FULL = new Set(['53100', 'ENOSPC', 'EDQUOT']);

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && DISK_FULL.has(String(error.code));

/** Turns any thrown error into the error for the client. The original stays as its cause, for the log. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isDiskFull(error)) return diskFull(error);
  return isUnavailable(error) ? serviceUnavailable(error) : internalError(error);
}
