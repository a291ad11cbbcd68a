/** Downloads from this service: what ends them, and how accounts share them. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createAccount, findFirstAccountId } from '../../database/rows/accounts.ts';
import { insertApiKey, revokeApiKey } from '../../database/rows/api-keys.ts';
import { formatDownloadPath } from '../../files/download-address.ts';
import type { StreamedDownloads } from '../../files/file-store.ts';
import { requireOriginal } from '../../files/files.ts';
import type { OpenService } from '../../serve/open-service.ts';
import { createServiceApp } from '../../serve/service-app.ts';
import { startTestService, type TestService } from '../../serve/testing/test-service.ts';
import { generateApiKey, readApiKey } from '../../terms/api-key.ts';
import { parseDocumentId } from '../../terms/ids.ts';
import { createAuthenticate } from '../access/authenticate.ts';
import { createDatabasePermits } from '../capacity/database-permits.ts';
import { drain, listen } from '../server/server.ts';
import { createOpenDownload } from './open-download.ts';

/** The files that downloads have opened. */
const opened: Readable[] = [];

/** The service's own store, which notes what it opens. */
function noteOpened({ files }: OpenService): Partial<OpenService> {
  const { open } = files.downloads as StreamedDownloads; // on disk
  const noted: StreamedDownloads['open'] = async (...part) => {
    const file = await open(...part);
    if (file !== undefined) opened.push(file);
    return file;
  };
  return { files: { ...files, downloads: { open: noted } } };
}

let suite: TestService;
beforeAll(async () => {
  suite = await startTestService({ change: noteOpened });
});
afterAll(() => suite.close());

/** An account with a key, of which no secret is kept. */
async function openAccount(name: string) {
  const { database } = suite.service;
  const accountId = await createAccount(database, name, 0);
  return { accountId, keyId: await createKeyOf(accountId) };
}

async function createKeyOf(accountId: string): Promise<string> {
  const key = generateApiKey();
  await insertApiKey(suite.service.database, key, { accountId, name: 'test' });
  return readApiKey(key)?.keyId ?? '';
}

/** Imports the bytes as a file of the first account, and moves its rows to another one if there is one. */
async function importFile(bytes: Buffer, owner?: string): Promise<string> {
  const { body: created } = await suite.call('createKnowledgeBase', { name: 'Files' });
  const path = `uploadFile?knowledgeBaseId=${created.data.id}&fileName=a.bin`;
  const { body } = await suite.call(path, bytes);
  const documentId = String(body.data.id);
  await suite.call(`getDocumentStatus?documentId=${documentId}&waitSeconds=30`);
  if (owner === undefined) return documentId;
  for (const table of ['documents', 'files'] as const)
    await suite.service.database
      .updateTable(table)
      .set({ account_id: owner })
      .where('knowledge_base_id', '=', String(created.data.id))
      .execute();
  return documentId;
}

const requireFirstAccount = async (): Promise<string> =>
  (await findFirstAccountId(suite.service.database)) ?? expect.fail('no account');

type Grant = Partial<Parameters<typeof formatDownloadPath>[1]> & { documentId: string };

/** The path of a download; by default of the first account, with a new key. */
async function pathOf({ documentId, ...given }: Grant): Promise<string> {
  const accountId = given.accountId ?? (await requireFirstAccount());
  const keyId = given.keyId ?? (await createKeyOf(accountId));
  const expiresAt = given.expiresAt ?? new Date(Date.now() + 60_000);
  return formatDownloadPath(suite.service.uploadSecret, { documentId, accountId, keyId, expiresAt });
}

/** Opens downloads without HTTP. */
function createOpener() {
  const { files, database } = suite.service;
  const open = createOpenDownload({
    ...suite.service,
    downloads: files.downloads as StreamedDownloads, // on disk
    limitRate: async () => {},
    findCaller: createAuthenticate(database).findCaller,
    withDatabasePermit: createDatabasePermits(),
  });
  const client = { closed: false, once: () => {}, off: () => {} };
  return async (grant: Grant) => await open({ target: await pathOf(grant), client });
}

const FIRST_BYTE = { start: 0, end: 0 };

