/**
 * Opens a real store for tests. If TEST_S3_ENDPOINT is set, it is that store, with the empty bucket TEST_S3_BUCKET and
 * the credentials that the SDK finds by itself. Otherwise it is Ceph's gateway, started for the tests.
 */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { isCephInstalled, startCeph } from './ceph.ts';
import type { Credentials } from './s3-signature.ts';

/** `credentials` are undefined where the SDK finds them by itself. */
export type RealStore = { endpoint: string; bucket: string; region: string; credentials?: Credentials };

export const hasRealStore = (): boolean => process.env.TEST_S3_ENDPOINT !== undefined || isCephInstalled();

/** `name`: of the bucket, if the store is started here. */
export async function openRealStore(name = 'uploads'): Promise<{ store: RealStore; close(): Promise<void> }> {
  const { TEST_S3_ENDPOINT, TEST_S3_BUCKET: bucket = name, AWS_REGION: region = 'us-east-1' } = process.env;
  if (TEST_S3_ENDPOINT !== undefined)
    return { store: { endpoint: TEST_S3_ENDPOINT, bucket, region }, close: async () => {} };
  const credentials = {
    accessKeyId: 'AKIATEST',
    secretAccessKey: 'a secret with a slash/, a plus+ and a space',
  };
  const { endpoint, close } = await startCeph(credentials);
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return { store: { endpoint, bucket, region: 'us-east-1', credentials }, close };
}
