/** One function for each operation of the service. */
import { createClient } from '../../generated/client/index.ts';
import * as sdk from '../../generated/sdk.gen.ts';
import type {
  Balance,
  CreateKnowledgeBaseRequest,
  DeleteDocumentRequest,
  DeletedDocument,
  DeletedKnowledgeBase,
  DeleteKnowledgeBaseRequest,
  Document,
  DocumentDetails,
  DocumentStatusReport,
  GetDocumentData,
  GetDocumentStatusData,
  ImportFileRequest,
  ImportTextContentRequest,
  KnowledgeBase,
  ListDocumentsData,
  ListKnowledgeBasesData,
  ListPassagesData,
  Pagination,
  Passage,
  PresignUploadUrlRequest,
  QueryRequest,
  SearchResult,
  UploadTicket,
  Usage,
} from '../../generated/types.gen.ts';
import {
  invalidArgument,
  KnowledgeRetrievalError,
  type KnowledgeRetrievalErrorCode,
  parseJson,
  toTyped,
  unexpectedAnswer,
} from './errors.ts';
import { send } from './send.ts';
import type { CallOptions, Context, CreateOptions } from './settings.ts';

/** One page of a list. */
export type Page<Item> = { data: Item[]; pagination: Pagination };

/** The input of an operation on one document; its bare id will do as well. */
export const toDocumentInput = (given: GetDocumentData['query'] | string) =>
  typeof given === 'string' ? { documentId: given } : given;

const toKnowledgeBaseInput = (given: DeleteKnowledgeBaseRequest | string) =>
  typeof given === 'string' ? { knowledgeBaseId: given } : given;

/** `waitMs`: how long the service was asked to wait; that comes on top of the time-out. */
type Manner = { waitMs?: number; isCharged?: boolean; onLoss?: () => void };

/** How one operation is called by the generated client: in its turn, through `send`. */
export function createOptions({ baseUrl, apiKey, gates, ...context }: Context) {
  const client = createClient({ baseUrl, headers: { 'x-api-key': apiKey } });
  // Before a request is made the generated client may throw, as of an input that is no JSON.
  client.interceptors.error.use(toTyped);
  return (call: CallOptions, { waitMs = 0, ...manner }: Manner = {}) => {
    const { signal, timeoutMs = context.timeoutMs, deadlineMs = context.deadlineMs } = call;
    const { retries = context.retries } = call;
    const patience = { timeoutMs: timeoutMs + waitMs, deadlineMs: deadlineMs + waitMs, retries };
    const { fetch, answered } = context;
    const fetchBySend = async (request: Request): Promise<Response> => {
      const { url: address, method, headers } = request;
      const body = method === 'GET' ? undefined : await request.text();
      const sent = { address, method, headers, body, signal };
      const sendInTurn = () =>
        gates.requests.run(() => send(sent, { fetch, answered, ...patience, ...manner }), signal);
      const { response, text } = await (waitMs > 0 ? gates.waits.run(sendInTurn, signal) : sendInTurn());
      if (parseJson(text) === undefined) throw unexpectedAnswer(response, text);
      return new Response(text, response);
    };
    // The generated client calls fetch with a Request only.
    return { client, throwOnError: true, parseAs: 'json', fetch: fetchBySend as typeof fetch } as const;
  };
}

type Options = ReturnType<typeof createOptions>;

/** Bytes of a key: as many as a UUID has, whose own function pages have only where they come by https. */
const KEY_BYTES = 16;

/** What the service takes for a key. */
const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** How an operation that creates is called: under one key, however often it is sent. */
const createCreating = (options: Options) => {
  return ({ idempotencyKey = createKey(), ...call }: CreateOptions) => {
    if (!KEY_FORM.test(idempotencyKey))
      throw invalidArgument('idempotencyKey', 'idempotencyKey must be 1 to 255 visible ASCII characters.');
    return { headers: { 'Idempotency-Key': idempotencyKey }, ...options(call) };
  };
};

/**
 * Deletes what has this id. Where an answer was lost, the next one may say that there is none: that is what was wanted.
 * @throws the error of the service, so also `goneCode` when nothing was lost
 */
async function deleteSurely(
  { id, goneCode }: { id: string; goneCode: KnowledgeRetrievalErrorCode },
  send: (onLoss: () => void) => Promise<{ id: string }>,
): Promise<{ id: string }> {
  let hasLost = false;
  const onLoss = () => {
    hasLost = true;
  };
  try {
    return await send(onLoss);
  } catch (error) {
    const isGone = error instanceof KnowledgeRetrievalError && error.errorCode === goneCode;
    if (hasLost && isGone) return { id };
    throw error;
  }
}

