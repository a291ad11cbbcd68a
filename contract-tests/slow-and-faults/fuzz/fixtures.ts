/** Data for fuzzed requests: one part must stay unchanged, one part is written to, and one part is deleted. */
import {
  UNKNOWN_DOCUMENT_ID,
  UNKNOWN_KEY_ID,
  UNKNOWN_KNOWLEDGE_BASE_ID,
  UNKNOWN_WEBHOOK_ID,
} from '../../../src/contract-check/planning/valid-inputs.ts';
import type { Answer } from '../../../src/contract-check/requests/exchange.ts';
import type { OperationId } from '../../../src/contract-check/spec/routes.ts';
import { bytesOf, importBytes, pathOf, untilFinal } from '../../harness/calls/uploading.ts';
import type { Target } from '../../harness/contract/good-requests.ts';
import { type Account, openAccount } from '../../harness/service/opened-account.ts';
import type { RunningService } from '../../harness/service/service-process.ts';
import type { IdsOf } from './valid-requests.ts';

/** Large enough for all tickets, since most are never used. */
const LIMITS = { knowledgeBaseLimit: 1_000_000, storageLimitBytes: 1e15 };
/** Files larger than this are presigned, but never sent. */
const SENT_FILE_MAX = 2_000;
/** The maximum number of ids that wait for a deletion. */
const DELETABLE_MAX = 50;
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

/** Cursors of lists that have a second page. */
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

/** The data of a successful answer; undefined for other answers. */
const dataOf = ({ status, body }: Answer) =>
  status === 200 ? (body as { data: Record<string, unknown> }).data : undefined; // the spec has been checked

/** Ids of each kind. */
type IdLists = Record<keyof Ids, string[]>;

/** The data that requests can use at present. */
type State = {
  mine: Account;
  other: Account;
  kept: Ids;
  foreign: Ids;
  /** Requests write to this knowledge base, delete from it and read it. Its first document stays. */
  writable: Ids;
  cursors: Map<string, string>;
  /** Created by earlier requests, the newest first. */
  deletable: IdLists;
  /** Of a file without text: its import fails each time. */
  failedDocumentId: string;
  /** Webhooks that earlier requests have created, the newest first. */
  webhookIds: string[];
  keyIds: string[];
  /** Of a file that can still be uploaded. */
  ticket: Awaited<ReturnType<typeof presign>>;
};

async function createWritable({ api }: Account): Promise<Ids> {
  const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Written to' });
  const text = { knowledgeBaseId, title: 'Scratch', content: 'Read while others are written.' };
  return { knowledgeBaseId, documentId: (await api.importTextContent(text)).id };
}

async function createFailed({ api }: Account, knowledgeBaseId: string): Promise<string> {
  const { id } = await importBytes(api, { knowledgeBaseId, fileName: 'blank.txt', bytes: bytesOf(' ') });
  await untilFinal(api, id);
  return id;
}

async function createState(service: RunningService): Promise<State> {
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
    deletable: { knowledgeBaseId: [], documentId: [] },
    failedDocumentId: await createFailed(mine, writable.knowledgeBaseId),
    webhookIds: [],
    keyIds: [],
    ticket: await presign(mine, writable.knowledgeBaseId),
  };
}

const cursorOf = ({ cursors }: State, operationId: OperationId): string => cursors.get(operationId) ?? '';

/** Ids that this account cannot reach. */
const unreachableIds = ({ foreign }: State): IdLists => ({
  knowledgeBaseId: [foreign.knowledgeBaseId, UNKNOWN_KNOWLEDGE_BASE_ID],
  documentId: [foreign.documentId, UNKNOWN_DOCUMENT_ID],
});

const readableIds = ({ kept, writable }: State): IdLists => ({
  knowledgeBaseId: [kept.knowledgeBaseId, writable.knowledgeBaseId],
  documentId: [kept.documentId, writable.documentId],
});

/** The operations that change a knowledge base and need one that stays. */
const WRITES: ReadonlySet<OperationId> = new Set([
  'presignUploadUrl',
  'uploadFile',
  'importUrl',
  'importTextContent',
  'updateKnowledgeBase',
  'setSynonyms',
  'updateDocument',
]);

/** Values for a field of an operation, as `IdsOf` describes them. */
const idsFrom =
  (state: State): IdsOf =>
  (operationId, field) => {
    const { kept, writable, ticket, deletable } = state;
    // A cursor of another list is valid for one knowledge base or document only.
    if (field === 'cursor') return operationId === 'listKnowledgeBases' ? [cursorOf(state, operationId)] : [];
    // The schema cannot say which addresses are public. Nobody can have a name of .invalid, so nothing is fetched.
    if (field === 'url')
      return [
        operationId === 'importUrl' ? 'https://files.invalid/a.txt' : 'https://hooks.example.com/knowledge',
      ];
    if (field === 'keyId') return [...state.keyIds.slice(0, 1), UNKNOWN_KEY_ID];
    // Of names with control characters, which its pattern excludes, the other texts know nothing.
    if (operationId === 'createKey' && field === 'name') return ['website', 'Seite 知识'];
    if (field === 'webhookId') return [...state.webhookIds.slice(0, 1), UNKNOWN_WEBHOOK_ID];
    if (operationId === 'retryDocument' || operationId === 'presignDownloadUrl')
      return [state.failedDocumentId, kept.documentId];
    if (field === 'fileId') return [ticket.fileId, ticket.fileId, UNKNOWN_DOCUMENT_ID, kept.documentId];
    const name = field.replace(/s$/, '');
    if (name !== 'knowledgeBaseId' && name !== 'documentId') return undefined;
    const unreachable = unreachableIds(state)[name];
    if (operationId.startsWith('delete')) return [...deletable[name].slice(0, 1), ...unreachable];
    return [
      ...(WRITES.has(operationId) ? [writable[name], writable[name]] : readableIds(state)[name]),
      ...unreachable,
    ];
  };

