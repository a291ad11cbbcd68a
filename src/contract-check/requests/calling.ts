/** Two ways to call the service, both checked against the spec: the generated client, and raw requests. */
import type { OutgoingHttpHeaders } from 'node:http';
import { type Client, createClient } from '../../../generated/client/index.ts';
import * as sdk from '../../../generated/sdk.gen.ts';
import type {
  CreateKnowledgeBaseRequest,
  CreateWebhookRequest,
  GetDocumentContentData,
  ImportFileRequest,
  ImportTextContentRequest,
  ListDocumentsData,
  ListKnowledgeBasesData,
  ListPassagesData,
  ListWebhooksData,
  PresignUploadUrlRequest,
  QueryRequest,
  UpdateDocumentRequest,
  UpdateKnowledgeBaseRequest,
  UploadFileData,
} from '../../../generated/types.gen.ts';
import { OPERATION_IDS, type OperationId, ROUTES } from '../spec/routes.ts';
import { requireContract, selectsFields } from './answer-contract.ts';
import { type Answer, exchange, parseJson, type Sent } from './exchange.ts';

/** @throws an Error when the answer to a request of the generated client violates the contract */
export async function requireResponse(
  request: Pick<Request, 'url'>,
  response: Response,
  isSelection = false,
): Promise<void> {
  const { pathname } = new URL(request.url);
  const operationId = OPERATION_IDS.find((id) => pathname.endsWith(ROUTES[id].path));
  const { status } = response;
  const text = await response.clone().text();
  const headers = Object.fromEntries(response.headers);
  requireContract(operationId, { status, headers, text, body: parseJson(text) }, isSelection);
}

/** Time-out of a request, in milliseconds: the longest wait of an operation (30 s), and time for its answer. */
const TIMEOUT_MS = 45_000;

/** fetch for the generated client; rejects an answer that violates the contract, or does not come in time. */
export async function fetchChecked(request: Request): Promise<Response> {
  const isSelection = selectsFields(await request.clone().text());
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(request, { signal });
  await requireResponse(request, response, isSelection);
  return response;
}

/** The payload of a success. */
const dataOf = async <Data>(answer: Promise<{ data: { data: Data } }>): Promise<Data> =>
  (await answer).data.data;

/** The operations by the generated client: input → `data` (for lists: the whole body). Refusals are thrown. */
function createApi(sender: Client) {
  const to = { client: sender, throwOnError: true } as const;
  return {
    query: (body: QueryRequest) => dataOf(sdk.query({ ...to, body })),
    importFile: (fileId: string, options: Omit<ImportFileRequest, 'fileId'> = {}) =>
      dataOf(sdk.importFile({ ...to, body: { fileId, ...options } })),
    presignUploadUrl: (body: PresignUploadUrlRequest) => dataOf(sdk.presignUploadUrl({ ...to, body })),
    presignDownloadUrl: (documentId: string) =>
      dataOf(sdk.presignDownloadUrl({ ...to, query: { documentId } })),
    deleteKnowledgeBase: (knowledgeBaseId: string) =>
      dataOf(sdk.deleteKnowledgeBase({ ...to, body: { knowledgeBaseId } })),
    deleteDocument: (documentId: string) => dataOf(sdk.deleteDocument({ ...to, body: { documentId } })),
    importTextContent: (body: ImportTextContentRequest) => dataOf(sdk.importTextContent({ ...to, body })),
    createKnowledgeBase: (body: CreateKnowledgeBaseRequest) =>
      dataOf(sdk.createKnowledgeBase({ ...to, body })),
    listDocuments: async (query: ListDocumentsData['query']) =>
      (await sdk.listDocuments({ ...to, query })).data,
    listKnowledgeBases: async (query: NonNullable<ListKnowledgeBasesData['query']> = {}) =>
      (await sdk.listKnowledgeBases({ ...to, query })).data,
    getDocumentStatus: (documentId: string, waitSeconds?: number) =>
      dataOf(
        sdk.getDocumentStatus({
          ...to,
          query: { documentId, ...(waitSeconds !== undefined && { waitSeconds }) },
        }),
      ),
    getDocument: (documentId: string) => dataOf(sdk.getDocument({ ...to, query: { documentId } })),
    getDocumentContent: (query: GetDocumentContentData['query']) =>
      dataOf(sdk.getDocumentContent({ ...to, query })),
    uploadFile: (query: UploadFileData['query'], bytes: string | Uint8Array) =>
      dataOf(
        sdk.uploadFile({
          ...to,
          query,
          querySerializer: toQuery,
          body: new Blob([new Uint8Array(Buffer.from(bytes))]),
        }),
      ),
    updateDocument: (body: UpdateDocumentRequest) => dataOf(sdk.updateDocument({ ...to, body })),
    retryDocument: (documentId: string) => dataOf(sdk.retryDocument({ ...to, body: { documentId } })),
    listPassages: async (query: ListPassagesData['query']) => (await sdk.listPassages({ ...to, query })).data,
    getKnowledgeBase: (knowledgeBaseId: string) =>
      dataOf(sdk.getKnowledgeBase({ ...to, query: { knowledgeBaseId } })),
    updateKnowledgeBase: (body: UpdateKnowledgeBaseRequest) =>
      dataOf(sdk.updateKnowledgeBase({ ...to, body })),
    createWebhook: (body: CreateWebhookRequest) => dataOf(sdk.createWebhook({ ...to, body })),
    listWebhooks: async (query: NonNullable<ListWebhooksData['query']> = {}) =>
      (await sdk.listWebhooks({ ...to, query })).data,
    deleteWebhook: (webhookId: string) => dataOf(sdk.deleteWebhook({ ...to, body: { webhookId } })),
    testWebhook: (webhookId: string) => dataOf(sdk.testWebhook({ ...to, body: { webhookId } })),
    getUsage: () => dataOf(sdk.getUsage(to)),
    getBalance: async () => (await dataOf(sdk.getBalance(to))).balance,
  };
}

