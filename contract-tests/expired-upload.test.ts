/** What becomes of upload tickets past their expiry, at a service whose tickets live for two seconds. */
import { afterAll, expect, test, vi } from 'vitest';
import { createCaller } from './calling.ts';
import { requireContract } from './contract-check.ts';
import { exchange } from './exchange.ts';
import { expectRefusal } from './expect-refusal.ts';
import { startService } from './running-service.ts';
import { pathOf, untilFinal } from './uploading.ts';

const service = await startService({
  UPLOAD_TICKET_TTL_SECONDS: '2',
  STORAGE_LIMIT_BYTES: '10',
});
afterAll(service.stop);

const { api, request } = createCaller(service);
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Hurried' });

async function put(uploadUrl: string, body: string) {
  const answer = await exchange(service.address, { method: 'PUT', path: pathOf(uploadUrl), body });
  requireContract(undefined, answer);
  return answer;
}

const untilPast = (time: string) =>
  vi.waitUntil(() => Date.now() > Date.parse(time), { timeout: 10_000, interval: 50 });

test('410 UPLOAD_EXPIRED: neither upload nor import past the expiry, where nothing was uploaded before', async () => {
  const ticket = await api.presignUploadUrl({ knowledgeBaseId, fileName: 'late.txt', size: 4 });
  const early = await request('importFile', { fileId: ticket.fileId });
  expectRefusal(early, 409, 'FILE_NOT_UPLOADED');
  await untilPast(ticket.expiresAt);
  expectRefusal(await put(ticket.uploadUrl, 'late'), 410, 'UPLOAD_EXPIRED');
  expectRefusal(await request('importFile', { fileId: ticket.fileId }), 410, 'UPLOAD_EXPIRED');
});

test('200: a file that was uploaded in time can be imported past the expiry, but not replaced', async () => {
  const ticket = await api.presignUploadUrl({ knowledgeBaseId, fileName: 'intime.txt', size: 6 });
  expect((await put(ticket.uploadUrl, 'intime')).status).toBe(200);
  await untilPast(ticket.expiresAt);
  expectRefusal(await put(ticket.uploadUrl, 'toolate'), 410, 'UPLOAD_EXPIRED');
  const { id } = await api.importFile(ticket.fileId);
  expect((await untilFinal(api, id)).status).toBe('processed');
  const [found] = await api.query({ query: 'intime' });
  expect(found?.content).toBe('intime');
  await api.deleteDocument(id);
});

test('403 STORAGE_LIMIT_EXCEEDED: an open ticket holds its bytes until it expires, not a moment longer', async () => {
  const ticket = { knowledgeBaseId, fileName: 'ten.txt', size: 10 };
  const { expiresAt } = await api.presignUploadUrl(ticket);
  const refused = await request('presignUploadUrl', ticket);
  expectRefusal(refused, 403, 'STORAGE_LIMIT_EXCEEDED');
  await untilPast(expiresAt);
  await api.presignUploadUrl(ticket);
});
