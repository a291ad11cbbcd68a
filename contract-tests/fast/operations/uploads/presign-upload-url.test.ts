/** presignUploadUrl, status by status; upload.test.ts tests the upload address itself. */
import { expect, inject, test } from 'vitest';
import { UNKNOWN_KNOWLEDGE_BASE_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
  expectSameRefusal,
  expectSuccesses,
} from '../../../harness/calls/expect-refusal.ts';
import { bytesOf, upload, uploadFile } from '../../../harness/calls/uploading.ts';
import { createInParallel } from '../../../harness/create-in-parallel.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Tickets' });
const input = { knowledgeBaseId, fileName: 'manual.md', size: 10 };

testPromises('presignUploadUrl');

test('200: the ticket is a PUT to this service without headers, valid for one hour', async () => {
  const before = Date.now();
  const ticket = await api.presignUploadUrl(input);
  expect(ticket).toMatchObject({ method: 'PUT', headers: {} });
  expect(new URL(ticket.uploadUrl).origin).toBe(inject('address'));
  expect(ticket.fileId).toMatch(/^[\w-]{1,128}$/);
  const lifetime = Date.parse(ticket.expiresAt) - before;
  expect(lifetime).toBeGreaterThanOrEqual(3_600_000);
  expect(lifetime).toBeLessThan(3_660_000);
});

/** The upload address of a ticket that a client has requested with this Host. */
async function uploadUrlFor(host: string): Promise<string> {
  const answer = await request('presignUploadUrl', input, { host });
  return (answer.body as { data: { uploadUrl: string } }).data.uploadUrl; // checked by the spec
}

test('200: the upload address has the Host of the request, so that it works behind a proxy', async () => {
  const { port } = new URL(inject('address'));
  const uploadUrl = await uploadUrlFor(`localhost:${port}`);
  expect(new URL(uploadUrl).host).toBe(`localhost:${port}`);
  expect((await upload({ uploadUrl }, '0123456789')).status).toBe(200);
});

test.each(['', 'a b', 'evil.example/../x', 'a@b:99999', '[::1', 'x\u00ffy', '/', 'a}b', 'a"b', 'a`b'])(
  '200: with the Host %j the upload address is still a valid URI',
  async (host) => {
    expect(new URL(await uploadUrlFor(host)).pathname).toMatch(/^\/uploads\/[\w-]+$/);
  },
);

test('200: every ticket has a file and a signature of its own', async () => {
  const tickets = await createInParallel(20, () => api.presignUploadUrl(input));
  expect(new Set(tickets.map(({ fileId }) => fileId)).size).toBe(20);
  expect(new Set(tickets.map(({ uploadUrl }) => new URL(uploadUrl).searchParams.get('signature'))).size).toBe(
    20,
  );
});

test('200: a ticket creates no document and uses no storage', async () => {
  await expectNothingChanged(account, async () => {
    await api.presignUploadUrl({ ...input, size: 52_428_800 });
  });
});

test('200: the address neither contains nor needs the API key', async () => {
  const { uploadUrl } = await api.presignUploadUrl(input);
  expect(uploadUrl).not.toContain(account.apiKey);
  expect((await upload({ uploadUrl }, '0123456789')).status).toBe(200);
});

test('403 STORAGE_LIMIT_EXCEEDED: documents, open tickets and uploads count, to the byte', async () => {
  const limited = await openAccount({ storageLimitBytes: 100 });
  const { id } = await limited.api.createKnowledgeBase({ name: 'A hundred bytes' });
  const ticket = (size: number) => ({ knowledgeBaseId: id, fileName: 'a.txt', size });
  await limited.api.importTextContent({ knowledgeBaseId: id, title: 'a', content: 'x'.repeat(20) });
  await limited.api.presignUploadUrl(ticket(30));
  const { fileId } = await uploadFile(limited.api, { ...ticket(10), bytes: bytesOf('0123456789') });
  await expectNothingChanged(limited, async () => {
    const answer = await limited.request('presignUploadUrl', ticket(41));
    expectRefusal(answer, 403, 'STORAGE_LIMIT_EXCEEDED');
    expect(answer.body).toMatchObject({ data: { limit: 100, used: 60, requested: 41 } });
    const content = { knowledgeBaseId: id, title: 'a', content: 'x'.repeat(41) };
    expectRefusal(await limited.request('importTextContent', content), 403, 'STORAGE_LIMIT_EXCEEDED');
  });
  await limited.api.presignUploadUrl(ticket(40));
  // The ticket has reserved the storage for the import.
  expect((await limited.api.importFile(fileId)).size).toBe(10);
});

test('403 STORAGE_LIMIT_EXCEEDED: concurrent tickets never exceed the limit together', async () => {
  const limited = await openAccount({ storageLimitBytes: 100 });
  const { id } = await limited.api.createKnowledgeBase({ name: 'Three of ten' });
  const answers = await createInParallel(10, () =>
    limited.request('presignUploadUrl', { knowledgeBaseId: id, fileName: 'a.txt', size: 30 }),
  );
  expectSuccesses(answers, 3, { status: 403, errorCode: 'STORAGE_LIMIT_EXCEEDED' });
});

test('404 KNOWLEDGE_BASE_NOT_FOUND: the same bytes for an unknown, malformed and deleted one', async () => {
  const { id: deleted } = await api.createKnowledgeBase({ name: 'Deleted' });
  await api.deleteKnowledgeBase(deleted);
  const ids = [UNKNOWN_KNOWLEDGE_BASE_ID, 'x'.repeat(36), deleted];
  const answers = await Promise.all(
    ids.map((id) => request('presignUploadUrl', { ...input, knowledgeBaseId: id })),
  );
  expectSameRefusal(answers, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});

test('422 INPUT_VALIDATION_FAILED: a size that is not a whole number, and values of another type', async () => {
  for (const size of [1.5, '10', null, true, [10], 1e308, -0.1]) {
    expectRefusedFields(await request('presignUploadUrl', { ...input, size }), 'size');
  }
  for (const fileName of [null, 5, ['a.txt'], {}]) {
    expectRefusedFields(await request('presignUploadUrl', { ...input, fileName }), 'fileName');
  }
});
