/** The settings of a client and of its calls, with their defaults. */
import { invalidArgument, pageAddress } from './errors.ts';
import { readVariable } from './platform.ts';
import { createSemaphore, type Semaphore } from './requests/semaphore.ts';

/** Where the service is, and how long the client waits for it. */
export type KnowledgeRetrievalSettings = {
  /**
   * The service's address, including a path if a proxy adds one. Default: the environment variable KNOWLEDGE_URL, which
   * browsers do not have, otherwise `http://127.0.0.1:8080`.
   */
  baseUrl?: string;
  /** White space around it is dropped. Default: the environment variable KNOWLEDGE_API_KEY. */
  apiKey?: string;
  /** The time limit of each attempt of a request, in milliseconds, from 0. Default: 60,000. */
  timeoutMs?: number;
  /**
   * The time limit of all attempts of a request with the pauses between them, in milliseconds, from 0. Default:
   * 300,000. After a 429 or 503 the request is repeated until then.
   */
  deadlineMs?: number;
  /**
   * How often a request is repeated at most, for any reason; 0: never. Default: until the deadline after a 429 or 503;
   * for half a minute while a server that has answered before does not answer; two times if it never has.
   */
  retries?: number;
  /** How many requests are in progress at once, from 1. Further calls wait for their turn. Default: 8. */
  concurrency?: number;
  /** Used instead of the platform's own. Default: the global `fetch`. */
  fetch?: typeof fetch;
};

/** For one call. `timeoutMs`, `deadlineMs` and `retries` replace the client's. */
export type CallOptions = {
  /** Ends the call, which then throws ABORTED. */
  signal?: AbortSignal;
  /** The time limit of each attempt, in milliseconds. Default: the client's, 60,000. */
  timeoutMs?: number;
  /** The time limit of all attempts with the pauses between them, in milliseconds. Default: the client's, 300,000. */
  deadlineMs?: number;
  /** How often a request is repeated at most; 0: never. Default: the client's. */
  retries?: number;
};

export type CreateOptions = CallOptions & {
  /**
   * 1 to 255 visible ASCII characters. Default: a new one for each call. A second call with the same key and input
   * within a day does nothing and returns the first result, even if another process makes it.
   */
  idempotencyKey?: string;
};

/** The time limit of an attempt to send or receive a file: as long as the service allows for an upload. */
export const TRANSFER_TIMEOUT_MS = 600_000;

/** Where the service listens by default. */
const BASE_URL = 'http://127.0.0.1:8080';
const TIMEOUT_MS = 60_000;
const DEADLINE_MS = 300_000;
const CONCURRENCY = 8;
/**
 * Shares of the requests in progress that may be slow: uploaded bodies and long polls. The rest stays free for short
 * requests. Browsers open six connections.
 */
const LONG_SHARES = { bodies: 3 / 8, longPolls: 1 / 4 };

/** They limit a client's calls. */
export type Semaphores = {
  /** All requests. */
  requests: Semaphore;
  /** Files, from the request for an upload address to the import. */
  uploads: Semaphore;
  /** The requests that send or receive the bytes of a file, which are in memory meanwhile. */
  bodies: Semaphore;
  /** Status requests with `waitSeconds`. */
  longPolls: Semaphore;
};

/** Checked settings, and the state of a client. */
export type Context = {
  baseUrl: string;
  apiKey: string;
  timeoutMs: number;
  deadlineMs: number;
  retries: number | undefined;
  fetch: typeof fetch;
  /** Whether `fetch` is the platform's own, and not the caller's. */
  isPlatformFetch: boolean;
  /** How many requests are in progress at once. */
  concurrency: number;
  /**
   * The origins that have answered this client before: the service's, and the origin of its upload and download
   * addresses.
   */
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

/** The address without a slash at its end. A web page may pass a path of its own origin. @throws INVALID_ARGUMENT */
function readBaseUrl(baseUrl: unknown): string {
  const wanted = 'baseUrl must be the http(s) address of the service, as http://127.0.0.1:8080';
  if (typeof baseUrl !== 'string' || baseUrl === '')
    throw invalidArgument('baseUrl', `${wanted}; it is ${baseUrl === '' ? 'empty' : typeof baseUrl}.`);
  try {
    const { protocol } = new URL(baseUrl, pageAddress()?.href);
    if (protocol === 'http:' || protocol === 'https:') return baseUrl.replace(/\/+$/, '');
  } catch {
    // Reported below.
  }
  throw invalidArgument('baseUrl', `${wanted}; it is "${baseUrl}".`);
}

/**
 * The key without white space around it, since a key that was read from a file ends with a line end.
 * @throws INVALID_ARGUMENT when a header cannot hold the key. The message does not contain it
 */
function readApiKey(apiKey: unknown): string {
  const trimmed = typeof apiKey === 'string' ? apiKey.trim() : '';
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  if (apiKey === undefined)
    throw invalidArgument(
      'apiKey',
      'There is no API key: pass apiKey, or set KNOWLEDGE_API_KEY (not in browsers).',
    );
  const found = typeof apiKey === 'string' ? 'is empty, or holds other characters' : `is ${typeof apiKey}`;
  throw invalidArgument('apiKey', `apiKey must hold visible ASCII characters; it ${found}.`);
}

/** @throws INVALID_ARGUMENT for an address, a key or a `concurrency` that cannot be used */
export function readSettings(settings: KnowledgeRetrievalSettings): Context {
  const { timeoutMs = TIMEOUT_MS, deadlineMs = DEADLINE_MS, retries, concurrency = CONCURRENCY } = settings;
  return {
    baseUrl: readBaseUrl(settings.baseUrl ?? readVariable('KNOWLEDGE_URL') ?? BASE_URL),
    apiKey: readApiKey(settings.apiKey ?? readVariable('KNOWLEDGE_API_KEY')),
    timeoutMs,
    deadlineMs,
    retries,
    // The platform's fetch fails unless it is called as a global function.
    fetch: settings.fetch ?? ((...request) => globalThis.fetch(...request)),
    isPlatformFetch: settings.fetch === undefined,
    concurrency,
    answeredOrigins: new Set(),
    semaphores: createSemaphores(concurrency),
  };
}
