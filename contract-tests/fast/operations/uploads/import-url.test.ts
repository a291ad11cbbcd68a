/** importUrl, status by status. What servers may do to it is in src/outbound/fetching/ and src/jobs/fetching/. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { UNKNOWN_KNOWLEDGE_BASE_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
  expectSameRefusal,
} from '../../../harness/calls/expect-refusal.ts';
import { untilFinal } from '../../../harness/calls/uploading.ts';
import { testPromises } from '../../../harness/promises.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';
import { sharedService } from '../../../harness/shared/share.ts';

/** A web server on this machine with one page, whose text is its path. */
const pages = createServer((request, response) =>
  response
    .writeHead(200, { 'content-type': 'text/html', etag: `"${request.url}"` })
    .end(`<p>Page ${request.url}`),
).listen(0, '127.0.0.1');
await once(pages, 'listening');
afterAll(() => pages.close());
const site = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;

/** A service that may open the pages. */
const service = await sharedService({ IMPORT_PRIVATE_NETWORKS: '127.0.0.1' });
const { api } = await openAccount({}, service);
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Addresses' });

/** The account of the refused requests, at the tests' service with its default settings. */
const account = await openAccount();
const { request } = account;
const { id: refusingId } = await account.api.createKnowledgeBase({ name: 'Refused addresses' });
const refused = { knowledgeBaseId: refusingId, url: 'https://example.com/manual.pdf' };

testPromises('importUrl');

test('200: a page is fetched, read and found; it is cited by its address', async () => {
  const url = `${site}/herons`;
  const attributes = { year: 2026 };
  const sent = await api.importUrl({ knowledgeBaseId, url, title: 'Herons', attributes });
  expect(sent).toMatchObject({
    title: 'Herons',
    status: 'pending',
    size: 0,
    sourceUrl: url,
    externalId: url,
  });
  expect(await untilFinal(api, sent.id)).toMatchObject({ id: sent.id, status: 'processed' });
  const [found] = await api.query({ query: 'herons', knowledgeBaseIds: [knowledgeBaseId] });
  expect(found).toMatchObject({ document_id: sent.id, title: 'Herons', sourceUrl: url, attributes });
  const again = await api.importUrl({ knowledgeBaseId, url });
  expect(again.replaces).toBe(sent.id);
  expect(await untilFinal(api, again.id)).toMatchObject({
    id: sent.id,
    status: 'processed',
    unchanged: true,
  });
});

test('200: accounts and knowledge bases have versions of their own of one address', async () => {
  const url = `${site}/shared`;
  const other = await openAccount({}, service);
  const { id: otherId } = await other.api.createKnowledgeBase({ name: 'Another account' });
  const mine = await api.importUrl({ knowledgeBaseId, url });
  await untilFinal(api, mine.id);
  const theirs = await other.api.importUrl({ knowledgeBaseId: otherId, url });
  expect(theirs).not.toHaveProperty('replaces');
  expect(await untilFinal(other.api, theirs.id)).toMatchObject({ id: theirs.id, status: 'processed' });
});

test('200: a repeated request with its Idempotency-Key makes one document; another body is refused', async () => {
  const mine = await openAccount({}, service);
  const { id } = await mine.api.createKnowledgeBase({ name: 'Keys' });
  const input = { knowledgeBaseId: id, url: `${site}/once` };
  const key = { 'idempotency-key': 'once' };
  const first = await mine.request('importUrl', input, key);
  expect((await mine.request('importUrl', input, key)).text).toBe(first.text);
  expectRefusal(
    await mine.request('importUrl', { ...input, title: 'Other' }, key),
    409,
    'IDEMPOTENCY_KEY_REUSED',
  );
  expect((await mine.api.listDocuments({ knowledgeBaseId: id })).data).toHaveLength(1);
});

test.each([
  ['a private network', 'http://10.0.0.1/'],
  ['this machine', 'http://localhost:8080/'],
  ['the metadata of a cloud', 'http://169.254.169.254/latest'],
  ['IPv6 of this machine', 'http://[::1]:8080/'],
  ['a password', 'https://user:password@example.com/'],
  ['a fragment', 'https://example.com/#part'],
  ['the port of another service', 'https://example.com:25/'],
  ['another protocol', 'ftp://example.com/'],
  ['no address', 'example.com'],
  ['a host that is none', 'http://[/'],
])('422 INPUT_VALIDATION_FAILED: %s', async (_, url) => {
  await expectNothingChanged(account, async () =>
    expectRefusedFields(await request('importUrl', { ...refused, url }), 'url'),
  );
});

test('422 INPUT_VALIDATION_FAILED: a long address needs an externalId', async () => {
  const url = `https://example.com/${'x'.repeat(300)}`;
  await expectNothingChanged(account, async () =>
    expectRefusedFields(await request('importUrl', { ...refused, url }), 'externalId'),
  );
  const { id } = await account.api.importUrl({ ...refused, url, externalId: 'long' });
  await account.api.deleteDocument(id);
});

test('404 KNOWLEDGE_BASE_NOT_FOUND: the same bytes for an unknown, malformed and deleted one', async () => {
  const { id: deleted } = await account.api.createKnowledgeBase({ name: 'Deleted' });
  await account.api.deleteKnowledgeBase(deleted);
  const ids = [UNKNOWN_KNOWLEDGE_BASE_ID, 'x'.repeat(36), deleted];
  const answers = await Promise.all(
    ids.map((id) => request('importUrl', { ...refused, knowledgeBaseId: id })),
  );
  expectSameRefusal(answers, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});

test('403 STORAGE_LIMIT_EXCEEDED: an address counts, as the source and the id of its document', async () => {
  const limited = await openAccount({ storageLimitBytes: 10 });
  const { id } = await limited.api.createKnowledgeBase({ name: 'Ten bytes' });
  await expectNothingChanged(limited, async () =>
    expectRefusal(
      await limited.request('importUrl', { ...refused, knowledgeBaseId: id }),
      403,
      'STORAGE_LIMIT_EXCEEDED',
    ),
  );
});
