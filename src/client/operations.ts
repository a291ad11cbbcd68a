/** One function for each operation of the service. */
import { createClient } from '../../generated/client/index.ts';
import * as sdk from '../../generated/sdk.gen.ts';
import type {
  Balance,
  CreatedWebhook,
  CreateKnowledgeBaseRequest,
  CreateWebhookRequest,
  DeleteDocumentRequest,
  DeletedDocument,
  DeletedKnowledgeBase,
  DeletedWebhook,
  DeleteKnowledgeBaseRequest,
  DeleteWebhookRequest,
  Document,
  DocumentContent,
  DocumentDetails,
  DocumentStatusReport,
  GetDocumentContentData,
  GetDocumentData,
  GetDocumentStatusData,
  GetKnowledgeBaseData,
  ImportFileRequest,
  ImportTextContentRequest,
  KnowledgeBase,
  ListDocumentsData,
  ListKnowledgeBasesData,
  ListPassagesData,
  ListWebhooksData,
  Pagination,
  Passage,
  PresignUploadUrlRequest,
  QueryRequest,
  RetryDocumentRequest,
  SearchResult,
  SearchResultField,
  TestWebhookRequest,
  UpdateDocumentRequest,
  UpdateKnowledgeBaseRequest,
  UploadTicket,
  Usage,
  Webhook,
  WebhookTest,
} from '../../generated/types.gen.ts';
import {
  invalidArgument,
  KnowledgeRetrievalError,
  type KnowledgeRetrievalErrorCode,
  parseJson,
  toClientError,
  unexpectedAnswer,
} from './errors.ts';
import { send } from './send.ts';
import type { CallOptions, Context, CreateOptions } from './settings.ts';

/** One page of a list. */
export type Page<Item> = { data: Item[]; pagination: Pagination };

/** A search result with the fields that the query has selected: all where it names none. */
export type Selected<Field extends SearchResultField> = [Field] extends [never]
  ? SearchResult
  : Pick<SearchResult, Field>;

/** The input of an operation on one document; callers may pass the bare id. */
export const toDocumentInput = (given: GetDocumentData['query'] | string) =>
  typeof given === 'string' ? { documentId: given } : given;

const toKnowledgeBaseInput = (given: DeleteKnowledgeBaseRequest | string) =>
  typeof given === 'string' ? { knowledgeBaseId: given } : given;

const toWebhookInput = (given: DeleteWebhookRequest | string) =>
  typeof given === 'string' ? { webhookId: given } : given;

/** `waitMs`: how long the request may wait at the service; it is added to the time limits. The rest: see `send`. */
type OperationOptions = { waitMs?: number; isCharged?: boolean; onLostAnswer?: () => void };

/** Writes a query string. The service takes objects in JSON; the generated client would write each field by itself. */
const writeQuery = (fields: Record<string, unknown>): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
    })
    .join('&');

/** Makes the options with which the generated client calls an operation: it fetches by `send`, in its turn. */
export function createRequestOptions({ baseUrl, apiKey, semaphores, ...context }: Context) {
  const client = createClient({
    baseUrl,
    headers: { 'x-api-key': apiKey },
    querySerializer: writeQuery,
  });
  // The generated client may throw before it makes a request, for example for a cyclic input.
  client.interceptors.error.use(toClientError);
  return (call: CallOptions, { waitMs = 0, ...manner }: OperationOptions = {}) => {
    const { signal, timeoutMs = context.timeoutMs, deadlineMs = context.deadlineMs } = call;
    const { retries = context.retries } = call;
    const limits = { timeoutMs: timeoutMs + waitMs, deadlineMs: deadlineMs + waitMs, retries };
    const { fetch, answeredOrigins } = context;
    const fetchBySend = async (request: Request): Promise<Response> => {
      const { url: address, method, headers } = request;
      const body = method === 'GET' ? undefined : await request.text();
      const outgoing = { address, method, headers, body, signal };
      const sendInTurn = () =>
        semaphores.requests.run(
          () => send(outgoing, { fetch, answeredOrigins, ...limits, ...manner }),
          signal,
        );
      const { response, text } = await (waitMs > 0
        ? semaphores.longPolls.run(sendInTurn, signal)
        : sendInTurn());
      if (parseJson(text) === undefined) throw unexpectedAnswer(response, text);
      return new Response(text, response);
    };
    // The generated client calls fetch with a Request only.
    return { client, throwOnError: true, parseAs: 'json', fetch: fetchBySend as typeof fetch } as const;
  };
}

