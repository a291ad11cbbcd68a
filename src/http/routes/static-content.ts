/** Sends files that are the same for everybody: pages, their scripts and styles, and the spec. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'koa';

/** `type`: an extension or a media type. `gzipped`: the compressed form, if it was made. */
export type Content = { type: string; plain: Buffer; gzipped?: Buffer; etag: string };

/** A weak ETag, since the plain and the compressed form share it. */
export const etagOf = (...parts: (Buffer | string)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return `W/"${hash.digest('base64url')}"`;
};

export const compress = async (content: Content): Promise<Content> => ({
  ...content,
  gzipped: await promisify(gzip)(content.plain),
});

/** For addresses whose content changes: browsers may keep copies, but validate them at each use. */
const REVALIDATED = 'no-cache';
/** For addresses that hold the hash of their content: a year, the longest that RFC 9111 recommends. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Sends the content, or 304 if the client's copy is current. */
export function send(
  context: Context,
  { type, plain, gzipped, etag }: Content,
  cacheControl = REVALIDATED,
): void {
  context.status = 200;
  context.type = type;
  context.etag = etag;
  context.set('cache-control', cacheControl);
  context.vary('Accept-Encoding');
  if (context.fresh) {
    context.status = 304;
    return;
  }
  const isWanted = context.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isWanted && gzipped) context.set('content-encoding', 'gzip');
  context.body = isWanted && gzipped ? gzipped : plain;
}
