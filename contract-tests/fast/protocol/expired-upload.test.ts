/** Upload tickets after their expiry, at a service whose tickets expire after two seconds. */
import { expect, test, vi } from 'vitest';
import type { UploadTicket } from '../../../generated/types.gen.ts';
import { createCaller } from '../../../src/contract-check/requests/calling.ts';
import type { Answer } from '../../../src/contract-check/requests/exchange.ts';
import { expectRefusal } from '../../harness/calls/expect-refusal.ts';
import { untilFinal, upload } from '../../harness/calls/uploading.ts';
import { sharedService } from '../../harness/shared/share.ts';

const TICKET_SECONDS = 2;
const service = await sharedService({
  UPLOAD_TICKET_TTL_SECONDS: String(TICKET_SECONDS),
  STORAGE_LIMIT_BYTES: '10',
});

const { api, request } = createCaller(service);
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Hurried' });

const untilPast = (time: string) =>
  vi.waitUntil(() => Date.now() > Date.parse(time), { timeout: 60_000, interval: 50 });

/**
 * Gets a ticket for these bytes and calls `act` with it before it expires.
 * A busy machine may be too slow. `isLate` detects this in the answer, and then a new ticket is tried.
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

test('410 UPLOAD_EXPIRED: an upload or import after the expiry, if nothing was uploaded in time', async () => {
  const { ticket, answer } = await withOpenTicket({ body: 'late', isLate: isExpired }, ({ fileId }) =>
    request('importFile', { fileId }),
  );
  expectRefusal(answer, 409, 'FILE_NOT_UPLOADED');
  await untilPast(ticket.expiresAt);
  expectRefusal(await upload(ticket, 'late'), 410, 'UPLOAD_EXPIRED');
  expectRefusal(await request('importFile', { fileId: ticket.fileId }), 410, 'UPLOAD_EXPIRED');
});

test('200: a file that was uploaded in time can be imported after the expiry, but not replaced', async () => {
  const { ticket, answer } = await withOpenTicket({ body: 'intime', isLate: isExpired }, (open) =>
    upload(open, 'intime'),
  );
  expect(answer.status).toBe(200);
  await untilPast(ticket.expiresAt);
  expectRefusal(await upload(ticket, 'toolate'), 410, 'UPLOAD_EXPIRED');
  const { id } = await api.importFile(ticket.fileId);
  expect((await untilFinal(api, id)).status).toBe('processed');
  const [found] = await api.query({ query: 'intime' });
  expect(found?.content).toBe('intime');
  await api.deleteDocument(id);
});

test('403 STORAGE_LIMIT_EXCEEDED: a ticket reserves its bytes until it expires, and no longer', async () => {
  const all = { knowledgeBaseId, fileName: 'ten.txt', size: 10 };
  const presignAgain = () => request('presignUploadUrl', all);
  const isLate = ({ status }: Answer) => status === 200;
  const { ticket, answer } = await withOpenTicket({ body: 'x'.repeat(10), isLate }, presignAgain);
  expectRefusal(answer, 403, 'STORAGE_LIMIT_EXCEEDED');
  await untilPast(ticket.expiresAt);
  await api.presignUploadUrl(all);
});
