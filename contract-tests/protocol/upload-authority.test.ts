/** Upload addresses: the signature in them is the authority, for one file, one size, one method and one time. */
import { basename } from 'node:path';
import { expect, inject, test } from 'vitest';
import { requestRoute } from '../harness/calling.ts';
import { requireContract } from '../harness/contract-check.ts';
import { exchange } from '../harness/exchange.ts';
import { expectRefusal } from '../harness/expect-refusal.ts';
import { readFuzzSettings } from '../harness/fuzz/fuzz.ts';
import { openAccount } from '../harness/opened-account.ts';
import { parseAnswers, sendSlices } from '../harness/raw-socket.ts';
import { pathOf, upload } from '../harness/uploading.ts';
import { type Forgery, forgeAddress } from './forged-addresses.ts';

const { api, request, apiKey } = await openAccount();
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Uploads' });
const newTicket = () => api.presignUploadUrl({ knowledgeBaseId, fileName: 'note.txt', size: 9 });

type Bend = (url: URL, other: URL) => unknown;

const setParameter =
  (name: string, value: string): Bend =>
  ({ searchParams }) =>
    searchParams.set(name, value);

const setPath =
  (pathname: string): Bend =>
  (url) =>
    Object.assign(url, { pathname });

/** Every way in which an address can be bent; `other` is a good address of the same account. */
const BENT: Record<string, Bend> = {
  'another size': setParameter('size', '10'),
  'a size that is no number': setParameter('size', '9e0'),
  'a later expiry': setParameter('expires', String(Date.now() + 86_400_000)),
  'a negative expiry': setParameter('expires', '-1'),
  'an expiry without end': setParameter('expires', '9'.repeat(400)),
  'no signature': ({ searchParams }) => searchParams.delete('signature'),
  'an empty signature': setParameter('signature', ''),
  'a signature of the right length': setParameter('signature', 'A'.repeat(43)),
  'half a signature': ({ searchParams }) =>
    searchParams.set('signature', searchParams.get('signature')?.slice(0, 20) ?? ''),
  'a signature in the other case': ({ searchParams }) =>
    searchParams.set('signature', searchParams.get('signature')?.toUpperCase() ?? ''),
  'the signature of another file': ({ searchParams }, other) =>
    searchParams.set('signature', other.searchParams.get('signature') ?? ''),
  'the path of another file': (url, { pathname }) => setPath(pathname)(url, url),
  'no parameters': (url) => Object.assign(url, { search: '' }),
  'its parameters in another order': ({ searchParams }) => searchParams.sort(),
  'a parameter more': ({ searchParams }) => searchParams.append('a', 'b'),
  'its size with a zero before it': setParameter('size', '09'),
  'a path in the other case': (url) => setPath(`/uploads/${basename(url.pathname).toUpperCase()}`)(url, url),
  'a path that climbs': setPath('/uploads/..%2f..%2fetc%2fpasswd'),
  'a path with U+0000': setPath('/uploads/a%00'),
  'a path with broken escapes': setPath('/uploads/%E0%A4%A'),
  'an endless path': setPath(`/uploads/${'a'.repeat(4000)}`),
};

test.each(Object.entries(BENT))(
  '401 UNAUTHORIZED: an address with %s, by the same bytes',
  async (_, bend) => {
    const [ticket, other] = [await newTicket(), await newTicket()];
    const url = new URL(ticket.uploadUrl);
    bend(url, new URL(other.uploadUrl));
    const answer = await upload({ uploadUrl: url.href }, 'evil note');
    expectRefusal(answer, 401, 'UNAUTHORIZED');
    expect(answer.text).toBe((await requestRoute({ method: 'PUT', path: '/uploads/x' })).text);
    for (const { fileId } of [ticket, other]) {
      expectRefusal(await request('importFile', { fileId }), 409, 'FILE_NOT_UPLOADED');
    }
  },
);

/** As many on one connection, one behind the other. */
const PIPELINE = 100;

/** What `PUT`s of these bytes to forged addresses are answered by, each as `method path status`. */
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

/** By the signature, the path, the method, or as no URL at all. */
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
      forgeAddress(own, others, { seed, index: index + offset }),
    );
    accepted.push(...(await sendForgeries(forgeries)).filter((line) => !REFUSED.test(line)));
  }
  expect(accepted.slice(0, 5), `${accepted.length} were accepted`).toEqual([]);
  for (const { fileId } of [ticket, other])
    expectRefusal(await request('importFile', { fileId }), 409, 'FILE_NOT_UPLOADED');
  // The addresses themselves are good to the end.
  for (const each of [ticket, other]) expect((await upload(each, 'some note')).status).toBe(200);
});

test('401 UNAUTHORIZED: a key is no replacement for the signature', async () => {
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

test('204: a CORS preflight of any origin is answered; the bytes may then come from there', async () => {
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
  const taken = await upload({ uploadUrl }, 'some note', { origin: 'https://page.example' });
  expect(taken.headers['access-control-allow-origin']).toBe('*');
  expect(taken.headers['access-control-expose-headers']).toContain('x-request-id');
  const refused = await upload({ uploadUrl }, 'too long a note', { origin: 'https://page.example' });
  expectRefusal(refused, 422, 'INPUT_VALIDATION_FAILED');
  expect(refused.headers['access-control-allow-origin']).toBe('*');
});

test('200: an absolute request target is the same address; a strange one is refused, not a fault', async () => {
  const { uploadUrl } = await newTicket();
  expect((await requestRoute({ method: 'PUT', path: uploadUrl, body: 'some note' })).status).toBe(200);
  const strange = await requestRoute({
    method: 'PUT',
    path: 'http://host:99999/uploads/x',
    body: 'some note',
  });
  expect(strange.status).toBeGreaterThanOrEqual(400);
  expect(strange.status).toBeLessThan(500);
});

test('404 FILE_NOT_FOUND: a good address of a knowledge base that is deleted', async () => {
  const { id } = await api.createKnowledgeBase({ name: 'Deleted' });
  const ticket = await api.presignUploadUrl({ knowledgeBaseId: id, fileName: 'a.txt', size: 9 });
  await api.deleteKnowledgeBase(id);
  expectRefusal(await upload(ticket, 'some note'), 404, 'FILE_NOT_FOUND');
});
