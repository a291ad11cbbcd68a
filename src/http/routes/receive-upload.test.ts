/** The order in which the uploads of several accounts query the database. */
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { formatUploadPath } from '../../files/upload-address.ts';
import { startTestService, type TestService } from '../../serve/testing/test-service.ts';
import { formatScopedId } from '../../terms/ids.ts';
import { createDatabasePermits } from '../capacity/database-permits.ts';
import { createReceiveUpload } from './receive-upload.ts';

let suite: TestService;
beforeAll(async () => {
  suite = await startTestService();
});
afterAll(() => suite.close());

/** An upload address for a key of an account. Its file does not exist. */
function addressOf(accountId: string, keyId: string): string {
  const fileId = formatScopedId({ knowledgeBaseId: uuidv7(), id: uuidv7() });
  const grant = { fileId, sizeBytes: 1, expiresAt: new Date(), accountId, keyId };
  return formatUploadPath(suite.service.uploadSecret, grant);
}

test('many uploads of one account, with different keys, do not block the upload of another account', async () => {
  const served: string[] = [];
  const finishing: (() => void)[] = [];
  const limitRate = async (keyId: string) => {
    served.push(keyId);
    await new Promise<void>((resolve) => finishing.push(resolve));
  };
  const withDatabasePermit = createDatabasePermits();
  const findCaller = async () => ({
    ...{ accountId: '', keyId: '', scope: 'write' as const },
    ...{ allowedKnowledgeBases: undefined, restriction: undefined },
  });
  const receive = createReceiveUpload({ ...suite.service, limitRate, withDatabasePermit, findCaller });
  const send = (accountId: string, keyId: string) =>
    receive({
      target: addressOf(accountId, keyId),
      request: new PassThrough() as unknown as IncomingMessage, // never read
      client: { closed: false, once: () => {}, off: () => {} },
    }).catch((error) => error.errorCode);
  const uploads = [0, 1, 2, 3, 4, 5].map((number) => send('many', `key${number}`));
  uploads.push(send('other', 'another'));
  await vi.waitFor(() => expect(served).toHaveLength(2));
  finishing.shift()?.();
  await vi.waitFor(() => expect(served).toHaveLength(3));
  expect(served).toEqual(['key0', 'key1', 'another']);
  await vi.waitUntil(() => {
    finishing.shift()?.();
    return served.length === uploads.length && finishing.length === 0;
  });
  expect(new Set(await Promise.all(uploads))).toEqual(new Set(['FILE_NOT_FOUND']));
});
