/** Sends a request: in bounded time, again where that may help, and with every failure as one kind of error. */
import { aborted, answeredError, KnowledgeRetrievalError, networkError, requestTimedOut } from './errors.ts';
import { limitTime } from './time-limit.ts';

/** A request that can be sent more than once: its body is no stream, and twice it does no more than once. */
export type Sent = {
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
  /** How often a request is sent again, whatever it meets; undefined: until the deadline, or LOSSES_MAX broken connections. */
  retries: number | undefined;
  /** Told when it is sent again although it may have arrived. */
  onLoss?: () => void;
};

/** A success, its body read. */
export type Received = { response: Response; text: string };

/** The first pause where the service names none; doubled each time, as is usual, up to the longest. */
const FIRST_PAUSE_MS = 500;
const LONGEST_OWN_PAUSE_MS = 10_000;
/** What comes on top of the service's own time, so that those who were refused together do not come back as one. */
const SPREAD_MS = 250;
/** A server that is gone does not come back by asking. */
const LOSSES_MAX = 2;
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
async function attempt({ address, signal, body, ...sent }: Sent, options: SendOptions): Promise<Received> {
  const { fetch, timeoutMs } = options;
  const { deadline, either } = limitTime(signal, timeoutMs);
  let received: Received;
  try {
    const response = await fetch(address, { ...sent, signal: either, ...(body !== undefined && { body }) });
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

const isRefusedForNow = ({ status }: KnowledgeRetrievalError): boolean => status === 429 || status === 503;

/** How often a request was sent again, and how often its connection was broken. */
type Tries = { retries: number; losses: number };

/** Whether a request that has met this error may be sent once more. */
function mayRetry(error: KnowledgeRetrievalError, tries: Tries, { retries }: SendOptions): boolean {
  if (retries !== undefined && tries.retries >= retries) return false;
  if (isRefusedForNow(error)) return true;
  return error.errorCode === 'NETWORK_ERROR' && (retries !== undefined || tries.losses <= LOSSES_MAX);
}

/**
 * Sends a request until it succeeds, fails for good, or the next pause would end after the deadline.
 * @throws KnowledgeRetrievalError, that of the last attempt
 */
export async function send(sent: Sent, options: SendOptions): Promise<Received> {
  const endMs = performance.now() + options.deadlineMs;
  for (const tries: Tries = { retries: 0, losses: 0 }; ; tries.retries++) {
    try {
      return await attempt(sent, options);
    } catch (error) {
      if (!(error instanceof KnowledgeRetrievalError)) throw error;
      if (error.errorCode === 'NETWORK_ERROR') tries.losses++;
      if (!mayRetry(error, tries, options)) throw error;
      const pauseMs = pauseBefore(tries.retries, error);
      if (pauseMs > LONGEST_PAUSE_MS + SPREAD_MS || performance.now() + pauseMs > endMs) throw error;
      if (mayHaveArrived(error)) options.onLoss?.();
      await pause(pauseMs, sent.signal);
    }
  }
}
