/** Sends a request: in bounded time, again where that may help, and with every failure as one kind of error. */
import { aborted, answeredError, KnowledgeRetrievalError, networkError, requestTimedOut } from './errors.ts';
import { limitTime } from './time-limit.ts';

/** A request that can be sent more than once: its body is no stream, and twice it does no more than once. */
export type RepeatableRequest = {
  address: string;
  method: string;
  headers: Headers | Record<string, string>;
  body?: string | Blob | undefined;
  signal: AbortSignal | undefined;
};

export type SendOptions = {
  fetch: typeof fetch;
  /** For each attempt, from the first byte to the last. */
  timeoutMs: number;
  /** For all attempts, with the pauses between them. */
  deadlineMs: number;
  /** How often a request is sent again, whatever it meets; undefined: until the deadline, or as long as a restart takes. */
  retries: number | undefined;
  /** The origins that have answered this client before. */
  answeredOrigins: Set<string>;
  /** A request that has its price each time that it arrives: a query. */
  isCharged?: boolean;
  /** Told when it is sent again although it may have arrived. */
  onLostAnswer?: () => void;
};

/** A success, its body read. */
export type Received = { response: Response; text: string };

/** The first pause where the service names none; doubled each time, as is usual, up to the longest. */
const FIRST_PAUSE_MS = 500;
const LONGEST_OWN_PAUSE_MS = 10_000;
/** What comes on top of the service's own time, so that those who were refused together do not come back as one. */
const SPREAD_MS = 250;
/** Broken connections after which a request is sent again in any case. */
const LOSSES_MAX = 2;
/** A server that has answered before is back after this long, if it was restarted. */
const LONGEST_OUTAGE_MS = 30_000;
/** The service counts requests by the minute: no pause that it asks for is longer. */
const LONGEST_PAUSE_MS = 60_000;

/** Resolves after `ms`. @throws ABORTED as soon as the signal aborts */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) throw aborted(signal.reason);
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(aborted(signal?.reason));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** One attempt. @throws KnowledgeRetrievalError */
async function attempt(
  { address, signal, body, ...init }: RepeatableRequest,
  options: SendOptions,
): Promise<Received> {
  const { fetch, timeoutMs, answeredOrigins } = options;
  const { deadline, either } = limitTime(signal, timeoutMs);
  let received: Received;
  try {
    const response = await fetch(address, { ...init, signal: either, ...(body !== undefined && { body }) });
    answeredOrigins.add(new URL(address).origin);
    received = { response, text: await response.text() };
  } catch (cause) {
    if (signal?.aborted) throw aborted(signal.reason);
    throw deadline.aborted ? requestTimedOut(timeoutMs, cause) : networkError(address, cause);
  }
  if (!received.response.ok) throw answeredError(received.response, received.text);
  return received;
}

/** A 503 or a broken connection may come after the request has had its effect. */
const mayHaveArrived = ({ errorCode, status }: KnowledgeRetrievalError): boolean =>
  status === 503 || errorCode === 'NETWORK_ERROR';

/** Milliseconds as the service asks for, else growing ones. */
function pauseBefore(retry: number, { retryAfterSeconds }: KnowledgeRetrievalError): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000 + SPREAD_MS * Math.random();
  return Math.min(LONGEST_OWN_PAUSE_MS, FIRST_PAUSE_MS * 2 ** retry) * (0.5 + Math.random() / 2);
}

const isTemporaryRefusal = ({ status }: KnowledgeRetrievalError): boolean => status === 429 || status === 503;

/** Whether nothing listened, so that the request cannot have arrived. Browsers do not say so. */
function wasRefused({ cause }: KnowledgeRetrievalError): boolean {
  const codes = [cause, cause instanceof Error ? cause.cause : undefined].map(
    (error) => error instanceof Error && 'code' in error && error.code,
  );
  return codes.some((code) => code === 'ECONNREFUSED' || code === 'ConnectionRefused'); // Node and Deno, Bun
}

/**
 * How often a request was sent again, and how often its connection was broken; since when no attempt was answered
 * (undefined: the last one was).
 */
type Tries = { origin: string; retries: number; losses: number; silentSinceMs: number | undefined };

function countLoss(tries: Tries, error: KnowledgeRetrievalError): void {
  const isLoss = error.errorCode === 'NETWORK_ERROR';
  if (isLoss) tries.losses++;
  tries.silentSinceMs = isLoss ? (tries.silentSinceMs ?? performance.now()) : undefined;
}

/** Whether the server may be one that restarts, and to ask it again costs nothing. */
function mayWaitForRestart(error: KnowledgeRetrievalError, tries: Tries, options: SendOptions): boolean {
  const { answeredOrigins, isCharged = false } = options;
  if (!answeredOrigins.has(tries.origin) || (isCharged && !wasRefused(error))) return false;
  return performance.now() - (tries.silentSinceMs ?? 0) < LONGEST_OUTAGE_MS;
}

/** Whether a request that has met this error may be sent once more. */
function mayRetry(error: KnowledgeRetrievalError, tries: Tries, options: SendOptions): boolean {
  const { retries } = options;
  if (retries !== undefined && tries.retries >= retries) return false;
  if (isTemporaryRefusal(error)) return true;
  if (error.errorCode !== 'NETWORK_ERROR') return false;
  return retries !== undefined || tries.losses <= LOSSES_MAX || mayWaitForRestart(error, tries, options);
}

/**
 * Sends a request until it succeeds, fails for good, or the next pause would end after the deadline.
 * @throws KnowledgeRetrievalError, that of the last attempt
 */
export async function send(request: RepeatableRequest, options: SendOptions): Promise<Received> {
  const endMs = performance.now() + options.deadlineMs;
  const { origin } = new URL(request.address);
  for (const tries: Tries = { origin, retries: 0, losses: 0, silentSinceMs: undefined }; ; tries.retries++) {
    try {
      return await attempt(request, options);
    } catch (error) {
      if (!(error instanceof KnowledgeRetrievalError)) throw error;
      countLoss(tries, error);
      if (!mayRetry(error, tries, options)) throw error;
      const pauseMs = pauseBefore(tries.retries, error);
      if (pauseMs > LONGEST_PAUSE_MS + SPREAD_MS || performance.now() + pauseMs > endMs) throw error;
      if (mayHaveArrived(error)) options.onLostAnswer?.();
      await pause(pauseMs, request.signal);
    }
  }
}
