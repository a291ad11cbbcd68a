/**
 * Sends requests to an S3-compatible store so that each of them ends: a store may accept a request and be silent, answer
 * a byte a second, or never come to the end of its answer.
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
import { storeUnavailable } from '../errors.ts';
import { OBJECT_MAX_BYTES, type ReadOptions } from './file-store.ts';

/** Credentials come by the SDK's own names (AWS_ACCESS_KEY_ID, profiles, instance roles). */
export type S3Settings = { bucket: string; endpoint: string | undefined; region: string | undefined };

/** `answerMaxMs`: how long an answer may take that brings no object, all tries together. */
export type Bucket = { client: S3Client; bucket: string; answerMaxMs: number };

/** Most stores answer within a second; the rest is for busy ones and further tries. */
const ANSWER_MAX_MS = 10_000;
const MAX_ATTEMPTS = 3;
/** One try's share of that time: a store that was silent once is asked again. */
const ATTEMPT_SHARE = 0.45;

/** Bytes a millisecond (256 KiB a second): a slow line of an office brings more, and the largest file takes 200 s. */
const LEAST_RATE = 256 * 1.024;
/** Likewise for bytes that a store copies by itself (1 MiB a second): then a client hears within a minute. */
const LEAST_COPY_RATE = 1024 * 1.024;

/** An answer of 1,000 names, the largest that a store gives beside an object, has less than 2 MB. */
const ANSWER_MAX_BYTES = 8 * 2 ** 20;

/** Names of one list, and pages in a row that have none: with more, the list has no end. */
const LISTED_MAX = 1_000_000;
const EMPTY_PAGES_MAX = 20;

/** A store of these settings; makes no request yet. */
export function openBucket(
  { bucket, endpoint, region }: S3Settings,
  { answerMaxMs = ANSWER_MAX_MS } = {},
): Bucket {
  const attemptMaxMs = answerMaxMs * ATTEMPT_SHARE;
  const client = new S3Client({
    ...(region !== undefined && { region }),
    // Stores other than Amazon's mostly have no host name for each bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: attemptMaxMs,
      requestTimeout: attemptMaxMs,
      // By default it would only warn.
      throwOnRequestTimeout: true,
    },
    // By default the SDK would sign the checksum of an empty body into upload addresses.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (request) => {
        const result = await next(request);
        const response = result.response as { body: Readable }; // as the SDK's handler for Node makes it
        if (commandName !== 'GetObjectCommand') response.body = bounded(response.body);
        return result;
      },
    // Next to the connection, before the SDK collects the answer in memory.
    { step: 'deserialize', priority: 'low' },
  );
  return { client, bucket, answerMaxMs };
}

/** An answer up to the length of any; behind that it fails. */
function bounded(body: Readable): Readable {
  let receivedBytes = 0;
  const counted = new Transform({
    transform(piece: Buffer, _encoding, done) {
      receivedBytes += piece.length;
      if (receivedBytes > ANSWER_MAX_BYTES) done(new Error('the answer of the store does not end'));
      else done(null, piece);
    },
  });
  return pipeline(body, counted, () => {});
}

/** `maxMs`: the answer's time, by default that of answers that bring no object. `signal` ends the wait earlier. */
type Bounds = { maxMs?: number; signal?: AbortSignal | undefined };

/** What a request has to end by, and how to put that off for what has been received. */
type Deadline = { signal: AbortSignal; putOff(milliseconds: number): void };

/** Runs `act` until its deadline, and waits no longer, whether it heeds its signal or not. */
async function within<T>(
  { maxMs, signal }: Required<Bounds>,
  act: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  let endsAtMs = performance.now() + maxMs;
  const look = () => {
    const leftMs = endsAtMs - performance.now();
    if (leftMs > 0) timer = setTimeout(look, leftMs);
    else ending.abort(new Error('the store has not answered in time'));
  };
  let timer = setTimeout(look, maxMs);
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const either = signal === undefined ? ending.signal : AbortSignal.any([ending.signal, signal]);
  const end = () => reject(either.reason);
  either.addEventListener('abort', end);
  if (either.aborted) end();
  const putOff = (milliseconds: number) => {
    endsAtMs += milliseconds;
  };
  try {
    return await Promise.race([act({ signal: either, putOff }), ended]);
  } finally {
    either.removeEventListener('abort', end);
    clearTimeout(timer);
  }
}

const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;

/** What the SDK's client takes beside a command. */
type SendOptions = { abortSignal: AbortSignal; requestTimeout?: number };

type Send<T> = (client: S3Client, options: SendOptions, putOff: Deadline['putOff']) => Promise<T>;