type Options = ReturnType<typeof createRequestOptions>;

/** Bytes of a key, as in a UUID. `crypto.randomUUID` itself exists only in web pages that came by https. */
const KEY_BYTES = 16;

/** The form of a key, as the service accepts it. */
const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The options of an operation that creates something: all attempts have the same Idempotency-Key. */
const createIdempotentOptions = (options: Options) => {
  return ({ idempotencyKey = createKey(), ...call }: CreateOptions) => {
    if (!KEY_FORM.test(idempotencyKey))
      throw invalidArgument('idempotencyKey', 'idempotencyKey must be 1 to 255 visible ASCII characters.');
    return { headers: { 'Idempotency-Key': idempotencyKey }, ...options(call) };
  };
};

/**
 * Deletes what has this id. After a lost answer, "not found" means that the lost request has deleted it: a success.
 * @throws the service's error, also `notFoundCode` when no answer was lost
 */
async function deleteIdempotently(
  { id, notFoundCode }: { id: string; notFoundCode: KnowledgeRetrievalErrorCode },
  send: (onLostAnswer: () => void) => Promise<{ id: string }>,
): Promise<{ id: string }> {
  let hasLost = false;
  const onLostAnswer = () => {
    hasLost = true;
  };
  try {
    return await send(onLostAnswer);
  } catch (error) {
    const isGone = error instanceof KnowledgeRetrievalError && error.errorCode === notFoundCode;
    if (hasLost && isGone) return { id };
    throw error;
  }
}

