/** The client: one function for each operation, and helpers that bring files in and wait for them. */
import { createClient } from '../../generated/client/index.ts';
import * as sdk from '../../generated/sdk.gen.ts';
import type {
  Balance,
  CreateKnowledgeBaseRequest,
  DeletedDocument,
  DeletedKnowledgeBase,
  Document,
  DocumentDetails,
  DocumentStatusReport,
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
  KnowledgeRetrievalError,
  type KnowledgeRetrievalErrorCode,
  parseJson,
  unexpectedAnswer,
} from './errors.ts';
import { type FileSource, openFile } from './file-source.ts';
import { type PollOptions, untilProcessed } from './poll.ts';
import { send } from './send.ts';

/** Where the service is, and how patient the client is with it. */
export type KnowledgeRetrievalSettings = {
  /** The service's address, with a path where a proxy adds one. */
  baseUrl: string;
  apiKey: string;
  /** For each attempt of a request, in milliseconds; 60,000 by default. */
  timeoutMs?: number;
  /** How often a request is sent again after a 429, a 503 or a broken connection; 2 by default, 0: never. */
  retries?: number;
  /** Instead of the platform's own. */
  fetch?: typeof fetch;
};

/** `timeoutMs` and `retries` instead of the client's, for one call. */
export type CallOptions = { signal?: AbortSignal; timeoutMs?: number; retries?: number };

/**
 * `idempotencyKey` instead of a new one: 1 to 255 visible ASCII characters. What is called again with the same key and
 * the same input within a day is not done again, also by another process.
 */
export type CreateOptions = CallOptions & { idempotencyKey?: string };

/** One page of a list. */
export type Page<Item> = { data: Item[]; pagination: Pagination };

/** A file for a knowledge base. */
export type UploadFileRequest = FileSource & { knowledgeBaseId: string };

const TIMEOUT_MS = 60_000;
const RETRIES = 2;
/** As long as the service itself lets an upload take. */
const UPLOAD_TIMEOUT_MS = 600_000;

type Context = Required<Omit<KnowledgeRetrievalSettings, 'apiKey'>>;

/**
 * How one operation is called by the generated client: through `send`. The time that the service was asked to wait comes
 * on top of the timeout.
 */
