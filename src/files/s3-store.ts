/**
 * Stores uploaded files in an S3-compatible store. Clients upload directly, by an address that the store checks. The
 * import checks what the address cannot guarantee. Loaded only if a bucket is set: the SDK takes longer to load than
 * the rest of the service.
 */
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { v4 as uuidv4 } from 'uuid';
import { fileMissing, storeUnavailable } from '../terms/errors.ts';
import type { ScopedId } from '../terms/ids.ts';
import {
  type FileStore,
  KNOWLEDGE_BASE_PATTERN,
  type ListedObject,
  measured,
  OBJECT_NAME_PATTERN,
  probeName,
  uploadNameOf,
} from './file-store.ts';
import {
  type Bucket,
  copyingMaxMs,
  listPages,
  openBucket,
  readObject,
  request,
  requestIfExists,
  type S3Settings,
  sendingMaxMs,
} from './s3-requests.ts';

const PROBE = 'probe';

/** The maximum number of names in one DeleteObjects request (Amazon S3 API reference). */
const DELETE_BATCH = 1_000;

async function putObject(store: Bucket, Key: string, Body: Buffer): Promise<void> {
  const put = new PutObjectCommand({ Bucket: store.bucket, Key, Body });
  await request(store, (client, options) => client.send(put, options), {
    maxMs: sendingMaxMs(store, Body.length),
  });
}

/** As long as a request of a client may take to arrive (server.ts). */
const ARRIVAL_MAX_MS = 600_000;

/**
 * Sends the bytes to the store as they arrive. A piece that the store does not take within `answerMaxMs` ends the
 * request, as does an error of `bytes`, which is thrown as it is. The store discards an object that it has received in
 * part.
 */
async function streamObject(
  store: Bucket,
  { name: Key, bytes, sizeBytes }: { name: string; bytes: AsyncIterable<Buffer>; sizeBytes: number },
): Promise<void> {
  const ended = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const expectProgress = () => {
    timer = setTimeout(() => ended.abort(new Error('the store does not take the bytes')), store.answerMaxMs);
  };
  async function* taken() {
    for await (const piece of bytes) {
      expectProgress();
      yield piece;
      clearTimeout(timer);
    }
    expectProgress();
  }
  const Body = Readable.from(taken());
  // The SDK pipes the stream, so it would not notice its error.
  Body.once('error', (error) => ended.abort(error));
  const put = new PutObjectCommand({ Bucket: store.bucket, Key, Body, ContentLength: sizeBytes });
  try {
    await request(store, (client, options) => client.send(put, options), {
      maxMs: ARRIVAL_MAX_MS + sendingMaxMs(store, sizeBytes),
      signal: ended.signal,
    });
  } catch (error) {
    throw Body.errored ?? error;
  } finally {
    clearTimeout(timer);
    Body.destroy();
  }
}

const headIfExists = (store: Bucket, Key: string, signal?: AbortSignal) => {
  const head = new HeadObjectCommand({ Bucket: store.bucket, Key });
  return requestIfExists(store, (client, options) => client.send(head, options), { signal });
};

async function removeObjects(store: Bucket, names: string[]): Promise<void> {
  for (let start = 0; start < names.length; start += DELETE_BATCH) {
    const Objects = names.slice(start, start + DELETE_BATCH).map((Key) => ({ Key }));
    const remove = new DeleteObjectsCommand({ Bucket: store.bucket, Delete: { Objects, Quiet: true } });
    const { Errors = [] } = await request(store, (client, options) => client.send(remove, options));
    if (Errors.length > 0) throw storeUnavailable(new Error(`${Errors[0]?.Key}: ${Errors[0]?.Message}`));
  }
}

/** Removes everything below a prefix page by page. After a failure, the pages before stay removed. */
async function removeBelow(store: Bucket, Prefix: string): Promise<void> {
  for await (const { Contents = [] } of listPages(store, { Prefix }))
    await removeObjects(
      store,
      Contents.flatMap(({ Key }) => Key ?? []),
    );
}

function toListed({ Key = '', Size = 0, LastModified = new Date() }: S3Object): ListedObject[] {
  return OBJECT_NAME_PATTERN.test(Key)
    ? [{ objectName: Key, sizeBytes: Size, modifiedAt: LastModified }]
    : [];
}

type S3Object = NonNullable<ListObjectsV2CommandOutput['Contents']>[number];

/** The options that sign an address for the time of the grant. */
const signedFor = ({ createdAt, expiresAt }: { createdAt: Date; expiresAt: Date }) => ({
  signingDate: createdAt,
  expiresIn: Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000),
});

/** The store answers with the headers that are part of the address, which is signed with them. */
const directDownloads = (store: Bucket): FileStore['downloads'] => ({
  async presign(Key, { contentType, contentDisposition, ...grant }) {
    const get = new GetObjectCommand({
      Bucket: store.bucket,
      Key,
      ResponseContentType: contentType,
      ResponseContentDisposition: contentDisposition,
      ResponseCacheControl: 'private, no-store',
    });
    // Bounded like a request, since the SDK may have to fetch credentials first.
    return await request(store, (client) => getSignedUrl(client, get, signedFor(grant)));
  },
});

