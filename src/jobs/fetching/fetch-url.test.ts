/** Imports by address: versions, servers that change or fail, and workers that die in the middle. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Origin, type Respond, startOrigin } from '../../outbound/fetching/testing/origin.ts';
import { startTestService, type TestService } from '../../serve/testing/test-service.ts';
import { parseDocumentId } from '../../terms/ids.ts';
import { importFile } from '../importing/import-file.ts';
import { enqueueMissingJobs } from '../missing-jobs.ts';
import { attempt } from '../testing/attempt.ts';
import { RetryLater } from '../workers.ts';
import { fetchUrl } from './fetch-url.ts';

let running: TestService;
let knowledgeBaseId: string;
let respond: Respond;
let origin: Origin;
beforeAll(async () => {
  running = await startTestService({
    runsWorkers: false,
    settings: { IMPORT_PRIVATE_NETWORKS: '127.0.0.1' },
  });
});
afterAll(() => running.close());
beforeEach(async () => {
  knowledgeBaseId = String((await running.call('createKnowledgeBase', { name: 'addresses' })).body.data.id);
  origin = await startOrigin((request, response, n) => respond(request, response, n));
});
afterEach(() => origin.close());

const call = (operation: string, body?: unknown) => running.call(operation, body);
const urlOf = (path = '/heron.txt') => `${origin.url}${path}`;

async function importPending(fields: object = {}, url = urlOf()): Promise<string> {
  const { status, body } = await call('importUrl', { knowledgeBaseId, url, ...fields });
  expect(body).toMatchObject({ success: true });
  expect(status).toBe(200);
  return String(body.data.id);
}

const fetchFile = (id: string, isLastTry = false) => fetchUrl(running.service, { ...attempt(id), isLastTry });
const read = (id: string) => importFile(running.service, attempt(id));
const statusOf = async (id: string) => (await call(`getDocumentStatus?documentId=${id}`)).body.data;

/** Imports an address, and runs both jobs. */
async function importWhole(fields: object = {}, url = urlOf()): Promise<string> {
  const id = await importPending(fields, url);
  await fetchFile(id);
  await read(id);
  return id;
}

const listAll = async () => {
  const { body } = await call(`listDocuments?knowledgeBaseId=${knowledgeBaseId}`);
  return body.data as unknown as Record<string, unknown>[]; // the call is typed for objects
};
const textOf = async (id: string) => (await call(`getDocumentContent?documentId=${id}`)).body.data.text;
const jobsOf = async (id: string) =>
  (
    await running.service.database
      .selectFrom('knowledge_jobs')
      .select(['queue', 'started_at'])
      .where('document_id', '=', parseDocumentId(id, undefined).id)
      .where('ended_at', 'is', null)
      .execute()
  ).map(({ queue }) => queue);

const answer =
  (text: string | Buffer, headers: Record<string, string> = {}): Respond =>
  (_, response) =>
    response.writeHead(200, headers).end(text);

test('a file is fetched, then read; its document is pending until then, and has its size', async () => {
  respond = answer('The heron waits.');
  const id = await importPending();
  expect(await jobsOf(id)).toEqual(['fetch-url']);
  await fetchFile(id);
  expect(await jobsOf(id)).toEqual(['import-file']);
  expect(await statusOf(id)).toMatchObject({ status: 'pending' });
  await read(id);
  expect(await statusOf(id)).toMatchObject({ status: 'processed' });
  expect(await listAll()).toMatchObject([
    { id, title: 'heron.txt', type: 'txt', size: 16, sourceUrl: urlOf(), externalId: urlOf() },
  ]);
  const { body } = await call(`getKnowledgeBase?knowledgeBaseId=${knowledgeBaseId}`);
  expect(body.data.storageUsed).toBe(16 + 2 * urlOf().length);
});

