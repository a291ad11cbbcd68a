/** Upload addresses: the signature permits one file, one size, one method, and a limited time. */
import { basename } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createCaller } from '../harness/calling.ts';
import { runCommand } from '../harness/command-line.ts';
import { requireContract } from '../harness/contract-check.ts';
import { exchange } from '../harness/exchange.ts';
import { expectRefusal } from '../harness/expect-refusal.ts';
import { readFuzzSettings } from '../harness/fuzz/fuzz.ts';
import { createKey, openAccount } from '../harness/opened-account.ts';
import { parseAnswers, sendSlices } from '../harness/raw-socket.ts';
import { requestRoute } from '../harness/request-route.ts';
import { bytesOf, pathOf, upload } from '../harness/uploading.ts';
import { type Forgery, forgeAddress } from './forged-addresses.ts';

const account = await openAccount();
const { api, request, apiKey } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Uploads' });
const newTicket = () => api.presignUploadUrl({ knowledgeBaseId, fileName: 'note.txt', size: 9 });

/** Changes `url`. `other` is another good address of the same account. */
type Change = (url: URL, other: URL) => unknown;

const setParameter =
  (name: string, value: string): Change =>
  ({ searchParams }) =>
    searchParams.set(name, value);

const setPath =
  (pathname: string): Change =>
  (url) =>
    Object.assign(url, { pathname });

/** Each key describes the changed address. */
const CHANGES: Record<string, Change> = {
  'another size': setParameter('size', '10'),
  'a size that is no number': setParameter('size', '9e0'),
  'a later expiry': setParameter('expires', String(Date.now() + 86_400_000)),
  'a negative expiry': setParameter('expires', '-1'),
  'an expiry of 400 digits': setParameter('expires', '9'.repeat(400)),
  'no signature': ({ searchParams }) => searchParams.delete('signature'),
  'an empty signature': setParameter('signature', ''),
  'a signature of the right length': setParameter('signature', 'A'.repeat(43)),
  'half a signature': ({ searchParams }) =>
    searchParams.set('signature', searchParams.get('signature')?.slice(0, 20) ?? ''),
  'a signature in upper case': ({ searchParams }) =>
    searchParams.set('signature', searchParams.get('signature')?.toUpperCase() ?? ''),
  'the signature of another file': ({ searchParams }, other) =>
    searchParams.set('signature', other.searchParams.get('signature') ?? ''),
  'the path of another file': (url, { pathname }) => setPath(pathname)(url, url),
  'no parameters': (url) => Object.assign(url, { search: '' }),
  'its parameters in another order': ({ searchParams }) => searchParams.sort(),
  'an additional parameter': ({ searchParams }) => searchParams.append('a', 'b'),
  'a size with a zero before it': setParameter('size', '09'),
  'a path in upper case': (url) => setPath(`/uploads/${basename(url.pathname).toUpperCase()}`)(url, url),
  'a path to a parent folder': setPath('/uploads/..%2f..%2fetc%2fpasswd'),
  'a path with U+0000': setPath('/uploads/a%00'),
  'a path with broken escapes': setPath('/uploads/%E0%A4%A'),
  'a path of 4000 characters': setPath(`/uploads/${'a'.repeat(4000)}`),
};

test.each(Object.entries(CHANGES))(
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

/** The number of requests that are sent on one connection without waiting for answers. */
const PIPELINE = 100;

/** Sends the forged requests with a body. Returns each with its answer, as `method path status`. */
async function sendForgeries(forgeries: Forgery[]): Promise<string[]> {
  const bytes = forgeries.map(({ method, path }, index) => {
    const connection = index === forgeries.length - 1 ? 'close' : 'keep-alive';
    const headers = `Host: a\r\nContent-Length: 9\r\nConnection: ${connection}`;
    return `${method} ${path} HTTP/1.1\r\n${headers}\r\n\r\nevil note`;
  });
  const target = { address: inject('address'), timeoutMs: 30_000 };
  const answers = parseAnswers((await sendSlices([Buffer.from(bytes.join(''))], target)).received);
  for (const answer of answers) requireContract(undefined, answer);
  return forgeries.map(({ method, path }, index) => `${method} ${path} ${answers[index]?.status}`);
}

/** Refused for the signature, the path, the method, or because the target is no URL. */
const REFUSED = / (401|404|405|400)$/;
const { seed, from, count } = readFuzzSettings(10_000);

test(`${count} forged upload addresses of seed ${seed}: none is accepted, and nothing is stored`, {
  timeout: 300_000,
}, async () => {
  const [ticket, other] = [await newTicket(), await newTicket()];
  const [own, others] = [pathOf(ticket.uploadUrl), pathOf(other.uploadUrl)];
  const accepted: string[] = [];
  for (let index = from; index < from + count; index += PIPELINE) {
    const forgeries = Array.from({ length: Math.min(PIPELINE, from + count - index) }, (_, offset) =>
      forgeAddress(own, others, { method: 'PUT', seed, index: index + offset }),
    );
    accepted.push(...(await sendForgeries(forgeries)).filter((line) => !REFUSED.test(line)));
  }
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
  await expect.poll(async () => (await send()).status, { timeout: 5_000 }).toBe(404);
  expectRefusal(await send(), 404, 'FILE_NOT_FOUND');
});
