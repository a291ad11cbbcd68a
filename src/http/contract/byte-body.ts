/** The body of an operation that takes the bytes of a file as they are. */
import type { IncomingMessage } from 'node:http';
import { notOctetStream, payloadTooLarge, validationFailed } from '../../terms/errors.ts';
import { arrivingBytes } from '../server/arriving-bytes.ts';

/** A body that has not been read yet. `bytes` can be read once. */
export type ByteBody = { sizeBytes: number; bytes: AsyncIterable<Buffer> };

const OCTET_STREAM = /^application\/octet-stream\s*(;|$)/i;

/**
 * Checks the head of a body before its bytes are read. A chunked body is refused: its size would be known only after
 * all of it has arrived, and the limits could not refuse it before.
 * @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INPUT_VALIDATION_FAILED (empty, or without a Content-Length)
 */
export function requireByteBody({ headers }: IncomingMessage, limitBytes: number): void {
  const { 'content-type': mediaType = '', 'content-encoding': encoding = 'identity' } = headers;
  if (!OCTET_STREAM.test(mediaType) || !/^(identity)?$/i.test(encoding)) throw notOctetStream();
  const { 'content-length': length = headers['transfer-encoding'] === undefined ? '0' : undefined } = headers;
  if (length === undefined)
    throw validationFailed([], { body: ['needs a Content-Length, so it must not be chunked'] });
  if (Number(length) > limitBytes) throw payloadTooLarge(limitBytes);
  if (Number(length) === 0) throw validationFailed([], { body: ['must have at least 1 byte'] });
}

/** The body of a request whose head has been checked. */
export const openByteBody = (request: IncomingMessage): ByteBody => ({
  sizeBytes: Number(request.headers['content-length']),
  bytes: arrivingBytes(request),
});
