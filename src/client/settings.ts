/** The settings of a client and of its calls: what may be given, and what holds otherwise. */
import { invalidArgument, pageAddress } from './errors.ts';
import { createSemaphore, type Semaphore } from './semaphore.ts';

/** Where the service is, and how patient the client is with it. */
export type KnowledgeRetrievalSettings = {
  /** The service's address, with a path where a proxy adds one. */
  baseUrl: string;
  /** White space around it is dropped. */
  apiKey: string;
  /** For each attempt of a request, in milliseconds; 60,000 by default. */
  timeoutMs?: number;
  /**
   * For all attempts of a request, with the pauses between them; 300,000 by default. So long a 429 or 503 is waited out.
   */
  deadlineMs?: number;
  /**
   * How often a request is sent again, whatever it meets; 0: never. By default until the deadline after a 429 or 503,
   * for half a minute while a server that has answered before does not answer, and two times if it never has.
   */
  retries?: number;
  /** How many requests are under way at once, 8 by default; further calls wait for their turn. */
  concurrency?: number;
  /** Instead of the platform's own. */
  fetch?: typeof fetch;
};

/** `timeoutMs`, `deadlineMs` and `retries` instead of the client's, for one call. */
export type CallOptions = { signal?: AbortSignal; timeoutMs?: number; deadlineMs?: number; retries?: number };

/**
 * `idempotencyKey` instead of a new one: 1 to 255 visible ASCII characters. What is called again with the same key and
 * the same input within a day is not done again, also by another process.
 */
export type CreateOptions = CallOptions & { idempotencyKey?: string };

const TIMEOUT_MS = 60_000;
const DEADLINE_MS = 300_000;
const CONCURRENCY = 8;
/** Of the requests under way, those that may take long. The rest is for short ones: browsers open six connections. */
const LONG_SHARES = { bodies: 3 / 8, longPolls: 1 / 4 };

/** The turns of a client's calls. */
export type Semaphores = {
  /** Every request. */
  requests: Semaphore;
  /** Files on their way from ticket to import. */
  uploads: Semaphore;
  /** Bytes of files, which are read into memory for it. */
  bodies: Semaphore;
  /** Questions that the service answers late on purpose. */
  longPolls: Semaphore;
};

/** Settings that have been checked. */
export type Context = {
  baseUrl: string;
  apiKey: string;
  timeoutMs: number;
  deadlineMs: number;
  retries: number | undefined;
  fetch: typeof fetch;
  /** The origins that have answered before: the service's, and that of its upload addresses. */
  answeredOrigins: Set<string>;
  semaphores: Semaphores;
};

function createSemaphores(concurrency: number): Semaphores {
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw invalidArgument('concurrency', `concurrency must be a whole number from 1, not ${concurrency}.`);
  const shareOf = (share: number) => createSemaphore(Math.max(1, Math.floor(concurrency * share)));
  return {
    requests: createSemaphore(concurrency),
    uploads: createSemaphore(concurrency),
    bodies: shareOf(LONG_SHARES.bodies),
    longPolls: shareOf(LONG_SHARES.longPolls),
  };
}

const kindOf = (value: unknown): string => (value === undefined ? 'missing' : typeof value);

/** The address without a slash at its end. A page may give a path of its own origin. @throws INVALID_ARGUMENT */
function readBaseUrl(baseUrl: unknown): string {
  const wanted = 'baseUrl must be the http(s) address of the service, as http://127.0.0.1:8080';
  if (typeof baseUrl !== 'string' || baseUrl === '')
    throw invalidArgument('baseUrl', `${wanted}; it is ${baseUrl === '' ? 'empty' : kindOf(baseUrl)}.`);
  try {
    const { protocol } = new URL(baseUrl, pageAddress()?.href);
    if (protocol === 'http:' || protocol === 'https:') return baseUrl.replace(/\/+$/, '');
  } catch {
    // Told below.
  }
  throw invalidArgument('baseUrl', `${wanted}; it is "${baseUrl}".`);
}

/**
 * A key as a header may hold it, without the white space around it: a key that was read from a file ends with a line end.
 * @throws INVALID_ARGUMENT, which does not repeat it
 */
function readApiKey(apiKey: unknown): string {
  const trimmed = typeof apiKey === 'string' ? apiKey.trim() : '';
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  const found = typeof apiKey === 'string' ? 'is empty, or holds other characters' : `is ${kindOf(apiKey)}`;
  throw invalidArgument('apiKey', `apiKey must hold visible ASCII characters; it ${found}.`);
}

/** @throws INVALID_ARGUMENT for an address or a key that no request can be made with */
export function readSettings(given: KnowledgeRetrievalSettings): Context {
  // JavaScript may call without any.
  const settings: Partial<KnowledgeRetrievalSettings> = given ?? {};
  const { timeoutMs = TIMEOUT_MS, deadlineMs = DEADLINE_MS, retries, concurrency = CONCURRENCY } = settings;
  return {
    baseUrl: readBaseUrl(settings.baseUrl),
    apiKey: readApiKey(settings.apiKey),
    timeoutMs,
    deadlineMs,
    retries,
    // The platform's fetch wants to be called as the global that it is.
    fetch: settings.fetch ?? ((...request) => globalThis.fetch(...request)),
    answeredOrigins: new Set(),
    semaphores: createSemaphores(concurrency),
  };
}
