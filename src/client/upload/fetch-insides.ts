/**
 * What the client uses of `fetch` beyond its standard, as of Node 22 to 24 and Deno 2: see docs/private-insides.md.
 *
 * Their fetch calls the method `stream` of a Blob that it sends. The standard says that it reads the Blob's bytes, not
 * how. If that changes, an upload reports no progress before its end. Instead: a stream as the body, to which Deno
 * gives no length.
 */

/** A copy of a Blob whose bytes are read by `stream`. */
export const blobReadBy = (blob: Blob, stream: () => ReadableStream<Uint8Array>): Blob =>
  Object.defineProperty(blob.slice(0, blob.size, blob.type), 'stream', { value: stream });
