/**
 * Refuses what cannot have its turn soon, before anything of it is looked at. Under overload there are many refusals for
 * each answer, and what they cost is missing to the answers: hence by Node's own means, beside the application.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { allowedOrigin, type CorsOrigins } from '../config/cors.ts';
import { overloaded, toErrorEnvelope } from '../errors.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Admission } from './admission.ts';
import { laneOf } from './admission-lanes.ts';
import { requestIdOf } from './request-id.ts';
import { EXPOSED_HEADERS, SECURITY_HEADERS } from './security-headers.ts';

/** A log in which each refusal had a line would be one more thing to do just then. */
const TELLING_INTERVAL_MS = 1_000;

/**
 * What a refusal needs; `paths`: those of the operations, all else has its turn at once. `learn` looks up a key
 * that is not known yet: otherwise the first request with a right key would be refused along with made-up keys.
 */
type Parts = {
  admission: Admission;
  learn(key: string): Promise<boolean> | undefined;
  paths: ReadonlySet<string>;
  telemetry: Telemetry;
  log: Logger;
  corsOrigins: CorsOrigins;
};

/** One for all: making an error, with its stack, would take longer than to answer it. */
const OVERLOADED = overloaded();
/** A string, which Node sends in one piece with the head. */
const BODY = JSON.stringify(toErrorEnvelope(OVERLOADED));

/** What every refusal has. */
const FIELDS = {
  ...SECURITY_HEADERS,
  ...OVERLOADED.headers,
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(BODY),
};

/** All header fields of a refusal but the request's id, by the `Origin` of the request. */
function fieldsFor(corsOrigins: CorsOrigins): (origin: string | undefined) => typeof FIELDS {
  if (corsOrigins.length === 0) return () => FIELDS;
  const withheld = { ...FIELDS, vary: 'Origin' };
  const granted = { ...withheld, 'access-control-expose-headers': EXPOSED_HEADERS.join(',') };
  return (origin) => {
    const allowed = allowedOrigin(corsOrigins, origin);
    return allowed === undefined ? withheld : { ...granted, 'access-control-allow-origin': allowed };
  };
}

/** Tells the log, once a second at the most, how many have been refused. */
function createTelling(log: Logger): () => void {
  let count = 0;
  const tell = () => {
    log.warn({ refused: count }, 'more requests than can be answered');
    count = 0;
  };
  return () => {
    if (count++ === 0) setTimeout(tell, TELLING_INTERVAL_MS).unref();
  };
}

/**
 * Sends what is refused within one turn of the loop at its end, one right behind the other: who reads them on this
 * machine, a balancer or a test, is woken once for all of them, and waking somebody is half of what sending costs. The
 * functions that it is given send one refusal each.
 */
function createTogether(): (send: () => void) => void {
  let due: Array<() => void> = [];
  const sendAll = () => {
    const sending = due;
    due = [];
    for (const send of sending) send();
  };
  return (send) => {
    if (due.push(send) === 1) setImmediate(sendAll);
  };
}

/** Requests of wrong keys that are answered in one turn of the loop; other requests are read between two turns. */
const WRONG_PER_TURN = 8;

/** Runs a few of the functions that it is given in each turn of the loop. */
function createGradually(): (act: () => void) => void {
  const due: Array<() => void> = [];
  const runSome = () => {
    for (const act of due.splice(0, WRONG_PER_TURN)) act();
    if (due.length > 0) setImmediate(runSome);
  };
  return (act) => {
    if (due.push(act) === 1) setImmediate(runSome);
  };
}

/** `handle` for whatever can have its turn soon. A preflight costs nothing, and its request comes right behind it. */
export function shedLoad(
  handle: RequestListener,
  { admission, learn, paths, telemetry, log, corsOrigins }: Parts,
): RequestListener {
  const fieldsOf = fieldsFor(corsOrigins);
  const tell = createTelling(log);
  const together = createTogether();
  const gradually = createGradually();
  /** The path of a request that waits for a turn; undefined for all others. */
  const pathOf = ({ method, url = '' }: IncomingMessage): string | undefined => {
    const queryAt = url.indexOf('?');
    const path = queryAt < 0 ? url : url.slice(0, queryAt);
    return method === 'OPTIONS' || !paths.has(path) ? undefined : path;
  };
  const refuse = ({ headers }: IncomingMessage, response: ServerResponse) => {
    const { status } = OVERLOADED;
    const fields = { ...fieldsOf(headers.origin), 'x-request-id': requestIdOf(headers) };
    together(() => response.writeHead(status, fields).end(BODY));
    telemetry.requestEnded({ operation: 'refused', status, seconds: 0 });
    tell();
  };
  return (request, response) => {
    const path = pathOf(request);
    if (path === undefined) return handle(request, response);
    const key = String(request.headers['x-api-key'] ?? '');
    const answer = () =>
      admission.isFull(laneOf(path), key) ? refuse(request, response) : handle(request, response);
    const learning = learn(key);
    if (learning === undefined) answer();
    else void learning.then((isRight) => (isRight ? answer() : gradually(answer)));
  };
}
