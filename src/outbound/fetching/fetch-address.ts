/**
 * Fetches the file at an address. Its server is a stranger: it may be slow, redirect into our own network, send bytes
 * without end or packed to a thousandth of their size, and break off. Bounds of time, bytes and redirects hold for all.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { type Duplex, pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import manifest from 'knowledge-retrieval/package.json' with { type: 'json' };
import { codeOf } from '../../terms/problem.ts';
import { type AddressRules, NOT_PUBLIC, RefusedAddress } from '../address-rules.ts';
import { onConnected, openConnections, openRequest } from '../connections.ts';
import {
  readContentType,
  readEncodings,
  readRetryAfter,
  readValidators,
  type Validators,
} from './answer-headers.ts';
import {
  badStatus,
  FetchFailure,
  isEmpty,
  notAllowed,
  tooLarge,
  tooManyRedirects,
  unknownName,
  unreachable,
  untrusted,
} from './fetch-failure.ts';
import { readName } from './file-name.ts';
import { type SpooledFile, spool } from './spooled-file.ts';

/**
 * `connectMs`: look-up of the name, connection and TLS of one request. `silentMs`: without a byte of the answer.
 * `wholeMs`: all requests together, with all their bytes. `bytesMax`: of the answer, as sent and unpacked.
 */
export type FetchLimits = {
  connectMs: number;
  silentMs: number;
  wholeMs: number;
  bytesMax: number;
  redirectsMax: number;
};

/** A megabyte in 2.4 seconds, for the largest file. */
export const FETCH_LIMITS: FetchLimits = {
  connectMs: 10_000,
  silentMs: 20_000,
  wholeMs: 120_000,
  bytesMax: 52_428_800, // as OBJECT_MAX_BYTES
  redirectsMax: 5,
};

/** `known`: of the last answer. Its server is asked whether the file has changed since. */
export type Fetching = {
  rules: AddressRules;
  known?: Validators | undefined;
  signal: AbortSignal;
  limits?: FetchLimits;
};

/** The file of an address. `spooled` has to be closed. */
export type FetchedFile = Validators & {
  title: string;
  fileName: string;
  charset: string | null;
  spooled: SpooledFile;
};

const USER_AGENT = `knowledge-retrieval/${manifest.version}`;

/** A body may be packed twice: by a program, and by a proxy. */
const ENCODINGS_MAX = 2;

const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Aborts when a limit of time has passed, with the failure as its reason. */
function watchTime({ wholeMs }: FetchLimits, outer: AbortSignal) {
  const late = new AbortController();
  const seconds = (ms: number) => `${ms / 1000} seconds`;
  const fail = (happened: string) => late.abort(unreachable(happened));
  const whole = setTimeout(
    fail,
    wholeMs,
    `The server did not send the whole file within ${seconds(wholeMs)}.`,
  );
  let phase: NodeJS.Timeout | undefined;
  return {
    signal: AbortSignal.any([outer, late.signal]),
    /** Ends the phase before. `what`: what the server has to do within the time. */
    begin(ms: number, what: string): void {
      clearTimeout(phase);
      phase = setTimeout(fail, ms, `The server did not ${what} within ${seconds(ms)}.`);
    },
    end(): void {
      clearTimeout(whole);
      clearTimeout(phase);
    },
  };
}

type Watch = ReturnType<typeof watchTime>;
type Connections = ReturnType<typeof openConnections>;

/** Sends a request, and waits for the head of its answer. */
async function ask(
  url: URL,
  connections: Connections,
  { headers, watch, limits }: { headers: OutgoingHttpHeaders; watch: Watch; limits: FetchLimits },
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { signal } = watch;
  watch.begin(limits.connectMs, 'take the connection');
  const request = openRequest(url, connections, { method: 'GET', headers, signal });
  onConnected(request, connections, () => watch.begin(limits.silentMs, 'answer'));
  request.on('response', resolve).on('error', reject);
  request.on('upgrade', (_, socket) => {
    socket.destroy();
    reject(badStatus(101, undefined));
  });
  request.end();
  return await promise;
}

/** Passes the pieces on until they are too many. @throws FILE_TOO_LARGE; what `onPiece` throws */
async function* limited(
  pieces: AsyncIterable<Buffer>,
  bytesMax: number,
  onPiece: () => void,
): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  for await (const piece of pieces) {
    onPiece();
    sizeBytes += piece.length;
    if (sizeBytes > bytesMax) throw tooLarge(bytesMax);
    yield piece;
  }
}

/** Unpacks the pieces. An error of theirs is one of the result. */
function unpack(pieces: AsyncIterable<Buffer>, encoding: string): AsyncIterable<Buffer> {
  const decoder = DECODERS[encoding]?.();
  if (decoder === undefined)
    throw unreachable(`The server packs the file in a way that is unknown (${encoding.slice(0, 100)}).`);
  // Whoever reads the result gets its error; before that, it must not end the process.
  decoder.on('error', () => {});
  return pipeline(Readable.from(pieces, { objectMode: false }), decoder, () => {});
}