test('a title is kept; without one the name comes with the file, unless the user has renamed it', async () => {
  respond = answer('The heron waits.', { 'content-disposition': 'attachment; filename="report.md"' });
  const [titled, named, renamed] = [
    await importPending({ title: 'Herons', externalId: 'a' }),
    await importPending({ externalId: 'b' }),
    await importPending({ externalId: 'c' }),
  ];
  await call('updateDocument', { documentId: renamed, title: 'My herons' });
  for (const id of [titled, named, renamed]) {
    await fetchFile(id);
    await read(id);
  }
  const titles = Object.fromEntries((await listAll()).map(({ externalId, title }) => [externalId, title]));
  expect(titles).toEqual({ a: 'Herons', b: 'report.md', c: 'My herons' });
});

const titles = async () => (await listAll()).map(({ title }) => title);
const page = (title: string) =>
  `<html><head><title>${title}</title></head><body><p>It waits.</p></body></html>`;

test('a page without a given title has its own, also where the next version has another one', async () => {
  respond = answer(page(' The grey\n heron &amp; others '), { 'content-type': 'text/html' });
  const first = await importWhole({}, urlOf('/birds/heron'));
  expect(await titles()).toEqual(['The grey heron & others']);
  const unchanged = await importPending({}, urlOf('/birds/heron'));
  await fetchFile(unchanged);
  expect(await statusOf(unchanged)).toMatchObject({ id: first, unchanged: true });
  respond = answer(page('H'.repeat(400)), { 'content-type': 'text/html' });
  await importWhole({}, urlOf('/birds/heron'));
  expect(await titles()).toEqual(['H'.repeat(256)]);
  const { body } = await call('query', { query: 'H'.repeat(256), knowledgeBaseIds: [knowledgeBaseId] });
  expect(body.data).toHaveLength(1);
});

test('a page keeps a title that it was given, and is named by its address where it has none', async () => {
  respond = answer(page('Heron'), { 'content-type': 'text/html' });
  await importWhole({ title: 'Mine' });
  expect(await titles()).toEqual(['Mine']);
  respond = answer(page('  '), { 'content-type': 'text/html' });
  await importWhole({}, urlOf());
  expect(await titles()).toEqual(['heron.txt']);
});

/** In a few words of KOI8-R no look at the bytes tells the encoding: as windows-1251 they are Russian letters too. */
const KOI8_R = Buffer.from('e3c1d0ccd120d6c4a3d42e', 'hex');

test.each([
  ['a text', '/a.txt', 'text/plain', KOI8_R],
  ['a page', '/a', 'text/html', Buffer.concat([Buffer.from('<p>'), KOI8_R])],
  ['a table', '/a.csv', 'text/csv', KOI8_R],
])('%s is read by the encoding that its server names', async (_, path, type, bytes) => {
  respond = answer(bytes, { 'content-type': `${type}; charset=KOI8-R` });
  expect(await textOf(await importWhole({}, urlOf(path)))).toContain('Цапля ждёт.');
});

test('an encoding that is unknown, or not that of the bytes, is left aside', async () => {
  const bytes = Buffer.from('Die Vögel fliegen über die Dächer der Häuser.');
  for (const charset of ['made-up', 'iso-8859-1', 'utf-16']) {
    respond = answer(bytes, { 'content-type': `text/plain; charset=${charset}` });
    expect(await textOf(await importWhole({ externalId: charset }))).toBe(bytes.toString());
  }
});

test.each([
  ['ETag', { etag: '"v1"' }, 'if-none-match'],
  ['Last-Modified alone', { 'last-modified': 'Thu, 15 Jan 2026 09:28:41 GMT' }, 'if-modified-since'],
])(
  'the same version by %s makes nothing new: the new id leads to the document',
  async (_, headers, asked) => {
    respond = (request, response) =>
      request.headers[asked] === undefined
        ? response.writeHead(200, headers).end('The heron waits.')
        : response.writeHead(304).end();
    const first = await importWhole();
    const second = await importPending({ attributes: { year: 2026 } });
    await fetchFile(second);
    expect(await statusOf(second)).toMatchObject({ id: first, status: 'processed', unchanged: true });
    expect(await statusOf(first)).not.toHaveProperty('unchanged');
    expect(await listAll()).toMatchObject([{ id: first, attributes: { year: 2026 } }]);
    expect((await call(`getDocument?documentId=${second}`)).body.errorCode).toBe('DOCUMENT_NOT_FOUND');
    await call('deleteDocument', { documentId: first });
    expect((await call(`getDocumentStatus?documentId=${second}`)).body.errorCode).toBe('DOCUMENT_NOT_FOUND');
  },
);