test('410 DOWNLOAD_EXPIRED: after the expiry, by the clock of the database', async () => {
  const documentId = await importFile(Buffer.from('a'));
  const expiresAt = new Date(Date.now() - 1);
  await expect(createOpener()({ documentId, expiresAt })).rejects.toMatchObject({
    errorCode: 'DOWNLOAD_EXPIRED',
    status: 410,
  });
});

test('404 DOCUMENT_NOT_FOUND: a revoked key, and a document that is deleted before its file is opened', async () => {
  const documentId = await importFile(Buffer.from('a'));
  const keyId = await createKeyOf(await requireFirstAccount());
  await revokeApiKey(suite.service.database, keyId);
  const notFound = expect.objectContaining({ errorCode: 'DOCUMENT_NOT_FOUND' });
  await expect(createOpener()({ documentId, keyId })).rejects.toEqual(notFound);
  const download = await createOpener()({ documentId });
  await suite.call('deleteDocument', { documentId });
  await expect(download.open(FIRST_BYTE)).rejects.toEqual(notFound);
});

test('503 SERVICE_UNAVAILABLE: a file that the store lacks; another length than was stored is a fault', async () => {
  const documentId = await importFile(Buffer.from('abc'));
  const { files, database } = suite.service;
  const accountId = await requireFirstAccount();
  const { objectName } = await requireOriginal(database, {
    ...parseDocumentId(documentId, undefined),
    accountId,
  });
  const get = async () => (await fetch(suite.address + (await pathOf({ documentId })))).status;
  await files.put(objectName, Buffer.from('ab'));
  expect(await get()).toBe(500);
  await files.remove(objectName);
  expect(await get()).toBe(503);
});

test('one account with 64 downloads does not keep another one from its first', async () => {
  const { accountId, keyId } = await openAccount('other');
  const [mine, theirs] = [await importFile(Buffer.from('a')), await importFile(Buffer.from('b'), accountId)];
  const open = createOpener();
  const download = await open({ documentId: mine });
  const held = await Promise.all(Array.from({ length: 64 }, () => download.open(FIRST_BYTE)));
  const waiting = download.open(FIRST_BYTE);
  const isWaiting = () => Promise.race([waiting.then(() => false), Promise.resolve(true)]);
  const file = await (await open({ documentId: theirs, accountId, keyId })).open(FIRST_BYTE);
  expect(String(await buffer(file))).toBe('b');
  expect(await isWaiting()).toBe(true);
  for (const each of held) each.destroy();
  expect(String(await buffer(await waiting))).toBe('a');
});

test('a download below the minimum rate is cut off', async () => {
  const download = await createOpener()({ documentId: await importFile(randomBytes(160_000)) });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const file = await download.open({ start: 0, end: 159_999 });
    const failed = once(file, 'error');
    vi.advanceTimersByTime(39_999);
    expect(file.destroyed).toBe(false);
    vi.advanceTimersByTime(2);
    expect(file.destroyed).toBe(true);
    expect(String(await failed)).toContain('too slowly');
  } finally {
    vi.useRealTimers();
  }
});

/** More than the kernel buffers for a connection. */
const LARGE_BYTES = 32 * 1024 ** 2;

test('the file is closed when its client hangs up, or stops to read', async () => {
  const documentId = await importFile(Buffer.alloc(LARGE_BYTES));
  const app = await createServiceApp(suite.service);
  const { server, address } = await listen(app, { host: '127.0.0.1', port: 0, stallTimeoutMs: 500 });
  opened.length = 0;
  const stalled = connect(Number(new URL(address).port), '127.0.0.1');
  stalled.pause();
  stalled.write(`GET ${await pathOf({ documentId })} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const hangingUp = new AbortController();
  const response = await fetch(address + (await pathOf({ documentId })), { signal: hangingUp.signal });
  expect(response.status).toBe(200);
  await vi.waitUntil(() => opened.length === 2);
  hangingUp.abort();
  await vi.waitUntil(() => opened.every(({ closed }) => closed), { timeout: 60_000 });
  expect(opened.some(({ readableEnded }) => readableEnded)).toBe(false);
  stalled.destroy();
  await drain(server, 100);
});
