/**
 * Sends requests to an S3-compatible store, and bounds each one. A faulty store may accept a request and stay silent,
 * answer a byte a second, or never end its answer.
 */
import { pipeline, type Readable, Transform } from 'node:stream';
import {
  GetObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  type ListObjectsV2CommandOutput,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { storeUnavailable } from '../terms/errors.ts';
import { OBJECT_MAX_BYTES, type ReadOptions } from './file-store.ts';

/** The SDK reads credentials under its own names (AWS_ACCESS_KEY_ID, profiles, instance roles). */
export type S3Settings = { bucket: string; endpoint: string | undefined; region: string | undefined };

/** `answerMaxMs`: time limit of an answer without an object, over all tries. */
export type Bucket = { client: S3Client; bucket: string; answerMaxMs: number };

/** Most stores answer within a second. More time allows for busy stores and retries. */
const ANSWER_MAX_MS = 10_000;
const MAX_ATTEMPTS = 3;
/** The fraction of that time for one try, so that a try without an answer can be repeated. */
const ATTEMPT_FRACTION = 0.45;

/** The minimum transfer rate in bytes a millisecond (256 KiB a second); the largest file then takes 200 s. */
const MIN_RATE = 256 * 1.024;
/** The same for a copy inside the store (1 MiB a second); the client then gets an answer within a minute or so. */
const MIN_COPY_RATE = 1024 * 1.024;

/** The largest answer without an object lists 1,000 names and has less than 2 MB. */
const ANSWER_MAX_BYTES = 8 * 2 ** 20;

/** Limits of one list: names, and consecutive empty pages. A list beyond them would not end. */
const LISTED_MAX = 1_000_000;
const EMPTY_PAGES_MAX = 20;

/** Creates a client of the bucket; sends no request. */
export function openBucket(
  { bucket, endpoint, region }: S3Settings,
  { answerMaxMs = ANSWER_MAX_MS } = {},
): Bucket {
  const attemptMaxMs = answerMaxMs * ATTEMPT_FRACTION;
  const client = new S3Client({
    ...(region !== undefined && { region }),
    // Most stores other than Amazon's have no host name for each bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    maxAttempts: MAX_ATTEMPTS,
    // By default the SDK prints to the console when an upload that it streams breaks off.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    requestHandler: {
      connectionTimeout: attemptMaxMs,
      requestTimeout: attemptMaxMs,
      // The default only logs a warning.
      throwOnRequestTimeout: true,
    },
    // By default the SDK signs the checksum of an empty body into upload addresses.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (request) => {
        const result = await next(request);
        const response = result.response as { body: Readable }; // made by the SDK's handler for Node
        if (commandName !== 'GetObjectCommand') response.body = bounded(response.body);
        return result;
      },
    // This priority runs before the SDK collects the response in memory.
    { step: 'deserialize', priority: 'low' },
  );
  return { client, bucket, answerMaxMs };
}

/** Returns the response's body as a stream that fails beyond ANSWER_MAX_BYTES. */
function bounded(body: Readable): Readable {
  let receivedBytes = 0;
  const counted = new Transform({
    transform(piece: Buffer, _encoding, done) {
      receivedBytes += piece.length;
      if (receivedBytes > ANSWER_MAX_BYTES) done(new Error('the response of the store does not end'));
      else done(null, piece);
    },
  });
  return pipeline(body, counted, () => {});
}

/** `maxMs`: the time limit, by default the bucket's `answerMaxMs`. `signal` ends the wait earlier. */
type Bounds = { maxMs?: number; signal?: AbortSignal | undefined };

/** `signal` aborts at a request's deadline; `extend` moves the deadline when bytes arrive. */
type Deadline = { signal: AbortSignal; extend(milliseconds: number): void };

/** Runs `act` until its deadline, and then throws even if `act` ignores its signal. */
async function within<T>(
  { maxMs, signal }: Required<Bounds>,
  act: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  let endsAtMs = performance.now() + maxMs;
  const checkDeadline = () => {
    const leftMs = endsAtMs - performance.now();
    if (leftMs > 0) timer = setTimeout(checkDeadline, leftMs);
    else timeout.abort(new Error('the store has not answered in time'));
  };
  let timer = setTimeout(checkDeadline, maxMs);
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const either = signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, signal]);
  const end = () => reject(either.reason);
  either.addEventListener('abort', end);
  if (either.aborted) end();
  const extend = (milliseconds: number) => {
    endsAtMs += milliseconds;
  };
  try {
    return await Promise.race([act({ signal: either, extend }), ended]);
  } finally {
    either.removeEventListener('abort', end);
    clearTimeout(timer);
  }
}

const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;

/** The options of the SDK's `send`. */
type SendOptions = { abortSignal: AbortSignal; requestTimeout?: number };

