/** Reads the JSON body of a request, up to the largest size that the operation's schema allows. */
import type { IncomingMessage } from 'node:http';
import { withTimeout } from '../../concurrency/timeout.ts';
import { createByteWriter, release } from '../../database/values/byte-writer.ts';
import {
  bodyTooSlow,
  clientHungUp,
  payloadTooLarge,
  unsupportedMediaType,
  validationFailed,
} from '../../terms/errors.ts';
import type { HeldBody } from '../capacity/body-memory.ts';
import { arrivingBytes } from '../server/arriving-bytes.ts';

/** The part of a schema that decides how large a value's JSON can get. */
type SizedSchema = {
  type?: unknown;
  maxLength?: number;
  maxItems?: number;
  items?: unknown;
  properties?: Record<string, unknown>;
  maxProperties?: number;
  additionalProperties?: unknown;
  anyOf?: unknown[];
  /** Code points of all texts of a value that may contain itself. */
  'x-maxText'?: number;
};

/**
 * The most values in a body; a legal one holds some 800, half of them in a filter. To validate a body with 20,000 wrong
 * values blocks the event loop for a third of a second.
 */
export const VALUES_MAX = 1_000;

/** The bounds of a body: its bytes and, if not `VALUES_MAX`, its values. */
export type BodyBounds = { limitBytes: number; valuesMax?: number };

/** A code point takes 12 bytes at the most: two \uXXXX escapes. */
const BYTES_PER_CODE_POINT = 12;
/** The longest number, true, false or null. */
const BYTES_PER_SCALAR = 32;
/** For white space between tokens, which a schema does not bound. */
const SLACK_BYTES = 65_536;

/** Code points in the longest name that a caller may choose; the pattern of such names has the same bound. */
const CHOSEN_NAME_MAX = 64;

const largestField = (nameLength: number, value: unknown): number =>
  BYTES_PER_CODE_POINT * nameLength + largestJson(value) + 4;

function largestJson(schema: unknown): number {
  const { type, anyOf, ...bounds } = schema as SizedSchema; // a dereferenced schema
  const { maxLength = 0, maxItems = 0, items, properties = {}, maxProperties, additionalProperties } = bounds;
  const { 'x-maxText': maxText } = bounds;
  // Its texts have the most bytes; the numbers of a whole body and the slack are room enough for the rest.
  if (maxText !== undefined) return BYTES_PER_CODE_POINT * maxText + VALUES_MAX * BYTES_PER_SCALAR;
  if (anyOf !== undefined) return Math.max(...anyOf.map(largestJson));
  if (type === 'string') return BYTES_PER_CODE_POINT * maxLength + 2;
  if (type === 'array') return maxItems * (largestJson(items) + 1) + 2;
  if (type !== 'object') return BYTES_PER_SCALAR;
  if (maxProperties !== undefined)
    return maxProperties * largestField(CHOSEN_NAME_MAX, additionalProperties) + 2;
  return Object.entries(properties).reduce((sum, [name, value]) => sum + largestField(name.length, value), 2);
}

/**
 * The bounds of the bodies of a dereferenced schema: the bytes of the largest legal one, with every character escaped.
 */
export function boundsOfBody(schema: unknown): BodyBounds {
  const { 'x-maxValues': valuesMax } = schema as { 'x-maxValues'?: number }; // a dereferenced schema
  const limitBytes = largestJson(schema) + SLACK_BYTES;
  return valuesMax === undefined ? { limitBytes } : { limitBytes, valuesMax };
}

/**
 * The media type of JSON. Its parameters are ignored (RFC 8259, 11), except a charset other than UTF-8, which is
 * refused.
 */
const JSON_MEDIA_TYPE = /^application\/json\s*(;|$)/i;
const OTHER_CHARSET = /;\s*charset\s*=(?!\s*"?(?:utf-?8|us-ascii)\b)/i;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{');

/**
 * The index of the quote that ends the JSON string at `start`. Not by `indexOf`: one call costs as much as 50 bytes of
 * this loop, and a string may hold millions of escaped quotes.
 */
function endOfString(json: Buffer, start: number): number {
  let end = start + 1;
  while (end < json.length && json[end] !== QUOTE) end += json[end] === BACKSLASH ? 2 : 1;
  return end;
}

/**
 * Whether JSON text holds more than `max` values. It counts brackets, braces and commas outside strings: one of them
 * precedes each value of an array or object.
 */
export function holdsMoreValues(json: Buffer, max: number): boolean {
  let count = 1;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at);
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) count++;
    if (count > max) return true;
  }
  return false;
}

