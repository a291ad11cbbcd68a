/**
 * What the first release has left works with this version: its database and files as they are, and its backup. Both
 * were recorded by that release's own code (README.md).
 */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, createCaller } from '../../../src/contract-check/requests/calling.ts';
import { exchange } from '../../../src/contract-check/requests/exchange.ts';
import { untilFinal } from '../../harness/calls/uploading.ts';
import { spawnCommand } from '../../harness/service/command-line.ts';
import { createDatabase, withDatabase } from '../../harness/service/service-database.ts';
import {
  environmentOf,
  makeEmbeddedDirectory,
  type RunningService,
  removeDataDirectory,
  startService,
} from '../../harness/service/service-process.ts';
import { searchEach, viewAccount } from './account-view.ts';
import { copyData, type Place, RENEW_TIMES, recorded, released, unpackData } from './released.ts';

const [first, tenant] = recorded.accounts;
if (first === undefined || tenant === undefined) throw new Error('answers.json has two accounts');

/** Restores the release's backup. The two secrets in DATA_DIR are in no backup: the operator keeps them. */
async function restoreBackup({ dataDirectory, databaseUrl }: Place): Promise<void> {
  const environment = environmentOf(dataDirectory, { DATABASE_URL: databaseUrl });
  const { output, complaints } = await spawnCommand(environment, 'restore', join(released, 'backup.tar.zst'));
  expect([output, complaints]).toEqual(['0 problems\n', expect.any(String)]);
  const kept = await makeEmbeddedDirectory();
  unpackData(kept);
  for (const name of ['api-key', 'upload-secret']) copyFileSync(join(kept, name), join(dataDirectory, name));
  await removeDataDirectory(kept);
}