type Send<T> = (client: S3Client, options: SendOptions, extend: Deadline['extend']) => Promise<T>;

async function send<T>(
  { client, answerMaxMs }: Bucket,
  act: Send<T>,
  { maxMs = answerMaxMs, signal }: Bounds,
): Promise<T> {
  // A request with another time limit has the same limit for a single try.
  const options = maxMs === answerMaxMs ? {} : { requestTimeout: maxMs };
  return await within({ maxMs, signal }, (deadline) =>
    act(client, { abortSignal: deadline.signal, ...options }, deadline.extend),
  );
}

/**
 * Runs `act`, which sends one request with the SDK's client; the client repeats a failed request while there is time.
 * @throws SERVICE_UNAVAILABLE on any failure: the operator must solve it, the client cannot
 */
export async function request<T>(store: Bucket, act: Send<T>, bounds: Bounds = {}): Promise<T> {
  return await send(store, act, bounds).catch((error) => {
    throw storeUnavailable(error);
  });
}

/** Like `request`, but returns undefined when the object does not exist, or has changed (404, 412). */
export async function requestIfExists<T>(
  store: Bucket,
  act: Send<T>,
  bounds: Bounds = {},
): Promise<T | undefined> {
  return await send(store, act, bounds).catch((error) => {
    if (statusOf(error) === 404 || statusOf(error) === 412) return undefined;
    throw storeUnavailable(error);
  });
}

/** Time limits for sending this many bytes to a store, and for copying them in it. */
export const sendingMaxMs = ({ answerMaxMs }: Bucket, bytes: number): number =>
  Math.ceil(answerMaxMs + bytes / MIN_RATE);
export const copyingMaxMs = ({ answerMaxMs }: Bucket, bytes: number): number =>
  Math.ceil(answerMaxMs + bytes / MIN_COPY_RATE);

/**
 * Reads the complete object; undefined when it does not exist.
 * @throws SERVICE_UNAVAILABLE also when it arrives slower than MIN_RATE
 */
export async function readObject(
  store: Bucket,
  Key: string,
  { sizeBytes, signal }: ReadOptions = {},
): Promise<Buffer | undefined> {
  const get = new GetObjectCommand({ Bucket: store.bucket, Key });
  const read: Send<Buffer> = async (client, options, extend) => {
    const { Body } = await client.send(get, options);
    const pieces: Buffer[] = [];
    let receivedBytes = 0;
    for await (const piece of Body as Readable) {
      receivedBytes += piece.length;
      if (receivedBytes > (sizeBytes ?? OBJECT_MAX_BYTES)) break;
      pieces.push(piece);
      extend(piece.length / MIN_RATE);
    }
    if (receivedBytes !== (sizeBytes ?? receivedBytes) || receivedBytes > OBJECT_MAX_BYTES)
      throw new Error(`the store returned ${Key} with another length than was stored`);
    return Buffer.concat(pieces);
  };
  return await requestIfExists(store, read, { signal });
}

/** Compares names as S3 sorts them: by bytes (Amazon S3 API reference, ListObjectsV2; not in directory buckets). */
const isAfter = (name: string, other: string): boolean =>
  Buffer.compare(Buffer.from(name), Buffer.from(other)) > 0;

/** Returns a function that checks each page of a list: its names come after the last page's, and the list ends. */
function createProgress() {
  let [last, listed, emptyPages] = ['', 0, 0];
  return ({ IsTruncated, Contents = [], CommonPrefixes = [] }: ListObjectsV2CommandOutput): void => {
    // Every list has this field. The SDK turns any other page, for example a proxy's, into an empty list.
    if (IsTruncated === undefined) throw storeUnavailable(new Error('the response of the store is no list'));
    const names = [
      ...Contents.map(({ Key = '' }) => Key),
      ...CommonPrefixes.map(({ Prefix = '' }) => Prefix),
    ];
    listed += names.length;
    emptyPages = names.length === 0 ? emptyPages + 1 : 0;
    const advances = names.every((name) => isAfter(name, last));
    if (!advances || listed > LISTED_MAX || emptyPages > EMPTY_PAGES_MAX)
      throw storeUnavailable(new Error('the list of the store does not end'));
    for (const name of names) if (isAfter(name, last)) last = name;
  };
}

/** Lists the objects that match `query`, page by page. */
export async function* listPages(
  store: Bucket,
  query: Pick<ListObjectsV2CommandInput, 'Prefix' | 'Delimiter' | 'StartAfter'>,
): AsyncGenerator<ListObjectsV2CommandOutput> {
  const progress = createProgress();
  let ContinuationToken: string | undefined;
  do {
    const command = new ListObjectsV2Command({ Bucket: store.bucket, ContinuationToken, ...query });
    const page = await request(store, (client, options) => client.send(command, options));
    progress(page);
    yield page;
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
}
