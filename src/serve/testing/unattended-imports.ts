/** Imports of files whose jobs nobody runs, so that each test says itself when. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startTestService, type TestService } from './test-service.ts';

/** What of a service has to be changed for it. */
export const unattended = () => ({
  jobs: { enqueueImport: async () => {}, wakeImporters() {}, enqueuePurge: async () => {} },
});

/** Uploads and imports a file; gives the pending document's id. */
export async function importUnattended(
  { call }: Pick<TestService, 'call'>,
  { content, ...file }: { knowledgeBaseId: string; fileName: string; content: string | Buffer },
): Promise<string> {
  const { body: ticket } = await call('presignUploadUrl', { ...file, size: Buffer.byteLength(content) });
  await fetch(String(ticket.data.uploadUrl), { method: 'PUT', body: content });
  const { body } = await call('importFile', { fileId: ticket.data.fileId });
  return String(body.data.id);
}

/** Gives the tests of a file one service, and each test a knowledge base of its own. */
export function useUnattendedImports() {
  let running: TestService;
  let knowledgeBaseId: string;
  beforeAll(async () => {
    running = await startTestService({ change: unattended });
  });
  afterAll(() => running.close());
  beforeEach(async () => {
    const { body } = await running.call('createKnowledgeBase', { name: 'files' });
    knowledgeBaseId = String(body.data.id);
  });

  return {
    get service() {
      return running.service;
    },
    get address() {
      return running.address;
    },
    get knowledgeBaseId() {
      return knowledgeBaseId;
    },
    call: (operation: string, body?: unknown) => running.call(operation, body),

    /** The pending document's id. */
    importPending: (fileName: string, content: string | Buffer) =>
      importUnattended(running, { knowledgeBaseId, fileName, content }),

    /** A document's report. */
    statusOf: async (documentId: string) =>
      (await running.call(`getDocumentStatus?documentId=${documentId}`)).body.data,

    /** The passages that the test's own knowledge base has for a query. */
    async search(query: string): Promise<string[]> {
      const { body } = await running.call('query', { query, knowledgeBaseIds: [knowledgeBaseId] });
      return (body.data as unknown as { content: string }[]).map(({ content }) => content); // the call is typed for objects
    },
  };
}
