/** The S3-compatible store of a test: in memory, or a real one in the suite `real-store`. */
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { inject } from 'vitest';
import type { RealStore } from './real-store.ts';
import { startS3Server } from './s3-server.ts';
import type { Credentials } from './s3-signature.ts';
import type { StoreFault } from './store-faults.ts';

export type StoreUnderTest = {
  isReal: boolean;
  endpoint: string;
  bucket: string;
  region: string;
  /** Undefined: the SDK finds them by itself. */
  credentials: Credentials | undefined;
  /** Stores an object with the store's own keys, without a check of the signed length. */
  force(name: string, bytes: string, modifiedAt?: Date): Promise<void>;
  /** Replaces an object just before its next copy; undefined: a real store has no such control. */
  overtakeCopy?(name: string, bytes: string): void;
  /** Makes the store refuse its keys, or accept them again; undefined as above. */
  refuseKeys?(isRefusing: boolean): void;
  /** Makes the store answer each request with this fault, or correctly again; undefined as above. */
  misbehave?(how: StoreFault | undefined): void;
  namesBelow(prefix: string): Promise<string[]>;
  close(): Promise<void>;
};

function openReal({ endpoint, bucket, region, credentials }: RealStore): StoreUnderTest {
  const given = credentials === undefined ? {} : { credentials };
  const client = new S3Client({ endpoint, region, ...given, forcePathStyle: true });
  return {
    isReal: true,
    endpoint,
    bucket,
    region,
    credentials,
    async force(Key, bytes) {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Buffer.from(bytes) }));
    },
    async namesBelow(Prefix) {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }));
      return Contents.map(({ Key = '' }) => Key);
    },
    close: async () => client.destroy(),
  };
}

export async function openStoreUnderTest(): Promise<StoreUnderTest> {
  const real = inject('realStore');
  if (real !== undefined) return openReal(real);
  const credentials = {
    accessKeyId: 'AKIATEST',
    secretAccessKey: 'a secret of forty characters, as they are',
  };
  const known = { ...credentials };
  const { endpoint, bucket, objects, force, overtakeCopy, misbehave, close } = await startS3Server(known);
  return {
    isReal: false,
    endpoint,
    bucket,
    region: 'eu-central-1',
    credentials,
    force: async (...object) => force(...object),
    overtakeCopy,
    misbehave,
    refuseKeys(isRefusing) {
      known.secretAccessKey = isRefusing ? 'changed' : credentials.secretAccessKey;
    },
    namesBelow: async (prefix) => [...objects.keys()].filter((name) => name.startsWith(prefix)),
    close,
  };
}
