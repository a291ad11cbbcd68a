/** What fuzzed requests can name: things that must outlive them, things to write to, and things to delete. */
import type { OperationId } from '../../harness/contract-check.ts';
import type { Answer } from '../../harness/exchange.ts';
import type { Target } from '../../harness/good-requests.ts';
import { type Account, openAccount } from '../../harness/opened-account.ts';
import type { RunningService } from '../../harness/service-process.ts';
import { pathOf } from '../../harness/uploading.ts';
import { UNKNOWN_DOCUMENT_ID, UNKNOWN_KNOWLEDGE_BASE_ID } from '../../harness/valid-inputs.ts';
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

/** Ids of either kind, those first that a request takes more likely. */
type IdLists = Record<keyof Ids, string[]>;

/**
 * Everything that a request can name. Some of it stays, some changes with the requests. `doomed`: made by requests, the
 * youngest first. `ticket`: of an upload that can still be sent.
 */
type Stock = {
  mine: Account;
  other: Account;
  kept: Ids;
  foreign: Ids;
  /** Written to, deleted from and read by many requests; its document stays. */
  writable: Ids;
  cursors: Map<string, string>;
  doomed: IdLists;
  ticket: Awaited<ReturnType<typeof presign>>;
};

async function createWritable({ api }: Account): Promise<Ids> {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Written to' });
  const text = { knowledgeBaseId, title: 'Scratch', content: 'Read while others are written.' };
  return { knowledgeBaseId, documentId: (await api.importTextContent(text)).id };
}

async function createStock(service: RunningService): Promise<Stock> {
  const mine = await openAccount(LIMITS, service);
  const other = await openAccount(LIMITS, service);
  const [kept, foreign] = [await createKept(mine), await createKept(other)];
  const writable = await createWritable(mine);
  return {
    mine,
    other,
    kept,
    foreign,
    writable,
    cursors: await findCursors(mine, kept),
    doomed: { knowledgeBaseId: [], documentId: [] },
    ticket: await presign(mine, writable.knowledgeBaseId),
  };
}

const cursorOf = ({ cursors }: Stock, operationId: OperationId): string => cursors.get(operationId) ?? '';

/** Ids that this account cannot reach. */
const strangeIds = ({ foreign }: Stock): IdLists => ({
  knowledgeBaseId: [foreign.knowledgeBaseId, UNKNOWN_KNOWLEDGE_BASE_ID],
  documentId: [foreign.documentId, UNKNOWN_DOCUMENT_ID],
});

const readableIds = ({ kept, writable }: Stock): IdLists => ({
  knowledgeBaseId: [kept.knowledgeBaseId, writable.knowledgeBaseId],
  documentId: [kept.documentId, writable.documentId],
});

/** What a field of an operation may name. */
const idsFrom =
  (stock: Stock): IdsOf =>
  (operationId, field) => {
    const { kept, writable, ticket, doomed } = stock;
    // Those of the other lists are good for one knowledge base or document only.
    if (field === 'cursor') return operationId === 'listKnowledgeBases' ? [cursorOf(stock, operationId)] : [];
    if (field === 'fileId') return [ticket.fileId, ticket.fileId, UNKNOWN_DOCUMENT_ID, kept.documentId];
    const name = field.replace(/s$/, '');
    if (name !== 'knowledgeBaseId' && name !== 'documentId') return undefined;
    const strange = strangeIds(stock)[name];
    if (operationId.startsWith('delete')) return [...doomed[name].slice(0, 1), ...strange];
    const isWrite = operationId === 'presignUploadUrl' || operationId === 'importTextContent';
    return [...(isWrite ? [writable[name], writable[name]] : readableIds(stock)[name]), ...strange];
  };

/** Real ids in the good requests that are bent; deletions name what nobody has. */
function targetOf(stock: Stock): Target {
  const { mine, kept, writable, ticket } = stock;
  const { knowledgeBaseId, documentId } = kept;
  return {
    apiKey: mine.apiKey,
    upload: ticket,
    realIds: {
      query: { knowledgeBaseIds: readableIds(stock).knowledgeBaseId },
      importFile: { fileId: ticket.fileId },
      presignUploadUrl: { knowledgeBaseId: writable.knowledgeBaseId },
      importTextContent: { knowledgeBaseId: writable.knowledgeBaseId },
      listDocuments: { knowledgeBaseId, cursor: cursorOf(stock, 'listDocuments') },
      listKnowledgeBases: { cursor: cursorOf(stock, 'listKnowledgeBases') },
      getDocumentStatus: { documentId },
      getDocument: { documentId },
      listPassages: { documentId, cursor: cursorOf(stock, 'listPassages') },
    },
  };
}

const doom = (ids: string[], made: unknown): string[] => [String(made), ...ids].slice(0, DOOMED_MAX);

/** Takes the ticket of a small file as the next one to be sent. */
function learnTicket(stock: Stock, ticket: Record<string, unknown>, input: string): void {
  const { size } = JSON.parse(input) as { size: number }; // a valid input
  if (size > SENT_FILE_MAX) return;
  const path = pathOf(String(ticket.uploadUrl));
  stock.ticket = { fileId: String(ticket.fileId), path, body: 'a'.repeat(size) };
}

/** What has been made may be deleted, and files of a small size be sent. */
function learnFrom(stock: Stock, operationId: OperationId, answer: Answer, input: string): void {
  const { doomed } = stock;
  const data = dataOf(answer);
  if (data === undefined) return;
  if (operationId === 'createKnowledgeBase') doomed.knowledgeBaseId = doom(doomed.knowledgeBaseId, data.id);
  if (operationId === 'importTextContent') doomed.documentId = doom(doomed.documentId, data.id);
  if (operationId === 'deleteKnowledgeBase') doomed.knowledgeBaseId.shift();
  if (operationId === 'deleteDocument') doomed.documentId.shift();
  if (operationId === 'presignUploadUrl') learnTicket(stock, data, input);
}

/** Everything that there is to name at a service, made by an account of its own beside a foreign one. */
export async function createThings(service: RunningService) {
  const stock = await createStock(service);
  const { mine, other, kept, foreign } = stock;
  return {
    mine,
    other,
    kept,
    foreign,
    idsOf: idsFrom(stock),
    target: () => targetOf(stock),
    learn: (operationId: OperationId, answer: Answer, input: string) =>
      learnFrom(stock, operationId, answer, input),
  };
}

export type Things = Awaited<ReturnType<typeof createThings>>;

/** All that an account has in a knowledge base, and finds there. */
export async function readKept({ api }: Account, knowledgeBaseId: string) {
  const { data: documents } = await api.listDocuments({ knowledgeBaseId });
  const passages = await Promise.all(documents.map(({ id }) => api.listPassages({ documentId: id })));
  const found = await api.query({ query: 'platypus', knowledgeBaseIds: [knowledgeBaseId], limit: 50 });
  return { documents, passages, found: found.map(({ id, content }) => ({ id, content })) };
}
