/** presignUploadUrl, status by status; what the address itself does stands in upload.test.ts. */
import { expect, inject, test } from 'vitest';
import { exchange } from '../harness/exchange.ts';
import { expectNothingChanged, expectRefusal, expectRefusedFields } from '../harness/expect-refusal.ts';
import { createInParallel } from '../harness/lists.ts';
import { openAccount } from '../harness/opened-account.ts';
import { bytesOf, upload, uploadFile } from '../harness/uploading.ts';
import { UNKNOWN_KNOWLEDGE_BASE_ID } from '../harness/valid-inputs.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Tickets' });
const input = { knowledgeBaseId, fileName: 'manual.md', size: 10 };

test('200: the ticket is a bare PUT to this service, good for one hour', async () => {
  const before = Date.now();
  const ticket = await api.presignUploadUrl(input);
  expect(ticket).toMatchObject({ method: 'PUT', headers: {} });
  expect(new URL(ticket.uploadUrl).origin).toBe(inject('address'));
  expect(ticket.fileId).toMatch(/^[\w-]{1,128}$/);
  const lifetime = Date.parse(ticket.expiresAt) - before;
  expect(lifetime).toBeGreaterThanOrEqual(3_600_000);
  expect(lifetime).toBeLessThan(3_660_000);
});

test('200: the address names the host that the client has asked, so that it works behind another name', async () => {
  const { port } = new URL(inject('address'));
  const answer = await request('presignUploadUrl', input, { host: `localhost:${port}` });
  const { uploadUrl } = (answer.body as { data: { uploadUrl: string } }).data; // checked by the spec
  expect(new URL(uploadUrl).host).toBe(`localhost:${port}`);
  expect((await upload({ uploadUrl }, '0123456789')).status).toBe(200);
});

test.each(['', 'a b', 'evil.example/../x', 'a@b:99999', '[::1', 'x\u00ffy', '/', 'a}b', 'a"b', 'a`b'])(
  '200: the Host %j makes no address that is no URI',
  async (host) => {
    const answer = await request('presignUploadUrl', input, { host });
    const { uploadUrl } = (answer.body as { data: { uploadUrl: string } }).data; // checked by the spec
    expect(new URL(uploadUrl).pathname).toMatch(/^\/uploads\/[\w-]+$/);
  },
);

test('200: every ticket has a file and a signature of its own', async () => {
  const tickets = await createInParallel(20, () => api.presignUploadUrl(input));
  expect(new Set(tickets.map(({ fileId }) => fileId)).size).toBe(20);
  expect(new Set(tickets.map(({ uploadUrl }) => new URL(uploadUrl).searchParams.get('signature'))).size).toBe(
    20,
  );
});

test('200: a ticket makes no document and uses no storage', async () => {
  await expectNothingChanged(account, async () => {
    await api.presignUploadUrl({ ...input, size: 52_428_800 });
  });
});

test('200: the key does not stand in the address, and the address needs none', async () => {
  const { uploadUrl } = await api.presignUploadUrl(input);
  expect(uploadUrl).not.toContain(account.apiKey);
  const { pathname, search } = new URL(uploadUrl);
  const sent = { method: 'PUT', path: pathname + search, body: '0123456789' };
  expect((await exchange(inject('address'), sent)).status).toBe(200);
});

test('403 STORAGE_LIMIT_EXCEEDED: a byte too much for documents, open tickets and uploads together', async () => {
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
  // The import takes no more than the ticket had reserved.
  expect((await limited.api.importFile(fileId)).size).toBe(10);
});

test('403 STORAGE_LIMIT_EXCEEDED: tickets asked for at once never pass the limit together', async () => {
  const limited = await openAccount({ storageLimitBytes: 100 });
  const { id } = await limited.api.createKnowledgeBase({ name: 'Three of ten' });
  const answers = await createInParallel(10, () =>
    limited.request('presignUploadUrl', { knowledgeBaseId: id, fileName: 'a.txt', size: 30 }),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    expectRefusal(answer, 403, 'STORAGE_LIMIT_EXCEEDED');
  }
});

test('404 KNOWLEDGE_BASE_NOT_FOUND: unknown, malformed and deleted, by the same bytes', async () => {
  const { id: deleted } = await api.createKnowledgeBase({ name: 'Deleted' });
  await api.deleteKnowledgeBase(deleted);
  const ids = [UNKNOWN_KNOWLEDGE_BASE_ID, 'x'.repeat(36), deleted];
  const answers = await Promise.all(
    ids.map((id) => request('presignUploadUrl', { ...input, knowledgeBaseId: id })),
  );
  for (const answer of answers) expectRefusal(answer, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
});

test('422 INPUT_VALIDATION_FAILED: a size that is no whole number, and values of another type', async () => {
  for (const size of [1.5, '10', null, true, [10], 1e308, -0.1]) {
    expectRefusedFields(await request('presignUploadUrl', { ...input, size }), 'size');
  }
  for (const fileName of [null, 5, ['a.txt'], {}]) {
    expectRefusedFields(await request('presignUploadUrl', { ...input, fileName }), 'fileName');
  }
});
