/** The route of downloads: their headers, HEAD, and parts of a file (RFC 9110, section 14). */
import type { Readable } from 'node:stream';
import cors from '@koa/cors';
import type Router from '@koa/router';
import type { Context } from 'koa';
import type { Client } from '../../concurrency/wait-queue.ts';
import type { DownloadHeaders } from '../../files/download-headers.ts';
import type { ByteRange } from '../../files/file-store.ts';
import { rangeNotSatisfiable } from '../../terms/errors.ts';
import { SECURITY_HEADERS } from '../access/security-headers.ts';
import { expectStream } from './expect-stream.ts';

/** A file that may be downloaded. `open`: its bytes from `start` to `end`, to be read or destroyed. */
export type Download = DownloadHeaders & {
  sizeBytes: number;
  /** Stands for these bytes. */
  etag: string;
  open(part: ByteRange): Promise<Readable>;
};

/** Finds the file at a download address. `target`: its path and query as they were requested. */
export type OpenDownload = (request: { target: string; client: Client }) => Promise<Download>;

/** Names that the answer has besides those that pages may always read. */
const EXPOSED_HEADERS = ['accept-ranges', 'content-disposition', 'content-range', 'etag', 'x-request-id'];

/** Even if a browser showed the file, it would run nothing in it. */
const POLICY = `sandbox; ${SECURITY_HEADERS['content-security-policy']}`;

const SINGLE_RANGE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i;

/**
 * The part of a file that a Range header asks for, or undefined for the whole: no header, several ranges, another unit
 * or a malformed range. A server may ignore these (RFC 9110, 14.2).
 * @throws RANGE_NOT_SATISFIABLE when the part has no byte of the file
 */
export function readRange(header: string, sizeBytes: number): ByteRange | undefined {
  const [, first, last, suffix] = SINGLE_RANGE.exec(header) ?? [];
  if (first === undefined && suffix === undefined) return undefined;
  // A suffix longer than the file means the whole file (14.1.2).
  const start = first === undefined ? Math.max(0, sizeBytes - Number(suffix)) : Number(first);
  const end = Math.min(last ? Number(last) : sizeBytes - 1, sizeBytes - 1);
  if (last && Number(last) < start) return undefined;
  if (start > end) throw rangeNotSatisfiable(sizeBytes);
  return { start, end };
}

/**
 * The requested part; undefined: the whole file. Only a GET has ranges, and If-Range keeps parts of one file together.
 */
function partOf({ method, headers }: Context, { sizeBytes, etag }: Download): ByteRange | undefined {
  const { range = '', 'if-range': condition = etag } = headers;
  return method === 'GET' && condition === etag ? readRange(range, sizeBytes) : undefined;
}

/** Pages of any origin may download: the signed address is the authorisation. */
export function addDownloads(router: Router, path: string, openDownload: OpenDownload): void {
  const fromAnyOrigin = cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD'],
    exposeHeaders: EXPOSED_HEADERS,
    keepHeadersOnError: true,
  });
  router.options(path, fromAnyOrigin);
  router.get(path, fromAnyOrigin, async (context) => {
    const download = await openDownload({ target: context.path + context.search, client: context.res });
    const { contentType, contentDisposition, sizeBytes, etag } = download;
    const part = partOf(context, download);
    const { start, end } = part ?? { start: 0, end: sizeBytes - 1 };
    const bytes = context.method === 'HEAD' ? undefined : await download.open({ start, end });
    context.status = part === undefined ? 200 : 206;
    context.set({
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'content-disposition': contentDisposition,
      'content-security-policy': POLICY,
      'content-type': contentType,
      etag,
      ...(part !== undefined && { 'content-range': `bytes ${start}-${end}/${sizeBytes}` }),
    });
    expectStream(context);
    if (bytes !== undefined) context.body = bytes;
    context.length = end - start + 1;
  });
}
