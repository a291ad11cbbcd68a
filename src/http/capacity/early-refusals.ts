/**
 * Refuses requests that load shedding lets into no lane, before their bodies are read. Under overload there are many
 * refusals for each answer, and each refusal takes time from the answers. So refusals bypass the application and use
 * Node's HTTP directly.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { allowedOrigin, type CorsOrigins } from '../../config/cors.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { overloaded, toErrorEnvelope } from '../../terms/errors.ts';
import type { KeyReader } from '../access/console-session.ts';
import { requestIdOf } from '../access/request-id.ts';
import { EXPOSED_HEADERS, SECURITY_HEADERS } from '../access/security-headers.ts';
import type { Admission } from './admission.ts';
import { laneOf } from './admission-lanes.ts';

/** The least time between two log lines. A line for each refusal would add work under overload. */
const LOG_INTERVAL_MS = 1_000;

/**
 * `paths`: of the operations. Requests to other paths need no permit. `lookUpUnknownKey` finds the account of an
 * unknown key: otherwise the first request with a valid key would be refused along with made-up keys.
 */
type RefusalOptions = {
  admission: Admission;
  lookUpUnknownKey(key: string): Promise<boolean> | undefined;
  keyOf: KeyReader;
  paths: ReadonlySet<string>;
  telemetry: Telemetry;
  log: Logger;
  corsOrigins: CorsOrigins;
};

/** One error for all refusals: to create an error with its stack takes longer than to send it. */
const OVERLOADED = overloaded();
/** A string, because Node sends it in one packet with the head. */
const BODY = JSON.stringify(toErrorEnvelope(OVERLOADED));

/** Header fields of every refusal. */
const FIELDS = {
  ...SECURITY_HEADERS,
  ...OVERLOADED.headers,
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(BODY),
};

/** Returns the header fields of a refusal, except the request's id, for the `Origin` of the request. */
function fieldsFor(corsOrigins: CorsOrigins): (origin: string | undefined) => typeof FIELDS {
  if (corsOrigins.length === 0) return () => FIELDS;
  const withheld = { ...FIELDS, vary: 'Origin' };
  const granted = { ...withheld, 'access-control-expose-headers': EXPOSED_HEADERS.join(',') };
  return (origin) => {
    const allowed = allowedOrigin(corsOrigins, origin);
    return allowed === undefined ? withheld : { ...granted, 'access-control-allow-origin': allowed };
  };
}

/** Returns a function to call at each refusal. It logs their number, at most once a second. */
function createRefusalLog(log: Logger): () => void {
  let count = 0;
  const logCount = () => {
    log.warn({ refused: count }, 'requests refused under overload');
    count = 0;
  };
  return () => {
    if (count++ === 0) setTimeout(logCount, LOG_INTERVAL_MS).unref();
  };
}

/**
 * Delay of each refusal. Otherwise clients that ignore Retry-After would cause thousands of refusals a second, and each
 * costs a tenth of an answer.
 */
const REFUSAL_DELAY_MS = 250;

/** Requests with invalid keys answered in one event loop iteration. Other requests are read between two iterations. */
const INVALID_PER_ITERATION = 8;

/** Returns a function that queues work, and runs at most INVALID_PER_ITERATION of it in each event loop iteration. */
function createThrottledRunner(): (act: () => void) => void {
  const due: Array<() => void> = [];
  const runSome = () => {
    for (const act of due.splice(0, INVALID_PER_ITERATION)) act();
    if (due.length > 0) setImmediate(runSome);
  };
  return (act) => {
    if (due.push(act) === 1) setImmediate(runSome);
  };
}

/**
 * Passes requests that can get a permit soon to `handle`, and refuses the others. Preflights are always handled: they
 * cost nothing, and their request follows immediately.
 */
export function refuseEarly(
  handle: RequestListener,
  { admission, lookUpUnknownKey, keyOf, paths, telemetry, log, corsOrigins }: RefusalOptions,
): RequestListener {
  const fieldsOf = fieldsFor(corsOrigins);
  const countRefusal = createRefusalLog(log);
  const runThrottled = createThrottledRunner();
  /** The path of a request that needs a permit; undefined: it needs none. */
  const pathOf = ({ method, url = '' }: IncomingMessage): string | undefined => {
    const queryAt = url.indexOf('?');
    const path = queryAt < 0 ? url : url.slice(0, queryAt);
    return method === 'OPTIONS' || !paths.has(path) ? undefined : path;
  };
  const refuse = ({ headers }: IncomingMessage, response: ServerResponse) => {
    const { status } = OVERLOADED;
    const fields = { ...fieldsOf(headers.origin), 'x-request-id': requestIdOf(headers) };
    setTimeout(() => response.writeHead(status, fields).end(BODY), REFUSAL_DELAY_MS);
    telemetry.requestEnded({ operation: 'refused', status, seconds: 0 });
    countRefusal();
  };
  return (request, response) => {
    const path = pathOf(request);
    if (path === undefined) return handle(request, response);
    const key = keyOf(request.headers);
    const answer = () =>
      admission.isFull(laneOf(path), key) ? refuse(request, response) : handle(request, response);
    const lookup = lookUpUnknownKey(key);
    if (lookup === undefined) answer();
    else void lookup.then((isValid) => (isValid ? answer() : runThrottled(answer)));
  };
}
