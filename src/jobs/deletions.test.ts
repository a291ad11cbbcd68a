/** An import aborts when its document is deleted, and delays no other deletion. */
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { createAccount } from '../database/rows/accounts.ts';
import { insertApiKey } from '../database/rows/api-keys.ts';
import { DeletionAnnounced } from '../database/rows/deletion-lock.ts';
import { countWaitingLocks } from '../database/testing/waiting-locks.ts';
import { startTestService } from '../serve/testing/test-service.ts';
import { useUnattendedImports } from '../serve/testing/unattended-imports.ts';
import { generateApiKey } from '../terms/api-key.ts';
import { importFile } from './importing/import-file.ts';
import { endOverdueImports } from './imports.ts';
import { attempt } from './testing/attempt.ts';

const suite = useUnattendedImports();
const { importPending, statusOf } = suite;

async function countPassages(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) FROM passages WHERE knowledge_base_id = ${suite.knowledgeBaseId}`.execute(
    suite.service.database,
  );
  return rows[0]?.count ?? -1;
}

const importOther = () => importPending('other.txt', 'some text');

describe('a document that is being stored', () => {
  /** Starts an import of two batches; the second arrives when `proceed` is called. */
  const twoParts = async () => {
    const content = 'Zebras graze. '.repeat(12_000);
    const first = Promise.withResolvers<void>();
    const proceed = Promise.withResolvers<void>();
    const analyse: typeof suite.service.analyse = async (...given) => {
      const batches = await suite.service.analyse(...given);
      return (async function* () {
        for await (const batch of batches) {
          if (batch.position > 1) {
            first.resolve();
            await proceed.promise;
          }
          yield batch;
        }
      })();
    };
    const documentId = await importPending('large.txt', content);
    const importing = importFile({ ...suite.service, analyse }, attempt(documentId));
    await first.promise;
    return { documentId, importing, proceed: proceed.resolve };
  };

  test.each([
    ['it', (id: string) => suite.call('deleteDocument', { documentId: id })],
    [
      'its knowledge base',
      () => suite.call('deleteKnowledgeBase', { knowledgeBaseId: suite.knowledgeBaseId }),
    ],
  ])('aborts its import when %s is deleted', async (_what, remove) => {
    const { documentId, importing, proceed } = await twoParts();
    const removing = remove(documentId);
    await vi.waitUntil(async () => (await countWaitingLocks(suite.service.database)) > 0);
    proceed();
    await expect(importing).rejects.toThrow(DeletionAnnounced);
    expect((await removing).status).toBe(200);
    await importFile(suite.service, attempt(documentId));
    expect(await countPassages()).toBe(0);
  });

  test('is stored when another document is deleted', async () => {
    const other = await importOther();
    const { documentId, importing, proceed } = await twoParts();
    expect((await suite.call('deleteDocument', { documentId: other })).status).toBe(200);
    proceed();
    await importing;
    expect(await statusOf(documentId)).toMatchObject({ status: 'processed' });
  });

  test('does not delay the end of overdue documents, and is not overdue itself', async () => {
    const other = await importOther();
    const { documentId, importing, proceed } = await twoParts();
    await endOverdueImports(suite.service.database, { importTimeoutSeconds: 0, importWaitSeconds: 0 });
    expect(await statusOf(other)).toMatchObject({ status: 'timeout' });
    proceed();
    await importing;
    expect(await statusOf(documentId)).toMatchObject({ status: 'processed' });
  });

  test('is stored when another account tries to delete it', async () => {
    const { documentId, importing, proceed } = await twoParts();
    const { database } = suite.service;
    const stranger = generateApiKey();
    await insertApiKey(database, stranger, {
      accountId: await createAccount(database, 'other', 0),
      name: '',
    });
    for (const [operation, body] of [
      ['deleteDocument', { documentId }],
      ['deleteKnowledgeBase', { knowledgeBaseId: suite.knowledgeBaseId }],
    ] as const) {
      const { status } = await fetch(`${suite.address}/v1/${operation}`, {
        method: 'POST',
        headers: { 'x-api-key': stranger, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(status).toBe(404);
    }
    proceed();
    await importing;
    expect(await statusOf(documentId)).toMatchObject({ status: 'processed' });
  });
});

test('aborts storing a text when its knowledge base is deleted', async () => {
  let removing: Promise<{ status: number }> | undefined;
  const storing = await startTestService({
    change: ({ analyse, ...service }) => ({
      analyse: async (...given) => {
        const batches = await analyse(...given);
        return (async function* () {
          for await (const batch of batches) {
            if (batch.position > 1) {
              removing ??= storing.call('deleteKnowledgeBase', { knowledgeBaseId: id });
              await vi.waitUntil(async () => (await countWaitingLocks(service.database)) > 0);
            }
            yield batch;
          }
        })();
      },
    }),
  });
  const { body } = await storing.call('createKnowledgeBase', { name: 'gone soon' });
  const id = String(body.data.id);
  const text = { knowledgeBaseId: id, title: 'Text', content: 'Zebras graze. '.repeat(12_000) };
  const answer = await storing.call('importTextContent', text);
  expect((await removing)?.status).toBe(200);
  await storing.close();
  expect(answer.body.errorCode).toBe('KNOWLEDGE_BASE_NOT_FOUND');
});
