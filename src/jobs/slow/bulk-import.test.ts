/** All files of a bulk import become searchable, even when the last one waits long; other accounts are not delayed. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../../database/rows/accounts.ts';
import { insertApiKey } from '../../database/rows/api-keys.ts';
import { isCitus } from '../../database/testing/new-database.ts';
import { startTestService, type TestService } from '../../serve/testing/test-service.ts';
import { importUnattended } from '../../serve/testing/unattended-imports.ts';
import { generateApiKey } from '../../terms/api-key.ts';

const FILES = 80;
/** Shorter than the extraction of all files takes; beside other tests one file may take a second. */
const IMPORT_TIMEOUT_SECONDS = isCitus ? '3' : '2';

let suite: TestService;
beforeAll(async () => {
  suite = await startTestService({ settings: { IMPORT_TIMEOUT_SECONDS } });
});
afterAll(() => suite.close());

/** Returns the same service with a `call` that uses another account's key. */
async function openOtherAccount(): Promise<TestService> {
  const { address, service } = suite;
  const key = generateApiKey();
  const accountId = await createAccount(service.database, randomUUID(), 0);
  await insertApiKey(service.database, key, { accountId, name: '' });
  const call: TestService['call'] = async (operation, body) => {
    const response = await fetch(`${address}/v1/${operation}`, {
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    const { status, headers } = response;
    return { status, headers, body: (await response.json()) as Awaited<ReturnType<typeof call>>['body'] };
  };
  return { ...suite, call };
}

/** Too large for the files that are published together. */
const REST = ' It goes on and on.'.repeat(1_000);

async function importText(account: TestService, knowledgeBaseId: string, i: number): Promise<string> {
  const content = `Text ${i} tells of zebras.${REST}`;
  return await importUnattended(account, { knowledgeBaseId, fileName: `${i}.txt`, content });
}

async function createKnowledgeBase({ call }: TestService): Promise<string> {
  return String((await call('createKnowledgeBase', { name: 'bulk' })).body.data.id);
}

test('processes all files of a bulk import, and meanwhile a file of another account', async () => {
  const other = await openOtherAccount();
  const [theirs, mine] = [await createKnowledgeBase(suite), await createKnowledgeBase(other)];
  // Until the first process for extraction has started, a file may take longer than the limit.
  const first = await importText(suite, theirs, FILES);
  await suite.call(`getDocumentStatus?documentId=${first}&waitSeconds=30`);
  const ids = await Promise.all(Array.from({ length: FILES }, (_, i) => importText(suite, theirs, i)));
  const id = await importText(other, mine, 0);
  const { data } = (await other.call(`getDocumentStatus?documentId=${id}&waitSeconds=30`)).body;
  expect(data.status).toBe('processed');
  const reports = async () =>
    (await Promise.all(ids.map((id) => suite.call(`getDocumentStatus?documentId=${id}`)))).map(
      ({ body }) => body.data,
    );
  const waiting = (await reports()).filter(({ status }) => status === 'pending');
  expect(waiting.length).toBeGreaterThan(0);
  await Promise.all(ids.map((id) => suite.call(`getDocumentStatus?documentId=${id}&waitSeconds=30`)));
  expect(new Set((await reports()).map(({ status }) => status))).toEqual(new Set(['processed']));
});
