/** Imports of files without workers, so that each test runs the jobs itself. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startTestService, type TestService } from './test-service.ts';

/** Uploads and imports a file. Returns the id of the pending document. */
export async function importUnattended(
  { call }: Pick<TestService, 'call'>,
  {
    content,
    options = {},
    ...file
  }: { knowledgeBaseId: string; fileName: string; content: string | Buffer; options?: object },
): Promise<string> {
  const { body: ticket } = await call('presignUploadUrl', { ...file, size: Buffer.byteLength(content) });
  await fetch(String(ticket.data.uploadUrl), { method: 'PUT', body: content });
  const { body } = await call('importFile', { ...options, fileId: ticket.data.fileId });
  return String(body.data.id);
}

/** Starts one service for the tests of a file, and creates a knowledge base for each test. */
export function useUnattendedImports() {
  let running: TestService;
  let knowledgeBaseId: string;
  beforeAll(async () => {
    running = await startTestService({ runsWorkers: false });
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

    /** The pending document's id. `options`: further fields of importFile. */
    importPending: (fileName: string, content: string | Buffer, options?: object) =>
      importUnattended(running, { knowledgeBaseId, fileName, content, ...(options && { options }) }),

    /** A document's report. */
    statusOf: async (documentId: string) =>
      (await running.call(`getDocumentStatus?documentId=${documentId}`)).body.data,

    /** The contents of the passages found in the test's knowledge base. */
    async search(query: string): Promise<string[]> {
      const { body } = await running.call('query', { query, knowledgeBaseIds: [knowledgeBaseId] });
      const passages = body.data as unknown as { content: string }[]; // the call is typed for objects
      return passages.map(({ content }) => content);
    },
  };
}
