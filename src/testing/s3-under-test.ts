/**
 * The S3-compatible store of a test: the one in memory, or a real one that TEST_S3_ENDPOINT names, with an empty
 * bucket TEST_S3_BUCKET and the credentials that the SDK finds by itself.
 */
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { startS3Server } from './s3-server.ts';
import type { Credentials } from './s3-signature.ts';

export type StoreUnderTest = {
  isReal: boolean;
  endpoint: string;
  bucket: string;
  /** Puts bytes there as somebody with the store's keys can, whatever length was signed. */
  force(name: string, bytes: string, modifiedAt?: Date): Promise<void>;
  /** Lets other bytes arrive between a look at an object and its copy; undefined: a real store can not be made to. */
  overtakeCopy?(name: string, bytes: string): void;
  namesBelow(prefix: string): Promise<string[]>;
  close(): Promise<void>;
};

function openReal(endpoint: string, bucket: string): StoreUnderTest {
  const client = new S3Client({ endpoint, forcePathStyle: true });
  return {
    isReal: true,
    endpoint,
    bucket,
    async force(Key, Body) {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));
    },
    async namesBelow(Prefix) {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }));
      return Contents.map(({ Key = '' }) => Key);
    },
    close: async () => client.destroy(),
  };
}

/** `credentials` are those that the store in memory knows. */
export async function openStoreUnderTest(credentials: Credentials): Promise<StoreUnderTest> {
  const { TEST_S3_ENDPOINT, TEST_S3_BUCKET = 'uploads' } = process.env;
  if (TEST_S3_ENDPOINT !== undefined) return openReal(TEST_S3_ENDPOINT, TEST_S3_BUCKET);
  const { endpoint, bucket, objects, force, overtakeCopy, close } = await startS3Server(credentials);
  return {
    isReal: false,
    endpoint,
    bucket,
    force: async (...object) => force(...object),
    overtakeCopy,
    namesBelow: async (prefix) => [...objects.keys()].filter((name) => name.startsWith(prefix)),
    close,
  };
}