/** The operations that change nothing, so that repeating them is safe. */
export const createReadOperations = (options: Options) => ({
  /**
   * The passages that answer the query, best first; with `fields`, only these fields of them. Costs one credit, even if
   * the answer is lost.
   */
  async query<Field extends SearchResultField = never>(
    body: QueryRequest & { fields?: Field[] },
    call: CallOptions = {},
  ): Promise<Selected<Field>[]> {
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
  /** A knowledge base with the numbers of its documents and passages. */
  async getKnowledgeBase(
    knowledgeBase: GetKnowledgeBaseData['query'] | string,
    call: CallOptions = {},
  ): Promise<KnowledgeBase> {
    const query = toKnowledgeBaseInput(knowledgeBase);
    return (await sdk.getKnowledgeBase({ query, ...options(call) })).data.data;
  },
  /** The passages of a document, in their order. */
  /** A part of a document's text: up to 100,000 characters. The next part begins at `end`, until that is `length`. */
  async getDocumentContent(
    query: GetDocumentContentData['query'],
    call: CallOptions = {},
  ): Promise<DocumentContent> {
    return (await sdk.getDocumentContent({ query, ...options(call) })).data.data;
  },
  /** Changes title, attributes or source; what the request leaves out stays. */
  async updateDocument(body: UpdateDocumentRequest, call: CallOptions = {}): Promise<Document> {
    return (await sdk.updateDocument({ body, ...options(call) })).data.data;
  },
  /** Reads a failed file again; poll its status as after `importFile`. */
  async retryDocument(document: RetryDocumentRequest | string, call: CallOptions = {}): Promise<Document> {
    return (await sdk.retryDocument({ body: toDocumentInput(document), ...options(call) })).data.data;
  },
  async listPassages(query: ListPassagesData['query'], call: CallOptions = {}): Promise<Page<Passage>> {
    return (await sdk.listPassages({ query, ...options(call) })).data;
  },
  /** Everything that is known about a document. */
  async getDocument(
    document: GetDocumentData['query'] | string,
    call: CallOptions = {},
  ): Promise<DocumentDetails> {
    const query = toDocumentInput(document);
    return (await sdk.getDocument({ query, ...options(call) })).data.data;
  },
  /** The status of a document. With `waitSeconds` (30 at most) the answer waits for a final status. */
  async getDocumentStatus(
    query: GetDocumentStatusData['query'],
    call: CallOptions = {},
  ): Promise<DocumentStatusReport> {
    const waitMs = (query.waitSeconds ?? 0) * 1000;
    return (await sdk.getDocumentStatus({ query, ...options(call, { waitMs }) })).data.data;
  },
  /** The account's webhooks, newest first, with their last deliveries. */
  async listWebhooks(
    query: NonNullable<ListWebhooksData['query']> = {},
    call: CallOptions = {},
  ): Promise<Page<Webhook>> {
    return (await sdk.listWebhooks({ query, ...options(call) })).data;
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

/** The operations that change something. A repeated request changes nothing further. */
export const createWriteOperations = (options: Options, idempotent = createIdempotentOptions(options)) => ({
  /** A new, empty knowledge base. */
  async createKnowledgeBase(
    body: CreateKnowledgeBaseRequest,
    call: CreateOptions = {},
  ): Promise<KnowledgeBase> {
    return (await sdk.createKnowledgeBase({ body, ...idempotent(call) })).data.data;
  },
  /** Replaces the name, the description or both. */
  async updateKnowledgeBase(
    body: UpdateKnowledgeBaseRequest,
    call: CallOptions = {},
  ): Promise<KnowledgeBase> {
    return (await sdk.updateKnowledgeBase({ body, ...options(call) })).data.data;
  },
  /** Deletes a knowledge base with everything in it. */
  async deleteKnowledgeBase(
    knowledgeBase: DeleteKnowledgeBaseRequest | string,
    call: CallOptions = {},
  ): Promise<DeletedKnowledgeBase> {
    const body = toKnowledgeBaseInput(knowledgeBase);
    const target = { id: body.knowledgeBaseId, notFoundCode: 'KNOWLEDGE_BASE_NOT_FOUND' } as const;
    return await deleteIdempotently(
      target,
      async (onLostAnswer) =>
        (await sdk.deleteKnowledgeBase({ body, ...options(call, { onLostAnswer }) })).data.data,
    );
  },
  /** Makes a document of a text, searchable at once. */
  async importTextContent(body: ImportTextContentRequest, call: CreateOptions = {}): Promise<Document> {
    return (await sdk.importTextContent({ body, ...idempotent(call) })).data.data;
  },
  /** An upload address for one file. `uploadFile` does this and the steps after it. */
  async presignUploadUrl(body: PresignUploadUrlRequest, call: CreateOptions = {}): Promise<UploadTicket> {
    return (await sdk.presignUploadUrl({ body, ...idempotent(call) })).data.data;
  },
  /** Makes a document of a file whose bytes have been sent. The service reads it in the background. */
  async importFile(body: ImportFileRequest, call: CallOptions = {}): Promise<Document> {
    return (await sdk.importFile({ body, ...options(call) })).data.data;
  },
  /** Deletes a document in any status. */
  async deleteDocument(
    document: DeleteDocumentRequest | string,
    call: CallOptions = {},
  ): Promise<DeletedDocument> {
    const body = toDocumentInput(document);
    const target = { id: body.documentId, notFoundCode: 'DOCUMENT_NOT_FOUND' } as const;
    return await deleteIdempotently(
      target,
      async (onLostAnswer) =>
        (await sdk.deleteDocument({ body, ...options(call, { onLostAnswer }) })).data.data,
    );
  },
  /** A new webhook. Only this answer has its secret: store it for `verifyWebhook`. */
  async createWebhook(body: CreateWebhookRequest, call: CreateOptions = {}): Promise<CreatedWebhook> {
    return (await sdk.createWebhook({ body, ...idempotent(call) })).data.data;
  },
  /** Sends a test event. Returns what the receiver said, also when it refused. */
  async testWebhook(webhook: TestWebhookRequest | string, call: CallOptions = {}): Promise<WebhookTest> {
    return (await sdk.testWebhook({ body: toWebhookInput(webhook), ...options(call) })).data.data;
  },
  /** Deletes a webhook. */
  async deleteWebhook(
    webhook: DeleteWebhookRequest | string,
    call: CallOptions = {},
  ): Promise<DeletedWebhook> {
    const body = toWebhookInput(webhook);
    const target = { id: body.webhookId, notFoundCode: 'WEBHOOK_NOT_FOUND' } as const;
    return await deleteIdempotently(
      target,
      async (onLostAnswer) =>
        (await sdk.deleteWebhook({ body, ...options(call, { onLostAnswer }) })).data.data,
    );
  },
});