/**
 * Copies an upload to a name that no upload address has. undefined: the bytes are not there, or not all.
 * @returns the name
 */
async function takeUpload(store: Bucket, file: ScopedId, sizeBytes: number): Promise<string | undefined> {
  const uploaded = uploadNameOf(file);
  const maxMs = copyingMaxMs(store, sizeBytes);
  const signal = AbortSignal.timeout(maxMs);
  const head = await headIfExists(store, uploaded, signal);
  // Some stores accept a length other than the signed one.
  if (head === undefined || head.ContentLength !== sizeBytes || head.ETag === undefined) return undefined;
  const objectName = `${file.knowledgeBaseId}/${file.id}/${uuidv4()}`;
  const copy = new CopyObjectCommand({
    Bucket: store.bucket,
    Key: objectName,
    CopySource: `${store.bucket}/${uploaded}`,
    CopySourceIfMatch: head.ETag,
  });
  const copied = await requestIfExists(store, (client, options) => client.send(copy, options), {
    maxMs,
    signal,
  });
  // The object was uploaded again between the two requests: the client has not finished yet.
  if (copied === undefined) return undefined;
  // Some stores ignore `CopySourceIfMatch`, so the copy itself is checked too.
  const kept = await headIfExists(store, objectName, signal);
  if (kept?.ContentLength === sizeBytes) return objectName;
  await removeObjects(store, [objectName]);
  return undefined;
}

/** A client uploads to `uploadNameOf`; the import then takes the object from there. */
const directUploads = (store: Bucket): NonNullable<FileStore['directUploads']> => ({
  async findOrigin() {
    // The SDK alone knows where it puts the bucket's name: before the host, or into the path.
    const put = new PutObjectCommand({ Bucket: store.bucket, Key: PROBE });
    return new URL(await request(store, (client) => getSignedUrl(client, put))).origin;
  },
  async presign(file, { sizeBytes, ...grant }) {
    const put = new PutObjectCommand({
      Bucket: store.bucket,
      Key: uploadNameOf(file),
      ContentLength: sizeBytes,
    });
    // Bounded like a request, as above.
    return await request(store, (client) => getSignedUrl(client, put, signedFor(grant)));
  },
  take: (file, sizeBytes) => takeUpload(store, file, sizeBytes),
});

/** Stores an object to prove that the store keeps what it gets. @throws SERVICE_UNAVAILABLE */
async function probeStore(store: Bucket): Promise<void> {
  const name = probeName();
  await putObject(store, name, Buffer.from(PROBE));
  const found = await readObject(store, name);
  if (String(found) !== PROBE)
    throw storeUnavailable(new Error('the store returned other bytes than were stored'));
  await removeObjects(store, [name]);
}

const lists = (store: Bucket): Pick<FileStore, 'listKnowledgeBases' | 'listObjects'> => ({
  async *listKnowledgeBases() {
    for await (const { CommonPrefixes = [] } of listPages(store, { Delimiter: '/' })) {
      const names = CommonPrefixes.map(({ Prefix = '' }) => Prefix.slice(0, -1));
      yield* names.filter((name) => KNOWLEDGE_BASE_PATTERN.test(name));
    }
  },
  async *listObjects(knowledgeBaseId, afterId) {
    const Prefix = `${knowledgeBaseId}/`;
    // After every name that begins with the file's id and a slash: the slash comes before 0 (ASCII).
    const from = afterId === undefined ? {} : { StartAfter: `${Prefix}${afterId}0` };
    for await (const { Contents = [] } of listPages(store, { Prefix, ...from })) {
      yield* Contents.flatMap(toListed);
    }
  },
});

/** Opens the store in an existing bucket; sends no request. */
export function openS3Store(settings: S3Settings, bounds?: { answerMaxMs: number }): FileStore {
  const store = openBucket(settings, bounds);
  return {
    downloads: directDownloads(store),
    directUploads: directUploads(store),
    async write(prefix, bytes, sizeBytes) {
      const objectName = `${prefix}/${uuidv4()}`;
      const measure = measured(sizeBytes);
      await streamObject(store, { name: objectName, bytes: measure.pass(bytes), sizeBytes });
      return { objectName, sha256: measure.digest() };
    },
    put: (objectName, bytes) => putObject(store, objectName, bytes),
    probe: () => probeStore(store),
    async ping() {
      const found = await headIfExists(store, probeName());
      if (found !== undefined)
        throw storeUnavailable(new Error('the store reports an object that was never stored'));
    },
    async read(objectName, options) {
      const bytes = await readObject(store, objectName, options);
      if (bytes === undefined) throw fileMissing(objectName);
      return bytes;
    },
    readIfExists: (objectName, options) => readObject(store, objectName, options),
    exists: async (objectName) => (await headIfExists(store, objectName)) !== undefined,
    async remove(name) {
      if (OBJECT_NAME_PATTERN.test(name)) await removeObjects(store, [name]);
      else await removeBelow(store, `${name}/`);
    },
    ...lists(store),
  };
}
