/** What fuzzed requests can name: things that must outlive them, things to write to, and things to delete. */
import type { OperationId } from './contract-check.ts';
import type { Answer } from './exchange.ts';
import type { Target } from './good-requests.ts';
import { type Account, openAccount } from './opened-account.ts';
import type { RunningService } from './running-service.ts';
import { pathOf } from './uploading.ts';
import { UNKNOWN_DOCUMENT_ID, UNKNOWN_KNOWLEDGE_BASE_ID } from './valid-inputs.ts';
import type { IdsOf } from './valid-requests.ts';

/** Enough for whatever is presigned and never sent. */
const LIMITS = { knowledgeBaseLimit: 1_000_000, storageLimitBytes: 1e15 };
/** Files larger than this are presigned, but never sent. */
const SENT_FILE_MAX = 2_000;
/** More of these need not wait for their deletion. */
const DOOMED_MAX = 50;
const SENTENCES = Array.from({ length: 200 }, (_, index) => `Sentence ${index} is about the platypus.`);

type Ids = { knowledgeBaseId: string; documentId: string };

/** A knowledge base with two documents, the first of several passages. */
async function createKept({ api }: Account): Promise<Ids> {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Kept' });
  const text = { knowledgeBaseId, title: 'Kept', content: SENTENCES.join(' ') };
  const { id: documentId } = await api.importTextContent(text);
  await api.importTextContent({ ...text, content: 'A short one about the platypus.' });
  return { knowledgeBaseId, documentId };
}

async function presign({ api }: Account, knowledgeBaseId: string) {
  const { fileId, uploadUrl } = await api.presignUploadUrl({ knowledgeBaseId, fileName: 'a.txt', size: 9 });
  return { fileId, path: pathOf(uploadUrl), body: 'some note' };
}

/** Cursors of lists that go on. */
async function findCursors({ api }: Account, { knowledgeBaseId, documentId }: Ids) {
  const pages = {
    listKnowledgeBases: await api.listKnowledgeBases({ limit: 1 }),
    listDocuments: await api.listDocuments({ knowledgeBaseId, limit: 1 }),
    listPassages: await api.listPassages({ documentId, limit: 1 }),
  };
  return new Map(
    Object.entries(pages).map(([operationId, { pagination }]) => [operationId, pagination.nextCursor ?? '']),
  );
}

/** What the success of an operation brings into the world; nothing where it answers something else. */
const dataOf = ({ status, body }: Answer) =>
  status === 200 ? (body as { data: Record<string, unknown> }).data : undefined; // the spec has been checked

/** Everything that there is to name at a service, made by an account of its own beside a foreign one. */
export async function createThings(service: RunningService) {
  const mine = await openAccount(LIMITS, service);
  const other = await openAccount(LIMITS, service);
  const [kept, foreign] = [await createKept(mine), await createKept(other)];
  const { id: writable } = await mine.api.createKnowledgeBase({ name: 'Written to' });
  const { id: scratch } = await mine.api.importTextContent({
    knowledgeBaseId: writable,
    title: 'Scratch',
    content: 'Read while others are written.',
  });
  const cursors = await findCursors(mine, kept);
  const cursorOf = (operationId: OperationId): string => cursors.get(operationId) ?? '';
  const doomed: Record<keyof Ids, string[]> = { knowledgeBaseId: [], documentId: [] };
  let ticket = await presign(mine, writable);

  const strange: Record<keyof Ids, string[]> = {
    knowledgeBaseId: [foreign.knowledgeBaseId, UNKNOWN_KNOWLEDGE_BASE_ID],
    documentId: [foreign.documentId, UNKNOWN_DOCUMENT_ID],
  };
  const readable: Record<keyof Ids, string[]> = {
    knowledgeBaseId: [kept.knowledgeBaseId, writable],
    documentId: [kept.documentId, scratch],
  };

  const idsOf: IdsOf = (operationId, field) => {
    // Those of the other lists are good for one knowledge base or document only.
    if (field === 'cursor') return operationId === 'listKnowledgeBases' ? [cursorOf(operationId)] : [];
    if (field === 'fileId') return [ticket.fileId, ticket.fileId, UNKNOWN_DOCUMENT_ID, kept.documentId];
    const name = field.replace(/s$/, '');
    if (name !== 'knowledgeBaseId' && name !== 'documentId') return undefined;
    if (operationId.startsWith('delete')) return [...doomed[name].slice(0, 1), ...strange[name]];
    const isWrite = operationId === 'presignUploadUrl' || operationId === 'importTextContent';
    return [...(isWrite ? [writable, writable] : readable[name]), ...strange[name]];
  };

  /** Real ids in the good requests that are bent; deletions name what nobody has. */
  const target = (): Target => ({
    apiKey: mine.apiKey,
    upload: ticket,
    realIds: {
      query: { knowledgeBaseIds: readable.knowledgeBaseId },
      importFile: { fileId: ticket.fileId },
      presignUploadUrl: { knowledgeBaseId: writable },
      importTextContent: { knowledgeBaseId: writable },
      listDocuments: { knowledgeBaseId: kept.knowledgeBaseId, cursor: cursorOf('listDocuments') },
      listKnowledgeBases: { cursor: cursorOf('listKnowledgeBases') },
      getDocumentStatus: { documentId: kept.documentId },
      getDocument: { documentId: kept.documentId },
      listPassages: { documentId: kept.documentId, cursor: cursorOf('listPassages') },
    },
  });

  /** What has been made may be deleted, and files of a small size be sent. */
  function learn(operationId: OperationId, answer: Answer, input: string): void {
    const data = dataOf(answer);
    if (data === undefined) return;
    const kind = { createKnowledgeBase: 'knowledgeBaseId', importTextContent: 'documentId' } as const;
    if (operationId === 'createKnowledgeBase' || operationId === 'importTextContent')
      doomed[kind[operationId]] = [String(data.id), ...doomed[kind[operationId]]].slice(0, DOOMED_MAX);
    if (operationId === 'deleteKnowledgeBase') doomed.knowledgeBaseId.shift();
    if (operationId === 'deleteDocument') doomed.documentId.shift();
    if (operationId !== 'presignUploadUrl') return;
    const { size } = JSON.parse(input) as { size: number }; // a valid input
    if (size <= SENT_FILE_MAX)
      ticket = { fileId: String(data.fileId), path: pathOf(String(data.uploadUrl)), body: 'a'.repeat(size) };
  }
  return { mine, other, kept, foreign, idsOf, target, learn };
}

export type Things = Awaited<ReturnType<typeof createThings>>;

/** All that an account has in a knowledge base, and finds there. */
export async function readKept({ api }: Account, knowledgeBaseId: string) {
  const { data: documents } = await api.listDocuments({ knowledgeBaseId });
  const passages = await Promise.all(documents.map(({ id }) => api.listPassages({ documentId: id })));
  const found = await api.query({ query: 'platypus', knowledgeBaseIds: [knowledgeBaseId], limit: 50 });
  return { documents, passages, found: found.map(({ id, content }) => ({ id, content })) };
}
