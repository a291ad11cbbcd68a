/** Sends a request: in bounded time, again where that may help, and with every failure as one kind of error. */
import { answeredError, KnowledgeRetrievalError, networkError, requestTimedOut } from './errors.ts';
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
  /** How often a refused request is sent again. */
  retries: number;
  /** Told when it is sent again although it may have arrived. */
  onLoss?: () => void;
};

/** A success, its body read. */
export type Received = { response: Response; text: string };

/** The first pause where the service names none; doubled each time, as is usual. */
const FIRST_PAUSE_MS = 500;
/** The service counts requests by the minute: no pause that it asks for is longer. */
const LONGEST_PAUSE_MS = 60_000;

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** One attempt. @throws a KnowledgeRetrievalError, or the reason of the caller's signal. */
async function attempt({ address, signal, body, ...sent }: Sent, options: SendOptions): Promise<Received> {
  const { fetch, timeoutMs } = options;
  const { deadline, either } = limitTime(signal, timeoutMs);
  let received: Received;
  try {
    const response = await fetch(address, { ...sent, signal: either, ...(body !== undefined && { body }) });
    received = { response, text: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    throw deadline.aborted ? requestTimedOut(timeoutMs, cause) : networkError(address, cause);
  }
  if (!received.response.ok) throw answeredError(received.response, received.text);
  return received;
}

/** A 503 or a broken connection may come after the request has had its effect. */
const mayHaveArrived = ({ errorCode, status }: KnowledgeRetrievalError): boolean =>
  status === 503 || errorCode === 'NETWORK_ERROR';

/** Milliseconds as the service asks for, else growing ones, at random, so that many clients do not come back as one. */
function pauseBefore(retry: number, { retryAfterSeconds }: KnowledgeRetrievalError): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000;
  return FIRST_PAUSE_MS * 2 ** retry * (0.5 + Math.random() / 2);
}

/**
 * Sends a request until it succeeds, fails for good, or has been sent again often enough.
 * @throws a KnowledgeRetrievalError, that of the last attempt; or the reason of the caller's signal.
 */
export async function send(sent: Sent, options: SendOptions): Promise<Received> {
  for (let retry = 0; ; retry++) {
    try {
      return await attempt(sent, options);
    } catch (error) {
      if (!(error instanceof KnowledgeRetrievalError) || retry >= options.retries) throw error;
      const pauseMs = pauseBefore(retry, error);
      if ((error.status !== 429 && !mayHaveArrived(error)) || pauseMs > LONGEST_PAUSE_MS) throw error;
      if (mayHaveArrived(error)) options.onLoss?.();
      await pause(pauseMs, sent.signal);
    }
  }
}