test('the same bytes make nothing new, also where the server names no version', async () => {
  respond = answer('The heron waits.');
  const first = await importWhole();
  const second = await importPending();
  await fetchFile(second);
  expect(await statusOf(second)).toMatchObject({ id: first, unchanged: true });
  const third = await importPending({ ifUnchanged: 'replace' });
  await fetchFile(third);
  await read(third);
  expect(await statusOf(third)).toMatchObject({ id: third, status: 'processed' });
  expect((await listAll()).map(({ id }) => id)).toEqual([third]);
});

test('another version replaces the document, and so does another title', async () => {
  respond = (_, response, n) =>
    response.writeHead(200, { etag: `"${n}"` }).end(`The heron waits ${n} times.`);
  const first = await importWhole();
  const second = await importWhole();
  expect(origin.received.at(-1)?.headers['if-none-match']).toBe('"0"');
  expect(await listAll()).toMatchObject([{ id: second, replaces: first }]);
  expect(await textOf(second)).toBe('The heron waits 1 times.');
  const titled = await importWhole({ title: 'Herons' });
  expect(origin.received.at(-1)?.headers).not.toHaveProperty('if-none-match');
  expect(await listAll()).toMatchObject([{ id: titled, title: 'Herons' }]);
});

test('the version of another address under the same id is not asked for', async () => {
  respond = (request, response) => response.writeHead(200, { etag: '"1"' }).end(`At ${request.url}.`);
  await importWhole({ externalId: 'heron' }, urlOf('/a.txt'));
  const second = await importWhole({ externalId: 'heron' }, urlOf('/b.txt'));
  expect(origin.received.at(-1)?.headers).not.toHaveProperty('if-none-match');
  expect(await textOf(second)).toBe('At /b.txt.');
});

test('a failure that may pass is tried again, fails the document at the last try; the earlier one stays', async () => {
  respond = answer('The heron waits.');
  const first = await importWhole();
  respond = (_, response) => response.writeHead(429, { 'retry-after': '7' }).end();
  const second = await importPending();
  await expect(fetchFile(second)).rejects.toThrow(RetryLater);
  await expect(fetchFile(second)).rejects.toMatchObject({ afterSeconds: 7 });
  expect(await statusOf(second)).toMatchObject({ status: 'pending' });
  await fetchFile(second, true);
  const error = { code: 'URL_UNREACHABLE', message: expect.stringContaining('status 429') };
  expect(await statusOf(second)).toMatchObject({ status: 'failed', error });
  expect(await statusOf(first)).toMatchObject({ status: 'processed' });
  respond = answer('The heron flies.');
  expect((await call('retryDocument', { documentId: second })).body.data.status).toBe('pending');
  expect(await jobsOf(second)).toEqual(['fetch-url']);
  await fetchFile(second);
  await read(second);
  expect(await listAll()).toMatchObject([{ id: second, replaces: first }]);
});

test.each([
  [404, 'URL_NOT_FOUND'],
  [410, 'URL_NOT_FOUND'],
  [403, 'URL_REFUSED'],
])('status %i fails the document at once', async (status, code) => {
  respond = (_, response) => response.writeHead(status).end();
  const id = await importPending();
  await fetchFile(id);
  expect(await statusOf(id)).toMatchObject({ status: 'failed', error: { code } });
});

test('a redirect into the network fails the document', async () => {
  respond = (_, response) => response.writeHead(302, { location: 'http://127.0.0.2/' }).end();
  const id = await importPending();
  await fetchFile(id);
  expect(await statusOf(id)).toMatchObject({ status: 'failed', error: { code: 'URL_NOT_ALLOWED' } });
});

