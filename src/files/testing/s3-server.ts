/** A small S3-compatible store in memory, for tests: one bucket, path-style addresses, signatures checked. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Credentials, refusalOf } from './s3-signature.ts';
import { STORE_FAULTS, type StoreFault } from './store-faults.ts';

type StoredBytes = { bytes: Buffer; etag: string; modifiedAt: Date };
type Reply = { status: number; headers?: Record<string, string>; body?: string | Buffer };

export type S3Server = {
  endpoint: string;
  bucket: string;
  objects: Map<string, StoredBytes>;
  /** Stores an object without a check of the signed length, as some stores do. */
  force(name: string, bytes: string, modifiedAt?: Date): void;
  /** Replaces an object just before its next copy. The copy ignores its condition, as some stores do. */
  overtakeCopy(name: string, bytes: string): void;
  /** Answers each request with this fault from now on; undefined: correctly again. */
  misbehave(how: StoreFault | undefined): void;
  close(): Promise<void>;
};

/** Objects on one page of a list: few, so that tests with few objects need several pages. */
const PAGE = 3;

const toStored = (bytes: Buffer, modifiedAt = new Date()): StoredBytes => ({
  bytes,
  etag: `"${createHash('md5').update(bytes).digest('hex')}"`,
  modifiedAt,
});

const xml = (status: number, body: string): Reply => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>${body}`,
});

const refuse = (status: number, code: string): Reply =>
  xml(status, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);

function list(objects: Map<string, StoredBytes>, query: URLSearchParams): Reply {
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter')];
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const names = [...objects.keys()].filter((name) => name.startsWith(prefix)).sort();
  const grouped = (name: string) => {
    const end = delimiter === null ? -1 : name.indexOf(delimiter, prefix.length);
    return end < 0 ? name : name.slice(0, end + 1);
  };
  const entries = [...new Set(names.map(grouped))].filter((name) => name > after);
  const page = entries.slice(0, PAGE);
  const listed = page.map((name) => {
    const object = objects.get(name);
    return object === undefined
      ? `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${name}</Key><LastModified>${object.modifiedAt.toISOString()}</LastModified>` +
          `<Size>${object.bytes.length}</Size></Contents>`;
  });
  const isTruncated = entries.length > PAGE;
  const token = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return xml(
    200,
    `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${token}${listed.join('')}</ListBucketResult>`,
  );
}

type Contents = { objects: Map<string, StoredBytes>; overtaking: Map<string, StoredBytes> };

function copy({ objects, overtaking }: Contents, name: string, { headers }: IncomingMessage): Reply {
  const source = decodeURIComponent(String(headers['x-amz-copy-source']).replace(/^\/?[^/]+\//, ''));
  const late = overtaking.get(source);
  overtaking.delete(source);
  if (late !== undefined) objects.set(source, late);
  const found = objects.get(source);
  if (found === undefined) return refuse(404, 'NoSuchKey');
  const condition = late === undefined ? headers['x-amz-copy-source-if-match'] : undefined;
  if (condition !== undefined && condition !== found.etag) return refuse(412, 'PreconditionFailed');
  objects.set(name, toStored(found.bytes));
  return xml(200, `<CopyObjectResult><ETag>${found.etag}</ETag></CopyObjectResult>`);
}

function removeMany(objects: Map<string, StoredBytes>, body: Buffer): Reply {
  for (const [, name = ''] of body.toString().matchAll(/<Key>([^<]+)<\/Key>/g)) objects.delete(name);
  return xml(200, '<DeleteResult/>');
}

/** The header fields that a presigned GET may choose for its answer. */
const RESPONSE_FIELDS = ['content-type', 'content-disposition', 'cache-control'];

function read(objects: Map<string, StoredBytes>, name: string, query: URLSearchParams): Reply {
  const found = objects.get(name);
  if (found === undefined) return refuse(404, 'NoSuchKey');
  const chosen = RESPONSE_FIELDS.map((field) => [field, query.get(`response-${field}`)]);
  const headers = {
    etag: found.etag,
    'content-length': String(found.bytes.length),
    ...Object.fromEntries(chosen.filter(([, value]) => value !== null)),
  };
  return { status: 200, headers, body: found.bytes };
}

function reply(contents: Contents, request: IncomingMessage, body: Buffer): Reply {
  const { objects } = contents;
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://store');
  const name = decodeURIComponent(pathname.replace(/^\/[^/]+\/?/, ''));
  if (request.method === 'GET' && name === '') return list(objects, searchParams);
  if (request.method === 'POST' && searchParams.has('delete')) return removeMany(objects, body);
  if (request.method === 'GET' || request.method === 'HEAD') return read(objects, name, searchParams);
  if (request.method !== 'PUT') return refuse(405, 'MethodNotAllowed');
  if (request.headers['x-amz-copy-source'] !== undefined) return copy(contents, name, request);
  objects.set(name, toStored(body));
  return { status: 200, headers: { etag: toStored(body).etag } };
}

function send(response: ServerResponse, { method }: IncomingMessage, { status, headers, body }: Reply): void {
  response.writeHead(status, headers);
  response.end(method === 'HEAD' ? undefined : body);
}

/** Starts a store with these credentials. */
export async function startS3Server(credentials: Credentials): Promise<S3Server> {
  const objects = new Map<string, StoredBytes>();
  const overtaking = new Map<string, StoredBytes>();
  let fault: StoreFault | undefined;
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return; // the client has hung up
    const refusal = refusalOf(request, body, credentials);
    const answer = refusal ? refuse(403, refusal) : reply({ objects, overtaking }, request, body);
    if (fault === undefined) send(response, request, answer);
    else STORE_FAULTS[fault](response, request, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'uploads',
    objects,
    force: (name, bytes, modifiedAt) => void objects.set(name, toStored(Buffer.from(bytes), modifiedAt)),
    overtakeCopy: (name, bytes) => void overtaking.set(name, toStored(Buffer.from(bytes))),
    misbehave(how) {
      fault = how;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
