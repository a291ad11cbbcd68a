/** What the service has acknowledged outlives its sudden death, and one data directory has one service. */
import { expect, test, vi } from 'vitest';
import type { Document, KnowledgeBase, SearchResult } from '../generated/types.gen.ts';
import { call, type RunningService, startService, withDataDirectory } from '../scripts/service-process.ts';

const TEXTS = 40;

/** Imports texts one after the other until the service is gone; gives the documents that it has acknowledged. */
async function importUntilKilled(service: RunningService, knowledgeBaseId: string): Promise<Document[]> {
  const acknowledged: Document[] = [];
  let number = 0;
  const lane = async () => {
    while (number < TEXTS) {
      const title = `text ${number++}`;
      const content = `The zebra number z${number}q drinks water.`;
      acknowledged.push(
        await call<Document>(service, 'importTextContent', { knowledgeBaseId, title, content }),
      );
      if (acknowledged.length === TEXTS / 2) await service.kill();
    }
  };
  await Promise.allSettled([lane(), lane(), lane(), lane()]);
  return acknowledged;
}

/** Uploads a file and asks for its import, without waiting for the end of it. */
async function importFile(service: RunningService, knowledgeBaseId: string): Promise<string> {
  const bytes = new TextEncoder().encode('A file about giraffes.');
  const ticket = await call<{ fileId: string; uploadUrl: string }>(service, 'presignUploadUrl', {
    knowledgeBaseId,
    fileName: 'giraffes.txt',
    size: bytes.length,
  });
  await fetch(ticket.uploadUrl, { method: 'PUT', body: bytes });
  return (await call<Document>(service, 'importFile', { fileId: ticket.fileId })).id;
}

test('SIGKILL in the middle of imports loses nothing acknowledged and leaves nothing half', async () => {
  await withDataDirectory(async (dataDirectory) => {
    const killed = await startService(dataDirectory);
    const { id: knowledgeBaseId } = await call<KnowledgeBase>(killed, 'createKnowledgeBase', {
      name: 'zebras',
    });
    const fileDocument = await importFile(killed, knowledgeBaseId);
    const acknowledged = await importUntilKilled(killed, knowledgeBaseId);
    expect(acknowledged.length).toBeGreaterThanOrEqual(TEXTS / 2);

    const service = await startService(dataDirectory);
    const status = () => call<Document>(service, `getDocumentStatus?documentId=${fileDocument}`);
    await vi.waitUntil(async () => (await status()).status === 'processed', {
      timeout: 60_000,
      interval: 100,
    });

    const listed = await call<Document[]>(service, `listDocuments?knowledgeBaseId=${knowledgeBaseId}`);
    const ids = new Set(listed.map(({ id }) => id));
    expect(acknowledged.filter(({ id }) => !ids.has(id))).toEqual([]);
    expect(listed.map(({ status }) => status)).toEqual(listed.map(() => 'processed'));
    const { storageUsed } = await call<{ storageUsed: number }>(service, 'getUsage');
    expect(storageUsed).toBe(listed.reduce((sum, { size }) => sum + size, 0));

    // Every listed text is found by its own word: whole documents only, none of them half-indexed.
    const found = await call<SearchResult[]>(service, 'query', { query: 'zebra', limit: 50 });
    const texts = listed.filter(({ type }) => type === 'text').map(({ id }) => id);
    expect(new Set(found.map(({ document_id }) => document_id))).toEqual(new Set(texts));
    await service.stop();
  });
}, 120_000);

test('a second service on the same directory is refused, and the first one goes on', async () => {
  await withDataDirectory(async (dataDirectory) => {
    const first = await startService(dataDirectory);
    await expect(startService(dataDirectory)).rejects.toThrow('ended before it answered');
    expect(await call<{ balance: number }>(first, 'getBalance')).toEqual({ balance: 1_000_000 });
    await first.stop();
  });
}, 60_000);
