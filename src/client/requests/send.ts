/** Sends a request within a time limit, repeats it where that may help, and throws one kind of error. */
import { aborted, answeredError, KnowledgeRetrievalError, networkError, requestTimedOut } from '../errors.ts';
import { limitTime } from './time-limit.ts';

/** A request that can be sent more than once: its body is not a stream, and a repetition has no further effect. */
export type RepeatableRequest = {
  address: string;
  method: string;
  headers: Headers | Record<string, string>;
  body?: string | Blob | undefined;
  signal: AbortSignal | undefined;
};

export type SendOptions = {
  fetch: typeof fetch;
  /** The time limit of each attempt, from the first byte sent to the last byte received. */
  timeoutMs: number;
  /** The time limit of all attempts, with the pauses between them. */
  deadlineMs: number;
  /** How often a request is repeated at most. Undefined: until the deadline, or as long as a restart takes. */
  retries: number | undefined;
  /** The origins that have answered this client before. */
  answeredOrigins: Set<string>;
  /** Each arrival of the request costs credits: a query. */
  isCharged?: boolean;
  /** Called when the request is repeated although it may have arrived. */
  onLostAnswer?: () => void;
};

/** A successful answer and its body. */
export type Received<Body> = { response: Response; body: Body };

/** Reads the body of a successful answer. */
type Read<Body> = (response: Response) => Promise<Body>;

/** The first pause if the service names none. It doubles each time, up to the longest. */
const FIRST_PAUSE_MS = 500;
const LONGEST_OWN_PAUSE_MS = 10_000;
/** A random addition to the pause that the service names, so that clients refused together do not return together. */
const SPREAD_MS = 250;
/** After this many broken connections a request is repeated in any case. */
const LOSSES_MAX = 2;
/** A server that is restarted is back within this time. */
const LONGEST_OUTAGE_MS = 30_000;
/** The service counts requests by the minute, so it asks for no longer pause. */
const LONGEST_PAUSE_MS = 60_000;

export const readText = (response: Response): Promise<string> => response.text();

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
async function attempt<Body>(
  { address, signal, body, ...init }: RepeatableRequest,
  options: SendOptions,
  read: Read<Body>,
): Promise<Received<Body>> {
  const { fetch, timeoutMs, answeredOrigins } = options;
  const { deadline, either } = limitTime(signal, timeoutMs);
  // fetch would send the key wherever an answer directs it.
  const redirect = new Headers(init.headers).has('x-api-key') ? 'manual' : 'follow';
  let received: Received<Body> | { response: Response; refusal: string };
  try {
    const response = await fetch(address, {
      ...init,
      redirect,
      signal: either,
      ...(body !== undefined && { body }),
    });
    answeredOrigins.add(new URL(address).origin);
    received = response.ok
      ? { response, body: await read(response) }
      : { response, refusal: await response.text() };
  } catch (cause) {
    if (signal?.aborted) throw aborted(signal.reason);
    throw deadline.aborted ? requestTimedOut(timeoutMs, cause) : networkError(address, cause);
  }
  if ('refusal' in received) throw answeredError(received.response, received.refusal);
  return received;
}

/** A 503 or a broken connection may come after the request has taken effect. */
const mayHaveArrived = ({ errorCode, status }: KnowledgeRetrievalError): boolean =>
  status === 503 || errorCode === 'NETWORK_ERROR';

/** The pause before the next attempt, in milliseconds: as the service asks, otherwise growing. */
function pauseBefore(retry: number, { retryAfterSeconds }: KnowledgeRetrievalError): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000 + SPREAD_MS * Math.random();
  return Math.min(LONGEST_OWN_PAUSE_MS, FIRST_PAUSE_MS * 2 ** retry) * (0.5 + Math.random() / 2);
}

const isTemporaryRefusal = ({ status }: KnowledgeRetrievalError): boolean => status === 429 || status === 503;

/** Whether nothing listened at the address, so that the request cannot have arrived. Browsers do not reveal that. */
function wasRefused({ cause }: KnowledgeRetrievalError): boolean {
  const codes = [cause, cause instanceof Error ? cause.cause : undefined].map(
    (error) => error instanceof Error && 'code' in error && error.code,
  );
  return codes.some((code) => code === 'ECONNREFUSED' || code === 'ConnectionRefused'); // Node and Deno, Bun
}

/**
 * `retries`: how often a request was repeated. `losses`: how often its connection was refused or broken.
 * `silentSinceMs`: since when no attempt was answered; undefined: the last one was.
 */
type Tries = { origin: string; retries: number; losses: number; silentSinceMs: number | undefined };

function countLoss(tries: Tries, error: KnowledgeRetrievalError): void {
  const isLoss = error.errorCode === 'NETWORK_ERROR';
  if (isLoss) tries.losses++;
  tries.silentSinceMs = isLoss ? (tries.silentSinceMs ?? performance.now()) : undefined;
}

/** Whether the server may be restarting, and another attempt costs nothing. */
function mayWaitForRestart(error: KnowledgeRetrievalError, tries: Tries, options: SendOptions): boolean {
  const { answeredOrigins, isCharged = false } = options;
  if (!answeredOrigins.has(tries.origin) || (isCharged && !wasRefused(error))) return false;
  return performance.now() - (tries.silentSinceMs ?? 0) < LONGEST_OUTAGE_MS;
}

/** Whether a request may be repeated after this error. */
function mayRetry(error: KnowledgeRetrievalError, tries: Tries, options: SendOptions): boolean {
  const { retries } = options;
  if (retries !== undefined && tries.retries >= retries) return false;
  if (isTemporaryRefusal(error)) return true;
  if (error.errorCode !== 'NETWORK_ERROR') return false;
  return retries !== undefined || tries.losses <= LOSSES_MAX || mayWaitForRestart(error, tries, options);
}

/**
 * Sends a request until it succeeds, fails for good, or the next pause would end after the deadline.
 * @throws the KnowledgeRetrievalError of the last attempt
 */
export async function send<Body>(
  request: RepeatableRequest,
  options: SendOptions,
  read: Read<Body>,
): Promise<Received<Body>> {
  const endMs = performance.now() + options.deadlineMs;
  const { origin } = new URL(request.address);
  for (const tries: Tries = { origin, retries: 0, losses: 0, silentSinceMs: undefined }; ; tries.retries++) {
    try {
      return await attempt(request, options, read);
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
