/** The operations by the generated client: input → `data` (for lists: the whole body). Refusals are thrown. */
import type { Client } from '../../../generated/client/index.ts';
import * as sdk from '../../../generated/sdk.gen.ts';
import type {
  CreateKeyRequest,
  CreateKnowledgeBaseRequest,
  CreateTokenRequest,
  CreateWebhookRequest,
  GetDocumentContentData,
  ImportFileRequest,
  ImportTextContentRequest,
  ImportUrlRequest,
  ListDocumentsData,
  ListKeysData,
  ListKnowledgeBasesData,
  ListPassagesData,
  ListQueriesData,
  ListWebhooksData,
  PresignUploadUrlRequest,
  QueryRequest,
  SetSynonymsRequest,
  UpdateDocumentRequest,
  UpdateKnowledgeBaseRequest,
  UploadFileData,
} from '../../../generated/types.gen.ts';
import { toQuery } from './query-string.ts';

/** The client that sends, and throws refusals. */
type Sender = { client: Client; throwOnError: true };

/** The payload of a success. */
const dataOf = async <Data>(answer: Promise<{ data: { data: Data } }>): Promise<Data> =>
  (await answer).data.data;

const knowledgeBaseCalls = (to: Sender) => ({
  createKnowledgeBase: (body: CreateKnowledgeBaseRequest) => dataOf(sdk.createKnowledgeBase({ ...to, body })),
  getKnowledgeBase: (knowledgeBaseId: string) =>
    dataOf(sdk.getKnowledgeBase({ ...to, query: { knowledgeBaseId } })),
  listKnowledgeBases: async (query: NonNullable<ListKnowledgeBasesData['query']> = {}) =>
    (await sdk.listKnowledgeBases({ ...to, query })).data,
  updateKnowledgeBase: (body: UpdateKnowledgeBaseRequest) => dataOf(sdk.updateKnowledgeBase({ ...to, body })),
  deleteKnowledgeBase: (knowledgeBaseId: string) =>
    dataOf(sdk.deleteKnowledgeBase({ ...to, body: { knowledgeBaseId } })),
  getUsage: () => dataOf(sdk.getUsage(to)),
  getBalance: async () => (await dataOf(sdk.getBalance(to))).balance,
  createKey: (body: CreateKeyRequest = {}) => dataOf(sdk.createKey({ ...to, body })),
  listKeys: async (query: NonNullable<ListKeysData['query']> = {}) =>
    (await sdk.listKeys({ ...to, query })).data,
  revokeKey: (keyId: string) => dataOf(sdk.revokeKey({ ...to, body: { keyId } })),
  createToken: (body: CreateTokenRequest = {}) => dataOf(sdk.createToken({ ...to, body })),
});

const fileCalls = (to: Sender) => ({
  presignUploadUrl: (body: PresignUploadUrlRequest) => dataOf(sdk.presignUploadUrl({ ...to, body })),
  importFile: (fileId: string, options: Omit<ImportFileRequest, 'fileId'> = {}) =>
    dataOf(sdk.importFile({ ...to, body: { fileId, ...options } })),
  importUrl: (body: ImportUrlRequest) => dataOf(sdk.importUrl({ ...to, body })),
  uploadFile: (query: UploadFileData['query'], bytes: string | Uint8Array) =>
    dataOf(
      sdk.uploadFile({
        ...to,
        query,
        querySerializer: toQuery,
        body: new Blob([new Uint8Array(Buffer.from(bytes))]),
      }),
    ),
  importTextContent: (body: ImportTextContentRequest) => dataOf(sdk.importTextContent({ ...to, body })),
  presignDownloadUrl: (documentId: string) =>
    dataOf(sdk.presignDownloadUrl({ ...to, query: { documentId } })),
});

const documentCalls = (to: Sender) => ({
  query: (body: QueryRequest) => dataOf(sdk.query({ ...to, body })),
  listDocuments: async (query: ListDocumentsData['query']) =>
    (await sdk.listDocuments({ ...to, query })).data,
  listAttributes: (knowledgeBaseId: string) =>
    dataOf(sdk.listAttributes({ ...to, query: { knowledgeBaseId } })),
  getDocument: (documentId: string) => dataOf(sdk.getDocument({ ...to, query: { documentId } })),
  getDocumentStatus: (documentId: string, waitSeconds?: number) =>
    dataOf(
      sdk.getDocumentStatus({
        ...to,
        query: { documentId, ...(waitSeconds !== undefined && { waitSeconds }) },
      }),
    ),
  getDocumentContent: (query: GetDocumentContentData['query']) =>
    dataOf(sdk.getDocumentContent({ ...to, query })),
  listPassages: async (query: ListPassagesData['query']) => (await sdk.listPassages({ ...to, query })).data,
  updateDocument: (body: UpdateDocumentRequest) => dataOf(sdk.updateDocument({ ...to, body })),
  retryDocument: (documentId: string) => dataOf(sdk.retryDocument({ ...to, body: { documentId } })),
  deleteDocument: (documentId: string) => dataOf(sdk.deleteDocument({ ...to, body: { documentId } })),
});

const synonymCalls = (to: Sender) => ({
  getSynonyms: (knowledgeBaseId?: string) =>
    dataOf(sdk.getSynonyms({ ...to, query: knowledgeBaseId === undefined ? {} : { knowledgeBaseId } })),
  setSynonyms: (body: SetSynonymsRequest) => dataOf(sdk.setSynonyms({ ...to, body })),
});

const queryHistoryCalls = (to: Sender) => ({
  listQueries: (query: NonNullable<ListQueriesData['query']> = {}) =>
    dataOf(sdk.listQueries({ ...to, query })),
  setQueryHistory: (enabled: boolean) => dataOf(sdk.setQueryHistory({ ...to, body: { enabled } })),
});

const webhookCalls = (to: Sender) => ({
  createWebhook: (body: CreateWebhookRequest) => dataOf(sdk.createWebhook({ ...to, body })),
  listWebhooks: async (query: NonNullable<ListWebhooksData['query']> = {}) =>
    (await sdk.listWebhooks({ ...to, query })).data,
  deleteWebhook: (webhookId: string) => dataOf(sdk.deleteWebhook({ ...to, body: { webhookId } })),
  testWebhook: (webhookId: string) => dataOf(sdk.testWebhook({ ...to, body: { webhookId } })),
});

export function createApi(client: Client) {
  const to: Sender = { client, throwOnError: true };
  return {
    ...knowledgeBaseCalls(to),
    ...fileCalls(to),
    ...documentCalls(to),
    ...synonymCalls(to),
    ...queryHistoryCalls(to),
    ...webhookCalls(to),
  };
}

export type Api = ReturnType<typeof createApi>;
