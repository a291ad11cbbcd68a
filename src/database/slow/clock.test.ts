/**
 * All times come from the database's clock: a server's clock may be a month off, and still nothing expires too early.
 */
import { sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import type { Service } from '../../handlers/service.ts';
import { endOverdueImports } from '../../jobs/imports.ts';
import { startReceiver, type TestReceiver } from '../../outbound/webhooks/testing/receiver.ts';
import { startTestService, type TestService } from '../../serve/testing/test-service.ts';
import { generateApiKey } from '../../terms/api-key.ts';
import { insertApiKey, listApiKeys, revokeApiKey } from '../rows/api-keys.ts';

afterEach(() => vi.useRealTimers());

/** The columns with a time more than two hours away from the database's time. */
async function columnsFarFromNow({ service: { database } }: TestService): Promise<string[]> {
  const { rows: columns } = await sql<{ table: string; column: string }>`
    SELECT table_name AS table, column_name AS column FROM information_schema.columns
    WHERE table_schema = current_schema() AND data_type LIKE 'timestamp%' ORDER BY 1, 2`.execute(database);
  expect(columns).toContainEqual({ table: 'documents', column: 'created_at' });
  const far: string[] = [];
  for (const { table, column } of columns) {
    const { rows } = await sql`SELECT FROM ${sql.table(table)}
      WHERE abs(extract(epoch FROM ${sql.ref(column)} - now())) > 7200`.execute(database);
    if (rows.length > 0) far.push(`${table}.${column}`);
  }
  return far;
}

const limits = { importTimeoutSeconds: 600, importWaitSeconds: 600 };

/** Performs each kind of operation that writes times once. */
async function useService({ service: { database }, call }: TestService): Promise<void> {
  const { body } = await call('createKnowledgeBase', { name: 'late' });
  const knowledgeBaseId = body.data.id;
  await call('importTextContent', { knowledgeBaseId, title: 'a', content: 'some words' });
  const { data } = (await call('presignUploadUrl', { knowledgeBaseId, fileName: 'a.txt', size: 4 })).body;
  const { fileId } = data;
  expect((await call('importFile', { fileId })).body.errorCode).toBe('FILE_NOT_UPLOADED');
  expect((await fetch(String(data.uploadUrl), { method: 'PUT', body: 'four' })).status).toBe(200);
  const document = (await call('importFile', { fileId })).body.data;
  expect(await endOverdueImports(database, limits)).toBe(0);
  const { body: report } = await call(`getDocumentStatus?documentId=${document.id}&waitSeconds=30`);
  expect(report.data.status).toBe('processed');
  await sql`UPDATE documents SET status = 'pending', passage_count = 0`.execute(database);
  const past = sql`now() - interval '11 minutes'`;
  await sql`UPDATE documents SET created_at = ${past}, processing_since = ${past}`.execute(database);
  expect(await endOverdueImports(database, limits)).toBe(2);
  await call('presignUploadUrl', { knowledgeBaseId, fileName: 'a.txt', size: 4 });
  const other = (await call('createKnowledgeBase', { name: 'deleted' })).body.data.id;
  await call('deleteKnowledgeBase', { knowledgeBaseId: other });
}

/** Seconds between the receipt of an event and the time that it is signed with. Receivers tolerate five minutes. */
async function findSignatureAge({ database }: Service, { received }: TestReceiver): Promise<number> {
  const count = () => database.selectFrom('webhook_deliveries').select('position').execute();
  await vi.waitUntil(async () => (await count()).length > 0, { timeout: 60_000 });
  const now = (performance.timeOrigin + performance.now()) / 1000;
  return now - Number(received[0]?.headers['webhook-timestamp']);
}

test.each([-30, 30])(
  'a server with a clock that is %i days wrong works, and stores no time of its own',
  async (days) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * 86_400_000 });
    const suite = await startTestService({ settings: { WEBHOOK_PRIVATE_NETWORKS: 'allow' } });
    const receiver = await startReceiver();
    try {
      await suite.call('createWebhook', { url: receiver.url });
      await useService(suite);
      const { database } = suite.service;
      expect(Math.abs(await findSignatureAge(suite.service, receiver))).toBeLessThan(60);
      const [first] = await listApiKeys(database);
      const { id: accountId } = await database.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
      await insertApiKey(database, generateApiKey(), { accountId, name: 'another' });
      await revokeApiKey(database, String(first?.id));
      expect(await columnsFarFromNow(suite)).toEqual([]);
    } finally {
      await suite.close();
      await receiver.close();
    }
  },
);
