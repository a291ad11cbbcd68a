/** Upload addresses: the signature permits one file, one size, one method, and a limited time. */
import { basename } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createCaller } from '../../../src/contract-check/requests/calling.ts';
import { exchange } from '../../../src/contract-check/requests/exchange.ts';
import { expectRefusal } from '../../harness/calls/expect-refusal.ts';
import { requestRoute } from '../../harness/calls/request-route.ts';
import { bytesOf, pathOf, upload } from '../../harness/calls/uploading.ts';
import { readFuzzSettings } from '../../harness/fuzz/fuzz.ts';
import { runCommand } from '../../harness/service/command-line.ts';
import { createKey, openAccount } from '../../harness/service/opened-account.ts';
import { CHANGES, type Change, findAcceptedForgeries, setParameter, setPath } from './forged-addresses.ts';

const account = await openAccount();
const { api, request, apiKey } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Uploads' });
const newTicket = () => api.presignUploadUrl({ knowledgeBaseId, fileName: 'note.txt', size: 9 });

/** Each key describes the changed address. */
const CHANGES_OF_UPLOADS: Record<string, Change> = {
  'another size': setParameter('size', '10'),
  'a size that is no number': setParameter('size', '9e0'),
  'an empty signature': setParameter('signature', ''),
  'half a signature': ({ searchParams }) =>
    searchParams.set('signature', searchParams.get('signature')?.slice(0, 20) ?? ''),
  'a signature in upper case': ({ searchParams }) =>
    searchParams.set('signature', searchParams.get('signature')?.toUpperCase() ?? ''),
  'a size with a zero before it': setParameter('size', '09'),
  'a path in upper case': (url) => setPath(`/uploads/${basename(url.pathname).toUpperCase()}`)(url, url),
  'a path to a parent folder': setPath('/uploads/..%2f..%2fetc%2fpasswd'),
  'a path with U+0000': setPath('/uploads/a%00'),
  'a path with broken escapes': setPath('/uploads/%E0%A4%A'),
  'a path of 4000 characters': setPath(`/uploads/${'a'.repeat(4000)}`),
};

test.each(Object.entries({ ...CHANGES, ...CHANGES_OF_UPLOADS }))(
  '401 UNAUTHORIZED: an address with %s is answered like any other wrong address',
  async (_, change) => {
    const [ticket, other] = [await newTicket(), await newTicket()];
    const url = new URL(ticket.uploadUrl);
    change(url, new URL(other.uploadUrl));
    const answer = await upload({ uploadUrl: url.href }, 'evil note');
    expectRefusal(answer, 401, 'UNAUTHORIZED');
    expect(answer.text).toBe((await requestRoute({ method: 'PUT', path: '/uploads/x' })).text);
    for (const { fileId } of [ticket, other]) {
      expectRefusal(await request('importFile', { fileId }), 409, 'FILE_NOT_UPLOADED');
    }
  },
);

const fuzz = readFuzzSettings(2_000);

test(`${fuzz.count} forged upload addresses of seed ${fuzz.seed}: none is accepted, and nothing is stored`, {
  timeout: 300_000,
}, async () => {
  const [ticket, other] = [await newTicket(), await newTicket()];
  const [own, others] = [pathOf(ticket.uploadUrl), pathOf(other.uploadUrl)];
  const accepted = await findAcceptedForgeries([own, others], { method: 'PUT', body: 'evil note' }, fuzz);
  expect(accepted.slice(0, 5), `${accepted.length} were accepted`).toEqual([]);
  for (const { fileId } of [ticket, other])
    expectRefusal(await request('importFile', { fileId }), 409, 'FILE_NOT_UPLOADED');
  // The real addresses still work.
  for (const each of [ticket, other]) expect((await upload(each, 'some note')).status).toBe(200);
});

test('401 UNAUTHORIZED: a key does not replace the signature', async () => {
  const { fileId } = await newTicket();
  const sent = {
    method: 'PUT',
    path: `/uploads/${fileId}`,
    headers: { 'x-api-key': apiKey },
    body: 'evil note',
  };
  expectRefusal(await requestRoute(sent), 401, 'UNAUTHORIZED');
});

test.each(['GET', 'POST', 'PATCH', 'DELETE'])(
  '405 METHOD_NOT_ALLOWED: %s to a good address',
  async (method) => {
    const { uploadUrl } = await newTicket();
    const answer = await requestRoute({ method, path: pathOf(uploadUrl) });
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.body).toMatchObject({ message: 'This address takes PUT.' });
    expect(answer.headers.allow?.split(', ').toSorted()).toEqual(['OPTIONS', 'PUT']);
  },
);

test('204: a CORS preflight from any origin is answered, and allows the upload', async () => {
  const { uploadUrl } = await newTicket();
  const headers = {
    origin: 'https://page.example',
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'content-type',
  };
  const preflight = await exchange(inject('address'), {
    method: 'OPTIONS',
    path: pathOf(uploadUrl),
    headers,
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'PUT',
    'access-control-allow-headers': 'content-type',
  });
  const accepted = await upload({ uploadUrl }, 'some note', { origin: 'https://page.example' });
  expect(accepted.headers['access-control-allow-origin']).toBe('*');
  expect(accepted.headers['access-control-expose-headers']).toContain('x-request-id');
  const refused = await upload({ uploadUrl }, 'too long a note', { origin: 'https://page.example' });
  expectRefusal(refused, 422, 'INPUT_VALIDATION_FAILED');
  expect(refused.headers['access-control-allow-origin']).toBe('*');
});

test('200: an absolute request target is the same address; one that is no URL gets a 4xx', async () => {
  const { uploadUrl } = await newTicket();
  expect((await requestRoute({ method: 'PUT', path: uploadUrl, body: 'some note' })).status).toBe(200);
  const invalid = await requestRoute({
    method: 'PUT',
    path: 'http://host:99999/uploads/x',
    body: 'some note',
  });
  expect(invalid.status).toBeGreaterThanOrEqual(400);
  expect(invalid.status).toBeLessThan(500);
});

test('404 FILE_NOT_FOUND: a good address whose knowledge base has been deleted', async () => {
  const { id } = await api.createKnowledgeBase({ name: 'Deleted' });
  const ticket = await api.presignUploadUrl({ knowledgeBaseId: id, fileName: 'a.txt', size: 9 });
  await api.deleteKnowledgeBase(id);
  expectRefusal(await upload(ticket, 'some note'), 404, 'FILE_NOT_FOUND');
});

test('404 FILE_NOT_FOUND: after its key is revoked', async () => {
  const key = await createKey(account.name);
  const caller = createCaller({ address: inject('address'), apiKey: key });
  const ticket = await caller.api.presignUploadUrl({ knowledgeBaseId, fileName: 'note.txt', size: 9 });
  expect((await upload(ticket, bytesOf('123456789'))).status).toBe(200);
  await runCommand(inject('dataDirectory'), 'keys', 'revoke', key.split('_')[1] ?? '');
  const send = () => upload(ticket, bytesOf('987654321'));
  await expect.poll(async () => (await send()).status).toBe(404);
  expectRefusal(await send(), 404, 'FILE_NOT_FOUND');
});