/** The operations that only ask: nothing happens twice if they are sent twice. */
export const createQuestions = (options: Options) => ({
  /** The passages that answer the query, best first. Costs one credit, and so does an answer that was lost. */
  async query(body: QueryRequest, call: CallOptions = {}): Promise<SearchResult[]> {
    return (await sdk.query({ body, ...options(call, { isCharged: true }) })).data.data;
  },
  /** The documents of a knowledge base, newest first. */
  async listDocuments(query: ListDocumentsData['query'], call: CallOptions = {}): Promise<Page<Document>> {
    return (await sdk.listDocuments({ query, ...options(call) })).data;
  },
  /** The account's knowledge bases, newest first. */
  async listKnowledgeBases(
    query: NonNullable<ListKnowledgeBasesData['query']> = {},
    call: CallOptions = {},
  ): Promise<Page<KnowledgeBase>> {
    return (await sdk.listKnowledgeBases({ query, ...options(call) })).data;
  },
  /** The passages of a document, in their order. */
  async listPassages(query: ListPassagesData['query'], call: CallOptions = {}): Promise<Page<Passage>> {
    return (await sdk.listPassages({ query, ...options(call) })).data;
  },
  /** All that is known of a document. */
  async getDocument(
    document: GetDocumentData['query'] | string,
    call: CallOptions = {},
  ): Promise<DocumentDetails> {
    const query = toDocumentInput(document);
    return (await sdk.getDocument({ query, ...options(call) })).data.data;
  },
  /** How far a document is; with `waitSeconds` (30 at most) as soon as it is done, or after that time. */
  async getDocumentStatus(
    query: GetDocumentStatusData['query'],
    call: CallOptions = {},
  ): Promise<DocumentStatusReport> {
    const waitMs = (query.waitSeconds ?? 0) * 1000;
    return (await sdk.getDocumentStatus({ query, ...options(call, { waitMs }) })).data.data;
  },
  /** What the account has stored: `storageUsed` in bytes. */
  async getUsage(call: CallOptions = {}): Promise<Usage> {
    return (await sdk.getUsage(options(call))).data.data;
  },
  /** The credits that are left. */
  async getBalance(call: CallOptions = {}): Promise<Balance> {
    return (await sdk.getBalance(options(call))).data.data;
  },
});

/** The operations that change something, each so that sending it twice changes no more than once. */
export const createChanges = (options: Options, creating = createCreating(options)) => ({
  /** A new, empty knowledge base. */
  async createKnowledgeBase(
    body: CreateKnowledgeBaseRequest,
    call: CreateOptions = {},
  ): Promise<KnowledgeBase> {
    return (await sdk.createKnowledgeBase({ body, ...creating(call) })).data.data;
  },
  /** Deletes a knowledge base with everything in it. */
  async deleteKnowledgeBase(
    knowledgeBase: DeleteKnowledgeBaseRequest | string,
    call: CallOptions = {},
  ): Promise<DeletedKnowledgeBase> {
    const body = toKnowledgeBaseInput(knowledgeBase);
    const gone = { id: body.knowledgeBaseId, goneCode: 'KNOWLEDGE_BASE_NOT_FOUND' } as const;
    return await deleteSurely(
      gone,
      async (onLoss) => (await sdk.deleteKnowledgeBase({ body, ...options(call, { onLoss }) })).data.data,
    );
  },
  /** Makes a document of a text, searchable at once. */
  async importTextContent(body: ImportTextContentRequest, call: CreateOptions = {}): Promise<Document> {
    return (await sdk.importTextContent({ body, ...creating(call) })).data.data;
  },
  /** An address for the bytes of one file; uploadFile does this and what follows. */
  async presignUploadUrl(body: PresignUploadUrlRequest, call: CreateOptions = {}): Promise<UploadTicket> {
    return (await sdk.presignUploadUrl({ body, ...creating(call) })).data.data;
  },
  /** Makes a document of a file whose bytes have been sent; it is read in the background. */
  async importFile(body: ImportFileRequest, call: CallOptions = {}): Promise<Document> {
    return (await sdk.importFile({ body, ...options(call) })).data.data;
  },
  /** Deletes a document in any status. */
  async deleteDocument(
    document: DeleteDocumentRequest | string,
    call: CallOptions = {},
  ): Promise<DeletedDocument> {
    const body = toDocumentInput(document);
    const gone = { id: body.documentId, goneCode: 'DOCUMENT_NOT_FOUND' } as const;
    return await deleteSurely(
      gone,
      async (onLoss) => (await sdk.deleteDocument({ body, ...options(call, { onLoss }) })).data.data,
    );
  },
});
