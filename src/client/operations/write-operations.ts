/** The operations that change something, one function for each. */
import * as sdk from '../../../generated/sdk.gen.ts';
import type {
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
  ImportFileRequest,
  ImportTextContentRequest,
  ImportUrlRequest,
  KnowledgeBase,
  PresignUploadUrlRequest,
  RetryDocumentRequest,
  SetSynonymsRequest,
  Synonyms,
  TestWebhookRequest,
  UpdateDocumentRequest,
  UpdateKnowledgeBaseRequest,
  UploadTicket,
  WebhookTest,
} from '../../../generated/types.gen.ts';
import { KnowledgeRetrievalError, type KnowledgeRetrievalErrorCode } from '../errors.ts';
import type { CallOptions, CreateOptions } from '../settings.ts';
import { toDocumentInput, toFileInput, toKnowledgeBaseInput, toWebhookInput } from './bare-id.ts';
import { createIdempotentOptions, type RequestOptions } from './request-options.ts';

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

/** A repeated request changes nothing further. */
export const createWriteOperations = (
  options: RequestOptions,
  idempotent = createIdempotentOptions(options),
) => ({
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
  /** Replaces all groups of synonyms of the account or of a knowledge base. */
  async setSynonyms(body: SetSynonymsRequest, call: CallOptions = {}): Promise<Synonyms> {
    return (await sdk.setSynonyms({ body, ...options(call) })).data.data;
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
  async importFile(file: ImportFileRequest | string, call: CallOptions = {}): Promise<Document> {
    return (await sdk.importFile({ body: toFileInput(file), ...options(call) })).data.data;
  },
  /** Makes a document of the file at an address. The service fetches and reads it in the background. */
  async importUrl(body: ImportUrlRequest, call: CreateOptions = {}): Promise<Document> {
    return (await sdk.importUrl({ body, ...idempotent(call) })).data.data;
  },
  /** Changes title, attributes or source; what the request leaves out stays. */
  async updateDocument(body: UpdateDocumentRequest, call: CallOptions = {}): Promise<Document> {
    return (await sdk.updateDocument({ body, ...options(call) })).data.data;
  },
  /** Reads a failed file again; poll its status as after `importFile`. */
  async retryDocument(document: RetryDocumentRequest | string, call: CallOptions = {}): Promise<Document> {
    return (await sdk.retryDocument({ body: toDocumentInput(document), ...options(call) })).data.data;
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

export type WriteOperations = ReturnType<typeof createWriteOperations>;
