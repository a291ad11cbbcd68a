/** Download addresses: the signature permits one file, to read it, for a limited time, and not beyond its key. */
import { expect, inject, test } from 'vitest';
import { UNKNOWN_DOCUMENT_ID } from '../../../src/contract-check/planning/valid-inputs.ts';
import { createCaller } from '../../../src/contract-check/requests/calling.ts';
import { download } from '../../harness/calls/downloading.ts';
import { expectRefusal } from '../../harness/calls/expect-refusal.ts';
import { requestRoute } from '../../harness/calls/request-route.ts';
import { bytesOf, importBytes, pathOf, untilFinal } from '../../harness/calls/uploading.ts';
import { readFuzzSettings } from '../../harness/fuzz/fuzz.ts';
import { runCommand } from '../../harness/service/command-line.ts';
import { createKey, type KeyBounds, openAccount } from '../../harness/service/opened-account.ts';
import { CHANGES, type Change, findAcceptedForgeries, setParameter, setPath } from './forged-addresses.ts';

const account = await openAccount();
const { api, apiKey } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Downloads' });

async function importFile(text: string): Promise<string> {
  const { id } = await importBytes(api, { knowledgeBaseId, fileName: 'a.txt', bytes: bytesOf(text) });
  await untilFinal(api, id);
  return id;
}

const documentId = await importFile('My secret.');
const otherId = await importFile('Another secret.');

/** Each key describes the changed address. */
const CHANGES_OF_DOWNLOADS: Record<string, Change> = {
  'another account': setParameter('account', '0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f'),
  'another key': setParameter('key', '0123456789abcdef01234567'),
  'a path to a parent folder': setPath('/downloads/..%2f..%2fetc%2fpasswd'),
  'a path with U+0000': setPath('/downloads/a%00'),
};

test.each(Object.entries({ ...CHANGES, ...CHANGES_OF_DOWNLOADS }))(
  '401 UNAUTHORIZED: an address with %s is answered like any other wrong address',
  async (_, change) => {
    const [ticket, other] = [await api.presignDownloadUrl(documentId), await api.presignDownloadUrl(otherId)];
    const url = new URL(ticket.downloadUrl);
    change(url, new URL(other.downloadUrl));
    const answer = await download({ downloadUrl: url.href });
    expectRefusal(answer, 401, 'UNAUTHORIZED');
    expect(answer.text).toBe((await requestRoute({ method: 'GET', path: '/downloads/x' })).text);
  },
);

test('401 UNAUTHORIZED: a key does not replace the signature, nor does the address of an upload', async () => {
  const path = `/downloads/${documentId}`;
  const withKey = await requestRoute({ method: 'GET', path, headers: { 'x-api-key': apiKey } });
  expectRefusal(withKey, 401, 'UNAUTHORIZED');
  const ticket = await api.presignUploadUrl({ knowledgeBaseId, fileName: 'a.txt', size: 1 });
  const query = new URL(ticket.uploadUrl).search;
  expectRefusal(await requestRoute({ method: 'GET', path: path + query }), 401, 'UNAUTHORIZED');
});

const fuzz = readFuzzSettings(1_000);

test(`${fuzz.count} forged download addresses of seed ${fuzz.seed}: none is accepted`, {
  timeout: 300_000,
}, async () => {
  const tickets = [await api.presignDownloadUrl(documentId), await api.presignDownloadUrl(otherId)];
  const [own = '', others = ''] = tickets.map(({ downloadUrl }) => pathOf(downloadUrl));
  const accepted = await findAcceptedForgeries([own, others], { method: 'GET' }, fuzz);
  expect(accepted.slice(0, 5), `${accepted.length} were accepted`).toEqual([]);
  for (const ticket of tickets) expect((await download(ticket)).status).toBe(200);
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  '405 METHOD_NOT_ALLOWED: %s to a good address',
  async (method) => {
    const { downloadUrl } = await api.presignDownloadUrl(documentId);
    const answer = await requestRoute({ method, path: pathOf(downloadUrl) });
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.allow?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'OPTIONS']);
  },
);

/** An address that a new key of the account has requested, and the key. */
async function presignWithNewKey(id: string, bounds?: KeyBounds) {
  const key = await createKey(account.name, undefined, bounds);
  const caller = createCaller({ address: account.address, apiKey: key });
  return { key, caller, ticket: await caller.api.presignDownloadUrl(id) };
}

test('200: a key that only searches, bound to the knowledge base, gives out addresses', async () => {
  const { ticket } = await presignWithNewKey(documentId, {
    scope: 'search',
    knowledgeBaseIds: [knowledgeBaseId],
  });
  expect((await download(ticket)).text).toBe('My secret.');
});

test('404 DOCUMENT_NOT_FOUND: after its key is revoked, the same bytes as for an unknown document', async () => {
  const { key, ticket } = await presignWithNewKey(documentId);
  expect((await download(ticket)).status).toBe(200);
  await runCommand(inject('dataDirectory'), 'keys', 'revoke', key.split('_')[1] ?? '');
  await expect.poll(async () => (await download(ticket)).status).toBe(404);
  const unknown = await account.request('presignDownloadUrl', { documentId: UNKNOWN_DOCUMENT_ID });
  expect((await download(ticket)).text).toBe(unknown.text);
});

test('404 DOCUMENT_NOT_FOUND: after the document or its knowledge base is deleted', async () => {
  const deleted = await importFile('Deleted.');
  const first = await api.presignDownloadUrl(deleted);
  await api.deleteDocument(deleted);
  expectRefusal(await download(first), 404, 'DOCUMENT_NOT_FOUND');
  const { id } = await api.createKnowledgeBase({ name: 'Deleted' });
  const document = await importBytes(api, {
    knowledgeBaseId: id,
    fileName: 'a.txt',
    bytes: bytesOf('Gone.'),
  });
  const second = await api.presignDownloadUrl(document.id);
  await api.deleteKnowledgeBase(id);
  expectRefusal(await download(second), 404, 'DOCUMENT_NOT_FOUND');
});
