/** What becomes of upload tickets past their expiry, at a service whose tickets live for two seconds. */
import { expect, test, vi } from 'vitest';
import type { UploadTicket } from '../../generated/types.gen.ts';
import { createCaller } from '../harness/calling.ts';
import { requireContract } from '../harness/contract-check.ts';
import { type Answer, exchange } from '../harness/exchange.ts';
import { expectRefusal } from '../harness/expect-refusal.ts';
import { keepService } from '../harness/kept-service.ts';
import { pathOf, untilFinal } from '../harness/uploading.ts';

const TICKET_SECONDS = 2;
const service = await keepService({
  settings: { UPLOAD_TICKET_TTL_SECONDS: String(TICKET_SECONDS), STORAGE_LIMIT_BYTES: '10' },
});

const { api, request } = createCaller(service);
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Hurried' });

async function put(uploadUrl: string, body: string) {
  const answer = await exchange(service.address, { method: 'PUT', path: pathOf(uploadUrl), body });
  requireContract(undefined, answer);
  return answer;
}

const untilPast = (time: string) =>
  vi.waitUntil(() => Date.now() > Date.parse(time), { timeout: 10_000, interval: 50 });

/**
 * Gets a ticket for these bytes and acts with it while it is open. On a busy machine the ticket may have expired
 * before. `isLate` recognises that by the answer; then the same is tried with a new ticket.
 */
async function withOpenTicket(
  { body, isLate }: { body: string; isLate(answer: Answer): boolean },
  act: (ticket: UploadTicket) => Promise<Answer>,
): Promise<{ ticket: UploadTicket; answer: Answer }> {
  const file = { knowledgeBaseId, fileName: 'file.txt', size: body.length };
  return await vi.waitUntil(
    async () => {
      const ticket = await api.presignUploadUrl(file);
      const answer = await act(ticket);
      if (!isLate(answer)) return { ticket, answer };
      await untilPast(new Date(Date.now() + TICKET_SECONDS * 1000).toISOString());
      return undefined;
    },
    { timeout: 40_000 },
  );
}

const isExpired = ({ status }: Answer) => status === 410;

test('410 UPLOAD_EXPIRED: neither upload nor import past the expiry, where nothing was uploaded before', async () => {
  const { ticket, answer } = await withOpenTicket({ body: 'late', isLate: isExpired }, ({ fileId }) =>
    request('importFile', { fileId }),
  );
  expectRefusal(answer, 409, 'FILE_NOT_UPLOADED');
  await untilPast(ticket.expiresAt);
  expectRefusal(await put(ticket.uploadUrl, 'late'), 410, 'UPLOAD_EXPIRED');
  expectRefusal(await request('importFile', { fileId: ticket.fileId }), 410, 'UPLOAD_EXPIRED');
});

test('200: a file that was uploaded in time can be imported past the expiry, but not replaced', async () => {
  const { ticket, answer } = await withOpenTicket({ body: 'intime', isLate: isExpired }, ({ uploadUrl }) =>
    put(uploadUrl, 'intime'),
  );
  expect(answer.status).toBe(200);
  await untilPast(ticket.expiresAt);
  expectRefusal(await put(ticket.uploadUrl, 'toolate'), 410, 'UPLOAD_EXPIRED');
  const { id } = await api.importFile(ticket.fileId);
  expect((await untilFinal(api, id)).status).toBe('processed');
  const [found] = await api.query({ query: 'intime' });
  expect(found?.content).toBe('intime');
  await api.deleteDocument(id);
});

test('403 STORAGE_LIMIT_EXCEEDED: an open ticket holds its bytes until it expires, not a moment longer', async () => {
  const all = { knowledgeBaseId, fileName: 'ten.txt', size: 10 };
  const askAgain = () => request('presignUploadUrl', all);
  const isLate = ({ status }: Answer) => status === 200;
  const { ticket, answer } = await withOpenTicket({ body: 'x'.repeat(10), isLate }, askAgain);
  expectRefusal(answer, 403, 'STORAGE_LIMIT_EXCEEDED');
  await untilPast(ticket.expiresAt);
  await api.presignUploadUrl(all);
});
