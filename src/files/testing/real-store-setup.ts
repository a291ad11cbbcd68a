/**
 * Provides a real store for the tests of S3. If TEST_S3_ENDPOINT is set, it is that store, with the empty bucket
 * TEST_S3_BUCKET and the credentials that the SDK finds by itself. Otherwise Ceph's gateway is started for the run.
 */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { TestProject } from 'vitest/node';
import { startCeph } from './ceph.ts';
import type { Credentials } from './s3-signature.ts';

/** `credentials` are undefined where the SDK finds them by itself. */
export type RealStore = { endpoint: string; bucket: string; region: string; credentials?: Credentials };

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined in the other suites. */
    realStore: RealStore | undefined;
  }
}

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const {
    TEST_S3_ENDPOINT,
    TEST_S3_BUCKET: bucket = 'uploads',
    AWS_REGION: region = 'us-east-1',
  } = process.env;
  if (TEST_S3_ENDPOINT !== undefined)
    return void project.provide('realStore', { endpoint: TEST_S3_ENDPOINT, bucket, region });
  const credentials = {
    accessKeyId: 'AKIATEST',
    secretAccessKey: 'a secret with a slash/, a plus+ and a space',
  };
  const { endpoint, close } = await startCeph(credentials);
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  project.provide('realStore', { endpoint, bucket, region: 'us-east-1', credentials });
  return close;
}
