/**
 * Keeps the bytes of uploaded files in an S3-compatible store. Clients send them straight there, by an address that
 * the store checks; what the address can not promise is checked when the file is imported. Loaded only where a
 * bucket is set, since the SDK alone takes longer to load than the rest of the service.
 */
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { v4 as uuidv4 } from 'uuid';
import { serviceUnavailable, uploadNotAuthorized } from '../errors.ts';
import {
  type FileStore,
  KNOWLEDGE_BASE_PATTERN,
  type ListedObject,
  OBJECT_NAME_PATTERN,
  probeName,
  uploadNameOf,
} from './file-store.ts';

/** Credentials come by the SDK's own names (AWS_ACCESS_KEY_ID, profiles, instance roles). */
export type S3Settings = { bucket: string; endpoint: string | undefined; region: string | undefined };

/** A store that does not answer must not hold requests for minutes. */
const MAX_ATTEMPTS = 3;
const CONNECTION_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** What one DeleteObjects takes (Amazon S3 API reference). */
const DELETE_BATCH = 1_000;

type Bucket = { client: S3Client; bucket: string };

function createClient({ endpoint, region }: S3Settings): S3Client {
  return new S3Client({
    ...(region !== undefined && { region }),
    // Stores other than Amazon's mostly have no host name for each bucket.
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
    // By default the SDK would sign the checksum of an empty body into upload addresses.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;

/** Gives undefined where the object is not there, or has changed. @throws SERVICE_UNAVAILABLE for all else. */
async function ifThere<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (statusOf(error) === 404 || statusOf(error) === 412) return undefined;
    throw serviceUnavailable(error);
  }
}

/** @throws SERVICE_UNAVAILABLE: whatever the store refuses us is the operator's matter, not the client's. */
const surely = <T>(request: Promise<T>): Promise<T> =>
  request.catch((error) => {
    throw serviceUnavailable(error);
  });

async function* listPages(
  { client, bucket }: Bucket,
  query: { Prefix?: string; Delimiter?: string; StartAfter?: string },
): AsyncGenerator<ListObjectsV2CommandOutput> {
  let ContinuationToken: string | undefined;
  do {
    const page: ListObjectsV2CommandOutput = await surely(
      client.send(new ListObjectsV2Command({ Bucket: bucket, ContinuationToken, ...query })),
    );
    yield page;
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
}

async function removeObjects({ client, bucket }: Bucket, names: string[]): Promise<void> {
  for (let start = 0; start < names.length; start += DELETE_BATCH) {
    const Objects = names.slice(start, start + DELETE_BATCH).map((Key) => ({ Key }));
    const Delete = { Objects, Quiet: true };
    const { Errors = [] } = await surely(client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete })));
    if (Errors.length > 0) throw serviceUnavailable(new Error(`${Errors[0]?.Key}: ${Errors[0]?.Message}`));
  }
}

/** The names below a prefix, whatever they are. */
async function namesBelow(store: Bucket, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { Contents = [] } of listPages(store, { Prefix: prefix })) {
    names.push(...Contents.flatMap(({ Key }) => Key ?? []));
  }
  return names;
}

function toListed({ Key = '', Size = 0, LastModified = new Date() }: S3Object): ListedObject[] {
  return OBJECT_NAME_PATTERN.test(Key)
    ? [{ objectName: Key, sizeBytes: Size, modifiedAt: LastModified }]
    : [];
}

type S3Object = NonNullable<ListObjectsV2CommandOutput['Contents']>[number];

/** What a client sends lies under the file's own name, and is copied to another one that no address leads to. */
const directUploads = ({ client, bucket }: Bucket): NonNullable<FileStore['directUploads']> => ({
  async presign(file, { sizeBytes, createdAt, expiresAt }) {
    const put = new PutObjectCommand({ Bucket: bucket, Key: uploadNameOf(file), ContentLength: sizeBytes });
    return await getSignedUrl(client, put, {
      signingDate: createdAt,
      expiresIn: Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000),
    });
  },
  async take(file, sizeBytes) {
    const uploaded = uploadNameOf(file);
    const head = await ifThere(client.send(new HeadObjectCommand({ Bucket: bucket, Key: uploaded })));
    // Not every store refuses what differs from the signed length.
    if (head === undefined || head.ContentLength !== sizeBytes || head.ETag === undefined) return undefined;
    const objectName = `${file.knowledgeBaseId}/${file.id}/${uuidv4()}`;
    const copy = new CopyObjectCommand({
      Bucket: bucket,
      Key: objectName,
      CopySource: `${bucket}/${uploaded}`,
      CopySourceIfMatch: head.ETag,
    });
    // Sent anew between the two requests: then the client has not finished yet.
    if ((await ifThere(client.send(copy))) === undefined) return undefined;
    // Not every store holds to the condition either; what counts is what is kept.
    const kept = await ifThere(client.send(new HeadObjectCommand({ Bucket: bucket, Key: objectName })));
    if (kept?.ContentLength === sizeBytes) return objectName;
    await removeObjects({ client, bucket }, [objectName]);
    return undefined;
  },
});

/** The store in a bucket that exists. Makes no request yet. */
export function openS3Store(settings: S3Settings): FileStore {
  const store = { client: createClient(settings), bucket: settings.bucket };
  const { client, bucket } = store;
  const readIfThere = async (objectName: string): Promise<Buffer | undefined> => {
    const found = await ifThere(client.send(new GetObjectCommand({ Bucket: bucket, Key: objectName })));
    return found?.Body && Buffer.from(await surely(found.Body.transformToByteArray()));
  };
  return {
    directUploads: directUploads(store),
    write() {
      // No address of this service's own was ever given out.
      throw uploadNotAuthorized();
    },
    async put(Key, Body) {
      await surely(client.send(new PutObjectCommand({ Bucket: bucket, Key, Body })));
    },
    async probe() {
      const Key = probeName();
      await surely(client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'probe' })));
      const { Body } = await surely(client.send(new GetObjectCommand({ Bucket: bucket, Key })));
      await Body?.transformToByteArray();
      await removeObjects(store, [Key]);
    },
    async read(objectName) {
      const bytes = await readIfThere(objectName);
      if (bytes === undefined) throw serviceUnavailable(new Error(`the store has no ${objectName}`));
      return bytes;
    },
    readIfThere,
    async remove(name) {
      const names = OBJECT_NAME_PATTERN.test(name) ? [name] : await namesBelow(store, `${name}/`);
      await removeObjects(store, names);
    },
    async *listKnowledgeBases() {
      for await (const { CommonPrefixes = [] } of listPages(store, { Delimiter: '/' })) {
        const names = CommonPrefixes.map(({ Prefix = '' }) => Prefix.slice(0, -1));
        yield* names.filter((name) => KNOWLEDGE_BASE_PATTERN.test(name));
      }
    },
    async *listObjects(knowledgeBaseId, afterId) {
      const Prefix = `${knowledgeBaseId}/`;
      // Behind all that begins with the file's id and a slash, which comes before 0 (ASCII).
      const from = afterId === undefined ? {} : { StartAfter: `${Prefix}${afterId}0` };
      for await (const { Contents = [] } of listPages(store, { Prefix, ...from })) {
        yield* Contents.flatMap(toListed);
      }
    },
  };
}