test('a format that is not read fails as an uploaded file does, and is read again without another fetch', async () => {
  respond = answer('\u0000\u0001\u0002'.repeat(100));
  const id = await importWhole({}, urlOf('/tool.exe'));
  expect(await statusOf(id)).toMatchObject({ status: 'failed', error: { code: 'UNSUPPORTED_FILE_TYPE' } });
  await call('retryDocument', { documentId: id });
  expect(await jobsOf(id)).toEqual(['import-file']);
});

test('a worker that dies while it fetches, or after it: another one goes on, and there is one document', async () => {
  respond = answer('The heron waits.');
  const id = await importPending();
  const { files } = running.service;
  const dying = { ...files, write: () => Promise.reject(new Error('the process is killed')) };
  await expect(fetchUrl({ ...running.service, files: dying }, attempt(id))).rejects.toThrow('killed');
  await fetchFile(id);
  await fetchFile(id); // its answer was lost
  await read(id);
  expect(await listAll()).toMatchObject([{ id, status: 'processed' }]);
  const rows = await running.service.database
    .selectFrom('files')
    .select('object_name')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .execute();
  expect(rows).toHaveLength(1);
});

test('documents without jobs, as of a restored backup, are fetched or read', async () => {
  respond = answer('The heron waits.');
  const [fetched, unfetched] = [await importPending({ externalId: 'a' }), await importPending()];
  await fetchFile(fetched);
  await running.service.database
    .deleteFrom('knowledge_jobs')
    .where('knowledge_base_id', '=', knowledgeBaseId)
    .execute();
  await enqueueMissingJobs(running.service.database);
  expect([await jobsOf(fetched), await jobsOf(unfetched)]).toEqual([['import-file'], ['fetch-url']]);
});

test('a document that is deleted while its file arrives leaves nothing', async () => {
  const id = await importPending();
  let response: Parameters<Respond>[1] | undefined;
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  respond = (_, given) => {
    given.writeHead(200).write('The heron ');
    response = given;
    resolve();
  };
  const fetching = fetchFile(id);
  await asked;
  await call('deleteDocument', { documentId: id });
  response?.end('waits.');
  await fetching;
  expect(await listAll()).toEqual([]);
  const left = await running.service.files.listObjects(knowledgeBaseId)[Symbol.asyncIterator]().next();
  expect(left.done).toBe(true);
});

test('two imports of one address at once: the later one stays, in whatever order they end', async () => {
  respond = (_, response, n) => response.end(`The heron waits ${n} times.`);
  const [first, second] = [await importPending(), await importPending()];
  await Promise.all([fetchFile(second), fetchFile(first)]);
  await read(second);
  await read(first);
  expect((await listAll()).map(({ id }) => id)).toEqual([second]);
});

test('a file beyond the storage limit fails its document, and nothing of it stays', async () => {
  const { database } = running.service;
  const limit = (bytes: number | null) =>
    database.updateTable('accounts').set({ storage_limit_bytes: bytes }).execute();
  respond = answer('x'.repeat(100_000));
  const id = await importPending();
  const { body } = await call('getUsage');
  await limit(Number(body.data.storageUsed) + 1_000);
  await fetchFile(id).finally(() => limit(null));
  const error = { code: 'STORAGE_LIMIT_EXCEEDED', message: expect.stringContaining('Delete something') };
  expect(await statusOf(id)).toMatchObject({ status: 'failed', error });
  const left = await running.service.files.listObjects(knowledgeBaseId)[Symbol.asyncIterator]().next();
  expect(left.done).toBe(true);
});

test('a store that is unreachable is waited for; the file is not fetched again', async () => {
  respond = answer('The heron waits.');
  const id = await importPending();
  const { files } = running.service;
  let looks = 0;
  const write: typeof files.write = async (...object) => {
    if (looks === 0) throw new Error(`the store is away ${randomUUID()}`);
    return await files.write(...object);
  };
  const isStoreAvailable = async () => ++looks > 2;
  await fetchUrl({ ...running.service, files: { ...files, write }, isStoreAvailable }, attempt(id));
  expect(await jobsOf(id)).toEqual(['import-file']);
  expect(origin.received).toHaveLength(1);
});
