/** A service in the test's own process that keeps uploaded files in the S3-compatible store of the test. */
import { vi } from 'vitest';
import { openStoreUnderTest } from '../../files/testing/s3-under-test.ts';
import type { Service } from '../../handlers/service.ts';
import { startTestService } from './test-service.ts';

export type Ticket = { fileId: string; uploadUrl: string; method: string; headers: object };

/** Starts the service. `change` replaces parts of it. */
export async function startBucketService(change: (service: Service) => Partial<Service> = () => ({})) {
  const store = await openStoreUnderTest();
  // The SDK reads its credentials from the environment by itself.
  if (store.credentials !== undefined) {
    vi.stubEnv('AWS_ACCESS_KEY_ID', store.credentials.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', store.credentials.secretAccessKey);
  }
  const suite = await startTestService({
    change,
    settings: { S3_BUCKET: store.bucket, S3_ENDPOINT: store.endpoint, S3_REGION: store.region },
  });
  const close = async () => {
    await suite.close();
    await store.close();
    vi.unstubAllEnvs();
  };
  return { store, suite, close };
}

export const put = async (uploadUrl: string, body: string, headers: Record<string, string> = {}) =>
  (await fetch(uploadUrl, { method: 'PUT', body, headers })).status;

/** The name of the object that a ticket's address writes. */
export function uploadNameOf({ fileId }: Pick<Ticket, 'fileId'>): string {
  const [knowledgeBase, id] = fileId.split('_');
  return `${knowledgeBase}/${id}/${id}`;
}