function createOptions({ baseUrl, apiKey, ...context }: Context & { apiKey: string }) {
  const client = createClient({ baseUrl, headers: { 'x-api-key': apiKey } });
  return (
    { signal, timeoutMs = context.timeoutMs, retries = context.retries }: CallOptions,
    { waitMs = 0, onLoss = () => {} }: { waitMs?: number; onLoss?: () => void } = {},
  ) => {
    const fetchBySend = async (request: Request): Promise<Response> => {
      const { url: address, method, headers } = request;
      const body = method === 'GET' ? undefined : await request.text();
      const sent = { address, method, headers, body, signal };
      const { response, text } = await send(sent, {
        ...context,
        timeoutMs: timeoutMs + waitMs,
        retries,
        onLoss,
      });
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

function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** How an operation that creates is called: under one key, however often it is sent. */
const createCreating = (options: Options) => {
  return ({ idempotencyKey = createKey(), ...call }: CreateOptions) => ({
    headers: { 'Idempotency-Key': idempotencyKey },
    ...options(call),
  });
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
const createQuestions = (options: Options) => ({
  /** The passages that answer the query, best first. Costs one credit, and so does an answer that was lost. */
  async query(body: QueryRequest, call: CallOptions = {}): Promise<SearchResult[]> {
    return (await sdk.query({ body, ...options(call) })).data.data;
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
  async getDocument(documentId: string, call: CallOptions = {}): Promise<DocumentDetails> {
    return (await sdk.getDocument({ query: { documentId }, ...options(call) })).data.data;
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
const createChanges = (options: Options, creating = createCreating(options)) => ({
  /** A new, empty knowledge base. */
  async createKnowledgeBase(
    body: CreateKnowledgeBaseRequest,
    call: CreateOptions = {},
  ): Promise<KnowledgeBase> {
    return (await sdk.createKnowledgeBase({ body, ...creating(call) })).data.data;
  },
  /** Deletes a knowledge base with everything in it. */
  async deleteKnowledgeBase(knowledgeBaseId: string, call: CallOptions = {}): Promise<DeletedKnowledgeBase> {
    const body = { knowledgeBaseId };
    const gone = { id: knowledgeBaseId, goneCode: 'KNOWLEDGE_BASE_NOT_FOUND' } as const;
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
  async deleteDocument(documentId: string, call: CallOptions = {}): Promise<DeletedDocument> {
    const gone = { id: documentId, goneCode: 'DOCUMENT_NOT_FOUND' } as const;
    const body = { documentId };
    return await deleteSurely(
      gone,
      async (onLoss) => (await sdk.deleteDocument({ body, ...options(call, { onLoss }) })).data.data,
    );
  },
});

/**
 * A client of one service with one key. Every function gives the `data` of the answer, lists a page with its
 * `pagination`; whatever goes wrong is thrown as a KnowledgeRetrievalError.
 */
export function createKnowledgeRetrieval(settings: KnowledgeRetrievalSettings) {
  const { timeoutMs = TIMEOUT_MS, retries = RETRIES, apiKey } = settings;
  // The platform's fetch wants to be called as the global that it is.
  const fetch = settings.fetch ?? ((...request) => globalThis.fetch(...request));
  const context: Context = { timeoutMs, retries, fetch, baseUrl: settings.baseUrl.replace(/\/+$/, '') };
  const options = createOptions({ ...context, apiKey });
  const questions = createQuestions(options);
  const changes = createChanges(options);

  /** The document once it is processed. */
  const untilDone = async (document: Document, poll?: PollOptions): Promise<Document> => ({
    ...document,
    ...(await untilProcessed(questions.getDocumentStatus, document.id, poll)),
  });

  /**
   * Brings a file in: asks for an upload address, sends the bytes there, and imports them. The document is then
   * `pending`. A path works in Node only.
   */
  const uploadFile = async (
    { knowledgeBaseId, ...source }: UploadFileRequest,
    call: CallOptions = {},
  ): Promise<Document> => {
    const { fileName, sizeBytes: size, read } = await openFile(source);
    const ticket = await changes.presignUploadUrl({ knowledgeBaseId, fileName, size }, call);
    const { uploadUrl: address, method, headers, fileId } = ticket;
    const sent = { address, method, headers, body: await read(), signal: call.signal };
    const { retries: again = retries } = call;
    await send(sent, { ...context, retries: again, timeoutMs: UPLOAD_TIMEOUT_MS });
    return await changes.importFile({ fileId }, call);
  };

  return {
    ...questions,
    ...changes,
    uploadFile,
    /** As uploadFile, and waits until the document is processed. */
    uploadFileAndPoll: async (request: UploadFileRequest, poll: PollOptions = {}): Promise<Document> =>
      await untilDone(await uploadFile(request, signalOf(poll)), poll),
    /** As importFile, and waits until the document is processed. */
    importFileAndPoll: async (body: ImportFileRequest, poll: PollOptions = {}): Promise<Document> =>
      await untilDone(await changes.importFile(body, signalOf(poll)), poll),
    /** As importTextContent; the document is processed at once, but this holds whatever a service does. */
    importTextContentAndPoll: async (
      body: ImportTextContentRequest,
      { idempotencyKey, ...poll }: PollOptions & Pick<CreateOptions, 'idempotencyKey'> = {},
    ): Promise<Document> => {
      const key = idempotencyKey === undefined ? {} : { idempotencyKey };
      return await untilDone(await changes.importTextContent(body, { ...signalOf(poll), ...key }), poll);
    },
    /** The status of a document once it is processed. */
    pollDocumentStatus: async (documentId: string, poll: PollOptions = {}): Promise<DocumentStatusReport> =>
      await untilProcessed(questions.getDocumentStatus, documentId, poll),
  };
}

const signalOf = ({ signal }: PollOptions): CallOptions => (signal === undefined ? {} : { signal });

export type KnowledgeRetrieval = ReturnType<typeof createKnowledgeRetrieval>;