/** Takes the pieces by their events: an iterator takes longer to make than most bodies to read and to parse. */
async function readWhole(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw payloadTooLarge(limitBytes);
  if (request.destroyed) throw clientHungUp(); // it would emit nothing more
  const pieces: Buffer[] = [];
  let receivedBytes = 0;
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const take = (piece: Buffer) => {
    receivedBytes += piece.length;
    if (receivedBytes > limitBytes) reject(payloadTooLarge(limitBytes));
    else pieces.push(piece);
  };
  request.on('data', take).once('end', resolve).once('error', reject);
  try {
    await ended;
    return Buffer.concat(pieces, receivedBytes);
  } finally {
    request.off('data', take).off('end', resolve).off('error', reject);
  }
}

/** @throws REQUEST_TIMEOUT when the small body has not arrived within SMALL_BODY_MAX_MS */
const readSmall = (request: IncomingMessage, limitBytes: number): Promise<Buffer> =>
  withTimeout(readWhole(request, limitBytes), SMALL_BODY_MAX_MS, () => {
    throw bodyTooSlow();
  });

/** Memory is requested in blocks of this size. */
const BLOCK_BYTES = 65_536;

/**
 * Reads a large body while there is memory for it. Its pieces are copied as they arrive, since each one keeps its whole
 * packet in memory.
 */
async function readLarge(
  request: IncomingMessage,
  limitBytes: number,
  begin: BodyResources['body'],
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw payloadTooLarge(limitBytes);
  const body = createByteWriter();
  let heldBytes = SMALL_BODY_BYTES;
  try {
    for await (const piece of arrivingBytes(request)) {
      const receivedBytes = body.size() + piece.length;
      if (receivedBytes > limitBytes) throw payloadTooLarge(limitBytes);
      if (receivedBytes > heldBytes) {
        const moreBytes = Math.max(BLOCK_BYTES, receivedBytes - heldBytes);
        await begin().hold(moreBytes);
        heldBytes += moreBytes;
      }
      body.append(piece.length, (buffer, start) => piece.copy(buffer, start));
    }
    return body.written();
  } catch (error) {
    release(body.written());
    throw error;
  }
}

/** The largest Content-Length of a small body. Thousands of small bodies may arrive at the same time. */
const SMALL_BODY_BYTES = 65_536;
/** The time limit of a small body: five times the time of SMALL_BODY_BYTES at the minimum rate of large bodies. */
const SMALL_BODY_MAX_MS = 20_000;

/** Memory for a large body, and the event loop for parsing it: see `Permit`. */
export type BodyResources = { body(): HeldBody; runHeavy<T>(act: () => T): Promise<T> };

const notJson = (reason: string) => validationFailed([`the body must be JSON: ${reason.slice(0, 200)}`]);

function decode(bytes: Buffer, valuesMax: number): string {
  if (holdsMoreValues(bytes, valuesMax))
    throw validationFailed([`the body must hold ${valuesMax} values at most`]);
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw notJson('it is not UTF-8');
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw notJson((error as SyntaxError).message);
  }
}

/**
 * Reads and parses the body. `resources` undefined: memory and event loop are not limited, and the body gets the time
 * of a small one.
 * @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INPUT_VALIDATION_FAILED (not UTF-8, not JSON), REQUEST_TIMEOUT,
 * and the errors of the waits for memory and the event loop
 */
export async function readJsonBody(
  request: IncomingMessage,
  { limitBytes, valuesMax = VALUES_MAX }: BodyBounds,
  resources: BodyResources | undefined,
): Promise<unknown> {
  const { 'content-type': mediaType = '', 'content-encoding': encoding = 'identity' } = request.headers;
  const isJson = JSON_MEDIA_TYPE.test(mediaType) && !OTHER_CHARSET.test(mediaType);
  if (!isJson || !/^(identity)?$/i.test(encoding)) throw unsupportedMediaType();
  const isSmall = Number(request.headers['content-length'] ?? limitBytes) <= SMALL_BODY_BYTES;
  if (isSmall || resources === undefined)
    return parse(decode(await readSmall(request, limitBytes), valuesMax));
  const bytes = await readLarge(request, limitBytes, resources.body);
  try {
    if (bytes.length <= SMALL_BODY_BYTES) return parse(decode(bytes, valuesMax));
    // Other requests are answered between these steps. The last step does nothing itself: it makes the body's
    // validation, which follows in the same event loop iteration, count as heavy work.
    const json = await resources.runHeavy(() => decode(bytes, valuesMax));
    const value = await resources.runHeavy(() => parse(json));
    return await resources.runHeavy(() => value);
  } finally {
    release(bytes);
  }
}