/** Receives the body within the limits, unpacked. */
async function receive(response: IncomingMessage, watch: Watch, limits: FetchLimits): Promise<SpooledFile> {
  const { bytesMax, silentMs } = limits;
  const encodings = readEncodings(response.headers).toReversed();
  if (encodings.length > ENCODINGS_MAX) throw unreachable('The server packs the file too often.');
  if (Number(response.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const isAlive = () => watch.begin(silentMs, 'send a byte');
  isAlive();
  const sent: AsyncIterable<Buffer> = limited(response, bytesMax, isAlive);
  const unpacked = encodings.reduce(unpack, sent);
  const spooled = await spool(limited(unpacked, bytesMax, () => watch.signal.throwIfAborted()));
  if (spooled.sizeBytes > 0) return spooled;
  await spooled.close();
  throw isEmpty();
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The address to which an answer redirects, without its fragment; undefined: it does not. */
function targetOf({ statusCode = 0, headers: { location } }: IncomingMessage, url: URL): URL | undefined {
  if (!REDIRECTS.has(statusCode) || location === undefined || !URL.canParse(location, url.href))
    return undefined;
  const target = new URL(location, url);
  target.hash = '';
  return target;
}

/** The headers of a request. The validators are of the address that has sent them, and of no other. */
function headersFor(url: URL, known: Validators | undefined): OutgoingHttpHeaders {
  const own = known?.finalUrl === url.href ? known : undefined;
  return {
    'user-agent': USER_AGENT,
    accept: '*/*',
    'accept-encoding': 'gzip, br',
    ...(own?.etag && { 'if-none-match': own.etag }),
    ...(own?.lastModified && { 'if-modified-since': own.lastModified }),
  };
}

type Step = { redirect: URL } | { file: FetchedFile | 'unchanged' };

/** Asks one address. */
async function takeStep(
  url: URL,
  isFirst: boolean,
  { rules, known, watch, limits }: Omit<Fetching, 'signal'> & { watch: Watch; limits: FetchLimits },
): Promise<Step> {
  const connections = openConnections(url.href, 1, rules);
  if (connections.problem !== undefined) throw notAllowed(connections.problem, isFirst);
  const headers = headersFor(url, known);
  try {
    const response = await ask(url, connections, { headers, watch, limits });
    const redirect = targetOf(response, url);
    if (redirect !== undefined) return { redirect };
    const { statusCode = 0 } = response;
    const isConditional = 'if-none-match' in headers || 'if-modified-since' in headers;
    if (statusCode === 304 && isConditional) return { file: 'unchanged' };
    if (statusCode !== 200 && statusCode !== 203)
      throw badStatus(statusCode, readRetryAfter(response.headers));
    const { charset } = readContentType(response.headers);
    const about = { ...readName(response.headers, url.href), charset, ...readValidators(response.headers) };
    return { file: { finalUrl: url.href, ...about, spooled: await receive(response, watch, limits) } };
  } catch (error) {
    if (error instanceof RefusedAddress) throw notAllowed(NOT_PUBLIC, isFirst);
    throw error;
  } finally {
    connections.close();
  }
}

/** A name that no server knows. Another try would find the same. */
const UNKNOWN_NAME = new Set(['ENOTFOUND', 'ENODATA']);
/** The codes of OpenSSL and Node for a certificate that is not valid. */
const UNTRUSTED = /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|HOSTNAME_MISMATCH)/;

/** Addresses within a network do not appear: only codes are named. */
function toFailure(error: unknown): FetchFailure {
  if (error instanceof FetchFailure) return error;
  const code = codeOf(error);
  if (UNKNOWN_NAME.has(code)) return unknownName(code);
  if (UNTRUSTED.test(code)) return untrusted(code);
  if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code.startsWith('ERR__ERROR'))
    return unreachable(`The server sends a packed file that is damaged (${code}).`, { cause: error });
  const happened = `The connection to the server failed (${code || 'no valid HTTP answer'}).`;
  return unreachable(happened, { cause: error });
}

/**
 * Fetches the file at an address, redirects included. `'unchanged'`: the file with the known validators is still there.
 * @throws FetchFailure; the reason of `signal`
 */
export async function fetchAddress(
  address: string,
  { signal, limits = FETCH_LIMITS, ...fetching }: Fetching,
): Promise<FetchedFile | 'unchanged'> {
  const watch = watchTime(limits, signal);
  try {
    let url = new URL(address);
    for (let redirects = 0; redirects <= limits.redirectsMax; redirects++) {
      const step = await takeStep(url, redirects === 0, { ...fetching, watch, limits });
      if ('file' in step) return step.file;
      url = step.redirect;
    }
    throw tooManyRedirects(limits.redirectsMax);
  } catch (error) {
    signal.throwIfAborted();
    throw toFailure(watch.signal.aborted ? watch.signal.reason : error);
  } finally {
    watch.end();
  }
}