export type Api = ReturnType<typeof createApi>;

/** Fields of any kind: a body in JSON, or query parameters. Text and bytes are sent as they are. */
export type Input = object | string | Uint8Array | null | undefined;

/** Sends any input to an operation. These headers replace the usual ones (undefined removes one). */
export type RequestOperation = (
  operationId: OperationId,
  input?: Input,
  headers?: OutgoingHttpHeaders,
) => Promise<Answer>;

const isVerbatim = (input: Input): input is string | Uint8Array | undefined =>
  input === undefined || typeof input === 'string' || input instanceof Uint8Array;

/** The file that an operation gets which takes one. */
export const SENT_BYTES = 'The gauge of the quayside crane is read at dawn.';

/** A query string. Values other than text become JSON, and lone surrogates U+FFFD. */
export const toQuery = (fields: object): string =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString();

/** The request of an operation with this input, without a key. */
export function toSent(operationId: OperationId, input: Input): Sent {
  const { method, path, body: kind } = ROUTES[operationId];
  if (kind === 'json') {
    const body = isVerbatim(input) ? input : JSON.stringify(input);
    return { method, path, headers: { 'content-type': 'application/json' }, body };
  }
  const query = isVerbatim(input) ? (input ?? '') : toQuery(input ?? {});
  const sent = { method, path: `${path}?${query}` };
  if (kind === undefined) return sent;
  return { ...sent, headers: { 'content-type': 'application/octet-stream' }, body: SENT_BYTES };
}

const withoutUndefined = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));

/** Both ways to call one service with one key. */
export function createCaller({ address, apiKey }: { address: string; apiKey: string }) {
  const client = createClient({
    baseUrl: address,
    headers: { 'x-api-key': apiKey },
    querySerializer: toQuery,
    fetch: fetchChecked as typeof fetch, // the client calls it with a Request only
  });
  const request: RequestOperation = async (operationId, input, headers = {}) => {
    const sent = toSent(operationId, input);
    const all = withoutUndefined({ 'x-api-key': apiKey, ...sent.headers, ...headers });
    const answer = await exchange(address, { ...sent, headers: all });
    requireContract(operationId, answer, selectsFields(sent.body));
    return answer;
  };
  return { address, apiKey, api: createApi(client), request };
}

export type Caller = ReturnType<typeof createCaller>;