describe.each([
  ['the database and files of 0.1.0', copyData],
  ['the backup of 0.1.0', restoreBackup],
])('%s', (_name, prepare) => {
  let place: Place;
  let drop: () => Promise<void>;
  let service: RunningService;
  let caller: Caller;
  let ofTenant: Caller;

  beforeAll(async () => {
    const database = await createDatabase(inject('dataDirectory'));
    drop = database.drop;
    place = { dataDirectory: await makeEmbeddedDirectory(), databaseUrl: database.url };
    await prepare(place);
    await withDatabase(place.databaseUrl, (client) => client.query(RENEW_TIMES));
    service = await startService(place.dataDirectory, {
      settings: { DATABASE_URL: place.databaseUrl, WORD_VECTORS: 'on' },
    });
    caller = createCaller(service);
    ofTenant = createCaller({ address: service.address, apiKey: tenant.apiKey });
  });

  afterAll(async () => {
    await service?.stop();
    await removeDataDirectory(place.dataDirectory);
    await drop();
  });

  test.each([first, tenant])(
    'balance, usage, knowledge bases, documents and passages are as recorded',
    async ({ apiKey, view }) => {
      // The import that was waiting goes on meanwhile.
      const { [recorded.unfinished.knowledgeBaseId]: _unfinished, ...documents } = view.documents;
      expect(await viewAccount({ address: service.address, apiKey })).toMatchObject({ ...view, documents });
    },
  );

  test.each([first, tenant])('every document is found by its own words', async ({ apiKey, searches }) => {
    const queries = searches.map(({ query }) => query);
    const found = await searchEach({ address: service.address, apiKey }, queries);
    // Which of a document's passages is the best one may differ between releases, as scores do.
    const documentsOf = (each: typeof found) =>
      each.map(({ query, found: { document_id } }) => [query, document_id]);
    expect(documentsOf(found)).toEqual(documentsOf(searches));
  });

  test('every file comes back byte for byte', async () => {
    for (const [name, documentId] of Object.entries(recorded.files)) {
      const { downloadUrl } = await caller.api.presignDownloadUrl(documentId);
      const bytes = Buffer.from(await (await fetch(downloadUrl)).arrayBuffer());
      expect(bytes.equals(readFileSync(join(import.meta.dirname, 'documents', name))), name).toBe(true);
    }
  });

  test('what was deleted or revoked stays so', async () => {
    const { documentId, knowledgeBaseId } = recorded.deleted;
    expect((await caller.request('getDocument', { documentId })).status).toBe(404);
    expect((await caller.request('listDocuments', { knowledgeBaseId })).status).toBe(404);
    for (const query of ['basilisk', 'cockatrice'])
      expect(await caller.api.query({ query, mode: 'words' })).toEqual([]);
    const { request } = createCaller({ address: service.address, apiKey: recorded.revokedKey });
    expect((await request('getBalance')).status).toBe(401);
  });

  test('a request that is repeated with its idempotency key gets its first answer', async () => {
    const { key, input, answer } = recorded.keyed;
    expect((await caller.request('importTextContent', input, { 'idempotency-key': key })).text).toBe(answer);
  });

  test('an upload address, an uploaded file and an import that waits lead to documents', async () => {
    const { ticket, uploadedFileId, pendingId } = recorded.unfinished;
    const sent = { method: 'PUT', path: ticket.path, body: ticket.content };
    expect((await exchange(service.address, sent)).status).toBe(200);
    const imported = [
      ['selkie', (await caller.api.importFile(ticket.fileId)).id],
      ['kelpie', (await caller.api.importFile(uploadedFileId)).id],
      ['wyvern', pendingId],
    ] as const;
    for (const [word, documentId] of imported) {
      expect((await untilFinal(caller.api, documentId)).status).toBe('processed');
      expect(await caller.api.query({ query: word })).toMatchObject([{ document_id: documentId }]);
    }
  });

  test('what is new works with old documents and accounts', async () => {
    const [documentId = ''] = Object.values(recorded.files);
    await caller.api.updateDocument({ documentId, attributes: { year: 2026 } });
    const filter = { type: 'eq', key: 'year', value: 2026 } as const;
    expect(await caller.api.query({ query: 'keeper', filter })).toMatchObject([{ document_id: documentId }]);
    await ofTenant.api.createKnowledgeBase({ name: 'The third' });
    expect((await ofTenant.request('createKnowledgeBase', { name: 'The fourth' })).status).toBe(403);
  });

  test('every passage gets a vector', async () => {
    const countMissing = async () => {
      const { rows } = await withDatabase(place.databaseUrl, (client) =>
        client.query(`
          SELECT count(*)::integer AS passages, (count(*) - count(vectors.position))::integer AS missing
          FROM passages JOIN knowledge_bases USING (knowledge_base_id)
            LEFT JOIN passage_vectors AS vectors USING (knowledge_base_id, document_id, position)
          WHERE deleted_at IS NULL`),
      );
      return rows[0];
    };
    await expect.poll(countMissing, { timeout: 120_000 }).toMatchObject({ missing: 0 });
    expect((await countMissing()).passages).toBeGreaterThan(0);
  });

  test('deletions leave nothing of an account', async () => {
    const [documentId = ''] = Object.values(recorded.files);
    const [{ query, found } = { query: '', found: {} }] = first.searches;
    await caller.api.deleteDocument(documentId);
    expect((await caller.api.query({ query, limit: 1 }))[0]).not.toMatchObject(found);
    for (const { id } of first.view.knowledgeBases) await caller.api.deleteKnowledgeBase(id);
    expect(await caller.api.getUsage()).toMatchObject({ knowledgeBaseCount: 0, storageUsed: 0 });
    expect(await ofTenant.api.query({ query: 'griffin' })).toMatchObject([{ title: 'Secret' }]);
  });

  test('fsck finds no problem', async () => {
    const environment = environmentOf(place.dataDirectory, { DATABASE_URL: place.databaseUrl });
    expect((await spawnCommand(environment, 'fsck')).output).toBe('0 problems\n');
  });
});