/** Real ids for the good requests that are mutated. Deletions keep their unknown ids. */
function targetOf(state: State): Target {
  const { mine, kept, writable, ticket } = state;
  const { knowledgeBaseId, documentId } = kept;
  return {
    apiKey: mine.apiKey,
    upload: ticket,
    realIds: {
      query: { knowledgeBaseIds: readableIds(state).knowledgeBaseId },
      importFile: { fileId: ticket.fileId },
      presignUploadUrl: { knowledgeBaseId: writable.knowledgeBaseId },
      uploadFile: { knowledgeBaseId: writable.knowledgeBaseId },
      importUrl: { knowledgeBaseId: writable.knowledgeBaseId },
      importTextContent: { knowledgeBaseId: writable.knowledgeBaseId },
      listDocuments: { knowledgeBaseId, cursor: cursorOf(state, 'listDocuments') },
      listKnowledgeBases: { cursor: cursorOf(state, 'listKnowledgeBases') },
      getDocumentStatus: { documentId },
      getDocument: { documentId },
      listPassages: { documentId, cursor: cursorOf(state, 'listPassages') },
      getKnowledgeBase: { knowledgeBaseId },
      getSynonyms: { knowledgeBaseId },
      listAttributes: { knowledgeBaseId },
      setSynonyms: { knowledgeBaseId: writable.knowledgeBaseId },
      getDocumentContent: { documentId },
      updateDocument: { documentId: writable.documentId },
      retryDocument: { documentId: state.failedDocumentId },
      presignDownloadUrl: { documentId: state.failedDocumentId },
      updateKnowledgeBase: { knowledgeBaseId: writable.knowledgeBaseId },
    },
  };
}

const remember = (ids: string[], made: unknown): string[] => [String(made), ...ids].slice(0, DELETABLE_MAX);

/** Later requests upload with this ticket if its file is small. */
function learnTicket(state: State, ticket: Record<string, unknown>, input: string): void {
  const { size } = JSON.parse(input) as { size: number }; // a valid input
  if (size > SENT_FILE_MAX) return;
  const path = pathOf(String(ticket.uploadUrl));
  state.ticket = { fileId: String(ticket.fileId), path, body: 'a'.repeat(size) };
}

/** Later requests may delete what this answer created, and use its upload ticket. */
function learnFrom(state: State, operationId: OperationId, answer: Answer, input: string): void {
  const { deletable } = state;
  const data = dataOf(answer);
  if (data === undefined) return;
  if (operationId === 'createKnowledgeBase')
    deletable.knowledgeBaseId = remember(deletable.knowledgeBaseId, data.id);
  if (operationId === 'importTextContent') deletable.documentId = remember(deletable.documentId, data.id);
  if (operationId === 'createWebhook') state.webhookIds = remember(state.webhookIds, data.id);
  if (operationId === 'deleteWebhook') state.webhookIds.shift();
  if (operationId === 'createKey') state.keyIds = remember(state.keyIds, data.id);
  if (operationId === 'revokeKey') state.keyIds.shift();
  if (operationId === 'deleteKnowledgeBase') deletable.knowledgeBaseId.shift();
  if (operationId === 'deleteDocument') deletable.documentId.shift();
  if (operationId === 'presignUploadUrl') learnTicket(state, data, input);
}

/** Creates two accounts with data. `mine` sends the requests, and `other` is foreign to it. */
export async function createFixtures(service: RunningService) {
  const state = await createState(service);
  const { mine, other, kept, foreign } = state;
  return {
    mine,
    other,
    kept,
    foreign,
    idsOf: idsFrom(state),
    target: () => targetOf(state),
    learn: (operationId: OperationId, answer: Answer, input: string) =>
      learnFrom(state, operationId, answer, input),
  };
}

export type Fixtures = Awaited<ReturnType<typeof createFixtures>>;

/** Everything that an account can list and find in a knowledge base. */
export async function readKnowledgeBase({ api }: Account, knowledgeBaseId: string) {
  const { data: documents } = await api.listDocuments({ knowledgeBaseId });
  const passages = await Promise.all(documents.map(({ id }) => api.listPassages({ documentId: id })));
  const found = await api.query({ query: 'platypus', knowledgeBaseIds: [knowledgeBaseId], limit: 50 });
  return { documents, passages, found: found.map(({ id, content }) => ({ id, content })) };
}
