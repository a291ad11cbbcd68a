/** getUsage, status by status. */
import { expect, test } from 'vitest';
import { bytesOf, importBytes, untilFinal, uploadFile } from '../../../harness/calls/uploading.ts';
import { testPromises } from '../../../harness/promises.ts';
import { changeAccount, openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api } = account;

testPromises('getUsage');

test('200: a new account uses nothing', async () => {
  expect(await api.getUsage()).toMatchObject({
    knowledgeBaseCount: 0,
    storageUsed: 0,
    documentCount: 0,
    passageCount: 0,
  });
});

test('200: tells the limits of the account, of its own or the service, and the rate limit of its server', async () => {
  const { limits } = await api.getUsage();
  expect(limits).toEqual({ storage: 10 * 2 ** 30, knowledgeBases: 1000, requestsPerMinute: null });
  const limited = await openAccount({ storageLimitBytes: 100, knowledgeBaseLimit: 2 });
  expect((await limited.api.getUsage()).limits).toMatchObject({ storage: 100, knowledgeBases: 2 });
  await changeAccount(limited, { storageLimitBytes: 0 });
  expect((await limited.api.getUsage()).limits).toMatchObject({ storage: 0, knowledgeBases: 2 });
});

test('200: a file counts from its import on, also if it fails; tickets and uploads do not count', async () => {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Files' });
  const file = (fileName: string, text: string) => ({ knowledgeBaseId, fileName, bytes: bytesOf(text) });
  await api.presignUploadUrl({ knowledgeBaseId, fileName: 'ticket.txt', size: 1_000_000 });
  const { fileId } = await uploadFile(api, file('uploaded.txt', '12345'));
  expect((await api.getUsage()).storageUsed).toBe(0);
  const { id } = await api.importFile(fileId);
  expect((await api.getUsage()).storageUsed).toBe(5);
  await untilFinal(api, id);
  const blank = await importBytes(api, file('blank.txt', '  '));
  await untilFinal(api, blank.id);
  expect((await api.getUsage()).storageUsed).toBe(7);
  await api.deleteDocument(blank.id);
  expect((await api.getUsage()).storageUsed).toBe(5);
});