async function send<T>(
  { client, answerMaxMs }: Bucket,
  act: Send<T>,
  { maxMs = answerMaxMs, signal }: Bounds,
): Promise<T> {
  // Where an answer may take longer, one try may.
  const options = maxMs === answerMaxMs ? {} : { requestTimeout: maxMs };
  return await within({ maxMs, signal }, (deadline) =>
    act(client, { abortSignal: deadline.signal, ...options }, deadline.putOff),
  );
}

/**
 * Lets `act` make one request, again where it fails and there is time.
 * @throws SERVICE_UNAVAILABLE: whatever the store refuses us is the operator's matter, not the client's
 */
export async function ask<T>(store: Bucket, act: Send<T>, bounds: Bounds = {}): Promise<T> {
  return await send(store, act, bounds).catch((error) => {
    throw storeUnavailable(error);
  });
}

/** The same; undefined where the object is not there, or has changed. */
export async function askIfThere<T>(
  store: Bucket,
  act: Send<T>,
  bounds: Bounds = {},
): Promise<T | undefined> {
  return await send(store, act, bounds).catch((error) => {
    if (statusOf(error) === 404 || statusOf(error) === 412) return undefined;
    throw storeUnavailable(error);
  });
}

/** How long sending so many bytes to a store, or copying them in it, may take. */
export const sendingMaxMs = ({ answerMaxMs }: Bucket, bytes: number): number =>
  Math.ceil(answerMaxMs + bytes / LEAST_RATE);
export const copyingMaxMs = ({ answerMaxMs }: Bucket, bytes: number): number =>
  Math.ceil(answerMaxMs + bytes / LEAST_COPY_RATE);

/** The whole object, for as long as it comes at the least rate; undefined: it is not there. */
export async function readObject(
  store: Bucket,
  Key: string,
  { sizeBytes, signal }: ReadOptions = {},
): Promise<Buffer | undefined> {
  const get = new GetObjectCommand({ Bucket: store.bucket, Key });
  const read: Send<Buffer> = async (client, options, putOff) => {
    const { Body } = await client.send(get, options);
    const pieces: Buffer[] = [];
    let receivedBytes = 0;
    for await (const piece of Body as Readable) {
      receivedBytes += piece.length;
      if (receivedBytes > (sizeBytes ?? OBJECT_MAX_BYTES)) break;
      pieces.push(piece);
      putOff(piece.length / LEAST_RATE);
    }
    if (receivedBytes !== (sizeBytes ?? receivedBytes) || receivedBytes > OBJECT_MAX_BYTES)
      throw new Error(`the store hands back another length of ${Key} than was stored`);
    return Buffer.concat(pieces);
  };
  return await askIfThere(store, read, { signal });
}

/** Names come in the order of their bytes (Amazon S3 API reference, ListObjectsV2; not so directory buckets). */
const isBehind = (name: string, other: string): boolean =>
  Buffer.compare(Buffer.from(name), Buffer.from(other)) > 0;

/** Whether a list goes on: each page is behind the one before, few have nothing, and there is an end. */
function createProgress() {
  let [last, listed, emptyPages] = ['', 0, 0];
  return ({ IsTruncated, Contents = [], CommonPrefixes = [] }: ListObjectsV2CommandOutput): void => {
    // Each list says it. Of another page, which comes in the place of a store's, the SDK makes an empty list.
    if (IsTruncated === undefined)
      throw storeUnavailable(new Error('the store answers with what is no list'));
    const names = [
      ...Contents.map(({ Key = '' }) => Key),
      ...CommonPrefixes.map(({ Prefix = '' }) => Prefix),
    ];
    listed += names.length;
    emptyPages = names.length === 0 ? emptyPages + 1 : 0;
    const isForth = names.every((name) => isBehind(name, last));
    if (!isForth || listed > LISTED_MAX || emptyPages > EMPTY_PAGES_MAX)
      throw storeUnavailable(new Error('the list of the store does not come to its end'));
    for (const name of names) if (isBehind(name, last)) last = name;
  };
}

/** The pages of a list of names. */
export async function* listPages(
  store: Bucket,
  query: Pick<ListObjectsV2CommandInput, 'Prefix' | 'Delimiter' | 'StartAfter'>,
): AsyncGenerator<ListObjectsV2CommandOutput> {
  const progress = createProgress();
  let ContinuationToken: string | undefined;
  do {
    const command = new ListObjectsV2Command({ Bucket: store.bucket, ContinuationToken, ...query });
    const page = await ask(store, (client, options) => client.send(command, options));
    progress(page);
    yield page;
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
}
