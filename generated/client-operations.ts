// This file is generated from spec/openapi.yaml: do not edit
import {
  toDocumentInput,
  toFileInput,
  toKnowledgeBaseInput,
  toWebhookInput,
} from '../src/client/operations/bare-id.ts';
import { deleteIdempotently } from '../src/client/operations/delete-idempotently.ts';
import { listPages, type PagePromise } from '../src/client/operations/page.ts';
import { createIdempotentOptions, type RequestOptions } from '../src/client/operations/request-options.ts';
import type { CallOptions, CreateOptions } from '../src/client/settings.ts';
import * as sdk from './sdk.gen.ts';
import type {
  AttributesSummary,
  Balance,
  CreateKeyData,
  CreateKnowledgeBaseData,
  CreateTokenData,
  CreateWebhookData,
  CreatedKey,
  CreatedToken,
  CreatedWebhook,
  DeleteDocumentData,
  DeleteKnowledgeBaseData,
  DeleteWebhookData,
  DeletedDocument,
  DeletedKnowledgeBase,
  DeletedWebhook,
  Document,
  DocumentContent,
  DocumentDetails,
  DocumentStatusReport,
  DownloadTicket,
  GetDocumentContentData,
  GetDocumentData,
  GetDocumentStatusData,
  GetKnowledgeBaseData,
  GetSynonymsData,
  ImportFileData,
  ImportTextContentData,
  ImportUrlData,
  KeptQueries,
  Key,
  KnowledgeBase,
  ListAttributesData,
  ListDocumentsData,
  ListKeysData,
  ListKnowledgeBasesData,
  ListPassagesData,
  ListQueriesData,
  ListWebhooksData,
  Passage,
  PresignDownloadUrlData,
  PresignUploadUrlData,
  QueryHistory,
  RetryDocumentData,
  RevokeKeyData,
  RevokedKey,
  SetQueryHistoryData,
  SetSynonymsData,
  Synonyms,
  TestWebhookData,
  UpdateDocumentData,
  UpdateKnowledgeBaseData,
  UploadTicket,
  Usage,
  Webhook,
  WebhookTest,
} from './types.gen.ts';

/** Every function returns the `data` of the answer. All can be repeated: what creates something has a key. */
export const createOperations = (
  options: RequestOptions,
  idempotent = createIdempotentOptions(options),
) => ({
  /**
   * Import an uploaded file.
   *
   * The last of three steps: makes a document of a file whose bytes have arrived at its upload address. The
   * document starts as `pending`; the file is read and indexed in the background. Importing a `fileId` again
   * returns the same document.
   *
   * With an `externalId` the document replaces the earlier ones with this id as soon as it is `processed`. Until
   * then the earlier one is found, and it stays if the new one fails. With `ifUnchanged: skip` a file whose
   * content the service has already makes no new document.
   */
  async importFile(file: ImportFileData['body'] | string, call: CallOptions = {}): Promise<Document> {
    const body = toFileInput(file);
    return (await sdk.importFile({ body, ...options(call) })).data.data;
  },
  /**
   * Ask for an upload address.
   *
   * The first of three steps. Returns an address to which one file of exactly the declared size can be sent.
   *
   * The second step: `PUT` the raw bytes there (`curl -T manual.pdf "$uploadUrl"`), with or without a Content-Type,
   * and without the API key. Everybody who has the address can upload this file, so keep it secret. The third step:
   * `importFile`.
   *
   * The bytes may be sent again until the file is imported; the last complete body counts. The declared size
   * counts against the storage limit from now on, until the ticket expires without an upload.
   */
  async presignUploadUrl(body: PresignUploadUrlData['body'], call: CreateOptions = {}): Promise<UploadTicket> {
    return (await sdk.presignUploadUrl({ body, ...idempotent(call) })).data.data;
  },
  /**
   * Delete a knowledge base.
   *
   * Deletes a knowledge base with everything in it: documents, files, upload tickets and running imports. Once the
   * answer has arrived, nothing of it is listed, searched or counted. Deleting it again is a 404.
   */
  async deleteKnowledgeBase(knowledgeBase: DeleteKnowledgeBaseData['body'] | string, call: CallOptions = {}): Promise<DeletedKnowledgeBase> {
    const body = toKnowledgeBaseInput(knowledgeBase);
    return await deleteIdempotently({ id: body.knowledgeBaseId, notFoundCode: 'KNOWLEDGE_BASE_NOT_FOUND' }, async (onLostAnswer) => (await sdk.deleteKnowledgeBase({ body, ...options(call, { onLostAnswer }) })).data.data);
  },
  /**
   * Delete a document.
   *
   * Deletes a document in any status; a running import is cancelled. Once the answer has arrived, the document is
   * not listed, searched or counted. Deleting it again is a 404.
   */
  async deleteDocument(document: DeleteDocumentData['body'] | string, call: CallOptions = {}): Promise<DeletedDocument> {
    const body = toDocumentInput(document);
    return await deleteIdempotently({ id: body.documentId, notFoundCode: 'DOCUMENT_NOT_FOUND' }, async (onLostAnswer) => (await sdk.deleteDocument({ body, ...options(call, { onLostAnswer }) })).data.data);
  },
  /**
   * Import text.
   *
   * Makes a document of type `text` and indexes it before it answers. The document is then `processed`, and the
   * next query finds it. A text without readable characters, such as control characters only, is `failed`.
   * Every call makes a new document, also with the same title and content, unless it has the `Idempotency-Key`
   * of an earlier call, or says `ifUnchanged: skip`.
   *
   * With an `externalId` the document replaces the earlier ones with this id: every query finds either the old
   * one or the new one, never both or none.
   */
  async importTextContent(body: ImportTextContentData['body'], call: CreateOptions = {}): Promise<Document> {
    return (await sdk.importTextContent({ body, ...idempotent(call) })).data.data;
  },
  /**
   * Create a knowledge base.
   *
   * Makes an empty knowledge base. Two may have the same name; their ids differ.
   */
  async createKnowledgeBase(body: CreateKnowledgeBaseData['body'], call: CreateOptions = {}): Promise<KnowledgeBase> {
    return (await sdk.createKnowledgeBase({ body, ...idempotent(call) })).data.data;
  },
  /**
   * List the documents of a knowledge base: a page when awaited, all with `for await`.
   *
   * Returns the documents in every status, the newest first: up to 1000 without `limit` and `cursor`. While
   * `pagination.hasMore` is true, request the next page with `pagination.nextCursor` as `cursor`. If documents are
   * added or deleted meanwhile, no other document is skipped or repeated. A page ends earlier, with `hasMore`, after
   * the document with which the attributes of the page have 4 MiB.
   */
  listDocuments(knowledgeBase: ListDocumentsData['query'] | string, call: CallOptions = {}): PagePromise<Document> {
    const query = toKnowledgeBaseInput(knowledgeBase);
    return listPages(query, async (query) => (await sdk.listDocuments({ query, ...options(call) })).data);
  },
  /**
   * List the knowledge bases: a page when awaited, all with `for await`.
   *
   * Returns the account's knowledge bases, the newest first: up to 1000 without `limit` and `cursor`. While
   * `pagination.hasMore` is true, request the next page with `pagination.nextCursor` as `cursor`.
   */
  listKnowledgeBases(query: NonNullable<ListKnowledgeBasesData['query']> = {}, call: CallOptions = {}): PagePromise<KnowledgeBase> {
    return listPages(query, async (query) => (await sdk.listKnowledgeBases({ query, ...options(call) })).data);
  },
  /**
   * Ask how far a document is.
   *
   * Returns the status of one document. Poll it every 2 to 3 seconds until the status is `processed`, `failed` or
   * `timeout`. The last two come with the reason in `error`. While a file is `pending`, `queuePosition` is its
   * position in the queue. A processed document is found by its words; where the service compares meanings by a
   * model, `vectors` says how far it is found by its meaning too.
   *
   * With `waitSeconds` one request replaces many: the answer comes as soon as the status is one of these three, or
   * after that time with the current status. A server that has very many waiting requests, or is shutting down,
   * answers earlier.
   */
  async getDocumentStatus(document: GetDocumentStatusData['query'] | string, call: CallOptions = {}): Promise<DocumentStatusReport> {
    const query = toDocumentInput(document);
    return (await sdk.getDocumentStatus({ query, ...options(call, { waitMs: (query.waitSeconds ?? 0) * 1000 }) })).data.data;
  },
  /**
   * Ask what the account uses.
   *
   * Returns the numbers of knowledge bases, documents and passages and the bytes stored, exact at the time of the
   * answer, and the limits of the account. Open upload tickets, and uploads before their import, count against the
   * storage limit, but not as `storageUsed`.
   */
  async getUsage(call: CallOptions = {}): Promise<Usage> {
    return (await sdk.getUsage(options(call))).data.data;
  },
  /**
   * Ask for the balance.
   *
   * Returns the credits that are left, and the price of a query. This costs no credits.
   */
  async getBalance(call: CallOptions = {}): Promise<Balance> {
    return (await sdk.getBalance(options(call))).data.data;
  },
  /**
   * Ask for all details of a document.
   *
   * Returns one document with the fields of the list and further ones: the languages of its passages, and for an
   * uploaded file its id and the hash of its bytes.
   */
  async getDocument(document: GetDocumentData['query'] | string, call: CallOptions = {}): Promise<DocumentDetails> {
    const query = toDocumentInput(document);
    return (await sdk.getDocument({ query, ...options(call) })).data.data;
  },
  /**
   * List the passages of a document: a page when awaited, all with `for await`.
   *
   * Returns the passages into which a document was split, in their order: up to 1000 without `limit` and `cursor`.
   * While `pagination.hasMore` is true, request the next page with `pagination.nextCursor` as `cursor`. A document
   * that is not `processed` has no passages. Searches return a passage with the same id.
   */
  listPassages(document: ListPassagesData['query'] | string, call: CallOptions = {}): PagePromise<Passage> {
    const query = toDocumentInput(document);
    return listPages(query, async (query) => (await sdk.listPassages({ query, ...options(call) })).data);
  },
  /**
   * Ask for one knowledge base.
   *
   * Returns one knowledge base as the list does, with the number of its documents, also by status, of its passages,
   * and its bytes. All of these are exact at the time of the answer.
   */
  async getKnowledgeBase(knowledgeBase: GetKnowledgeBaseData['query'] | string, call: CallOptions = {}): Promise<KnowledgeBase> {
    const query = toKnowledgeBaseInput(knowledgeBase);
    return (await sdk.getKnowledgeBase({ query, ...options(call) })).data.data;
  },
  /**
   * Rename or describe a knowledge base.
   *
   * Replaces the name, the description or both, and sets `updatedAt`. A field that is left out stays as it is; an
   * empty description removes the present one. Without either field nothing changes.
   */
  async updateKnowledgeBase(body: UpdateKnowledgeBaseData['body'], call: CallOptions = {}): Promise<KnowledgeBase> {
    return (await sdk.updateKnowledgeBase({ body, ...options(call) })).data.data;
  },
  /**
   * Read the text of a document.
   *
   * Returns a part of the text into which `location.start` and `location.end` of passages point. Up to 100,000
   * characters come at once: request the next part with its `end` as `offset`, until `end` is `length`. Between
   * passages, line breaks stand for white space and for characters without a visible form. A document that is not
   * `processed` has no text.
   */
  async getDocumentContent(document: GetDocumentContentData['query'] | string, call: CallOptions = {}): Promise<DocumentContent> {
    const query = toDocumentInput(document);
    return (await sdk.getDocumentContent({ query, ...options(call) })).data.data;
  },
  /**
   * Change the title or attributes of a document.
   *
   * Changes what the request names, and leaves the rest. `attributes` replaces all of them; `{}` removes them. A new
   * title is searched as soon as the answer has arrived. `metadata.source` stays what it was.
   */
  async updateDocument(body: UpdateDocumentData['body'], call: CallOptions = {}): Promise<Document> {
    return (await sdk.updateDocument({ body, ...options(call) })).data.data;
  },
  /**
   * Read a failed file again.
   *
   * Puts a file whose status is `failed` or `timeout` into the queue again: it is `pending`, and will be read as after
   * `importFile`. An address that gave no file is opened again. Useful after `INTERNAL_ERROR` and `PROCESSING_TIMEOUT`, and after an upgrade that reads more formats.
   */
  async retryDocument(document: RetryDocumentData['body'] | string, call: CallOptions = {}): Promise<Document> {
    const body = toDocumentInput(document);
    return (await sdk.retryDocument({ body, ...options(call) })).data.data;
  },
  /**
   * Create a webhook.
   *
   * From now on the service sends the account's events to `url`, as `POST` requests with a `WebhookEvent` as JSON
   * body. They follow the Standard Webhooks specification: the headers `webhook-id`, `webhook-timestamp` and
   * `webhook-signature`. Verify the signature with the `secret` of this answer; it is shown only here.
   *
   * An event counts as received once the answer has a status from 200 to 299, within ten seconds. Otherwise it is
   * sent again, with growing pauses, for three days (a setting). It may arrive twice: then both requests have the
   * same `webhook-id`. The events of one document arrive in the order in which they happened. A receiver that has
   * accepted nothing for these three days is disabled, and so is one that answers 410.
   *
   * The address must be https, with port 443 or one from 1024 up, on a public network. Redirects are not followed.
   */
  async createWebhook(body: CreateWebhookData['body'], call: CreateOptions = {}): Promise<CreatedWebhook> {
    return (await sdk.createWebhook({ body, ...idempotent(call) })).data.data;
  },
  /**
   * List the webhooks: a page when awaited, all with `for await`.
   *
   * Returns the account's webhooks, the newest first, with their state and their last 20 deliveries: up to 1000
   * without `limit` and `cursor`. While `pagination.hasMore` is true, request the next page with
   * `pagination.nextCursor` as `cursor`.
   */
  listWebhooks(query: NonNullable<ListWebhooksData['query']> = {}, call: CallOptions = {}): PagePromise<Webhook> {
    return listPages(query, async (query) => (await sdk.listWebhooks({ query, ...options(call) })).data);
  },
  /**
   * Delete a webhook.
   *
   * Deletes a webhook. Events that wait are not sent any more; a request that is already under way may still
   * arrive. Deleting it again is a 404.
   */
  async deleteWebhook(webhook: DeleteWebhookData['body'] | string, call: CallOptions = {}): Promise<DeletedWebhook> {
    const body = toWebhookInput(webhook);
    return await deleteIdempotently({ id: body.webhookId, notFoundCode: 'WEBHOOK_NOT_FOUND' }, async (onLostAnswer) => (await sdk.deleteWebhook({ body, ...options(call, { onLostAnswer }) })).data.data);
  },
  /**
   * Send a test event.
   *
   * Sends an event of type `webhook.test` at once, and answers with what the receiver said, within ten seconds. A
   * test is sent only once. If the receiver accepts the test, a disabled webhook is enabled again. Events from the
   * time when it was disabled are not sent.
   */
  async testWebhook(webhook: TestWebhookData['body'] | string, call: CallOptions = {}): Promise<WebhookTest> {
    const body = toWebhookInput(webhook);
    return (await sdk.testWebhook({ body, ...options(call) })).data.data;
  },
  /**
   * Ask for a download address.
   *
   * Returns an address from which the file of a document can be downloaded for five minutes, with the bytes that were
   * uploaded. A file whose import has failed can be downloaded too; imported text has no file, but `getDocumentContent`.
   *
   * The address needs no API key: everybody who has it can download this file, so it can be the target of a link in a
   * page. A `GET` returns the bytes (`curl -OJ "$downloadUrl"`), with a `Range` a part of them. Browsers save the file
   * under its name, and never show it. A deletion of the document, or the end of the key, ends the address early.
   */
  async presignDownloadUrl(document: PresignDownloadUrlData['query'] | string, call: CallOptions = {}): Promise<DownloadTicket> {
    const query = toDocumentInput(document);
    return (await sdk.presignDownloadUrl({ query, ...options(call) })).data.data;
  },
  /**
   * Ask for synonyms.
   *
   * Returns the groups of synonyms of one knowledge base; without `knowledgeBaseId`, those of the account. They come
   * as they were set, in the same order. A knowledge base's own groups do not include those of the account.
   */
  async getSynonyms(query: NonNullable<GetSynonymsData['query']> = {}, call: CallOptions = {}): Promise<Synonyms> {
    return (await sdk.getSynonyms({ query, ...options(call) })).data.data;
  },
  /**
   * Set synonyms.
   *
   * Replaces all groups of synonyms of one knowledge base; without `knowledgeBaseId`, those of the account. An empty
   * list removes them. They count from the next query on, and no document has to be imported again.
   *
   * The terms of a group find each other; with `finds`, they find those terms, one way only. A term may have several
   * words: a query that has all of them, side by side, finds the synonyms, and a passage must have all words of a
   * synonym, side by side. Other forms of a word count as the word, as everywhere. A passage with a synonym scores
   * less than with the word of the query. A term in several groups has the synonyms of each; those have no further
   * ones. Of terms within each other, the longest that the query has counts.
   *
   * The account's groups count in all of its queries, a knowledge base's in those that search it. In a query over
   * several knowledge bases the groups of all of them count, in all passages. A key that is bound to single
   * knowledge bases may set theirs only.
   */
  async setSynonyms(body: SetSynonymsData['body'], call: CallOptions = {}): Promise<Synonyms> {
    return (await sdk.setSynonyms({ body, ...options(call) })).data.data;
  },
  /**
   * Import the file at an address.
   *
   * Makes a document of the file or page at an `http` or `https` address. The answer comes at once with a `pending`
   * document. Then the service fetches the file, once: no links are followed, only up to 5 redirects. It reads it
   * like an uploaded file of up to 50 MiB.
   *
   * ```sh
   * curl -H "x-api-key: $KEY" -H 'content-type: application/json' "$SERVICE/v1/importUrl" \
   *   -d '{"knowledgeBaseId": "'$ID'", "url": "https://example.com/manuals/operations-manual.pdf"}'
   * ```
   *
   * The address is the `externalId` too, if no other one is given. So the next import of the address replaces the
   * document. If the file has not changed since, nothing new is made: `getDocumentStatus` of the new document then
   * reports the one that is there, with its `id`, `status: processed` and `unchanged: true`.
   *
   * A server that cannot be reached, is busy or breaks off is tried again for about half a minute. The document of
   * an address that gives no file ends as `failed` with the reason; an earlier version stays.
   */
  async importUrl(body: ImportUrlData['body'], call: CreateOptions = {}): Promise<Document> {
    return (await sdk.importUrl({ body, ...idempotent(call) })).data.data;
  },
  /**
   * Ask which attributes documents have.
   *
   * Returns the attributes of the documents of a knowledge base: their names, their types, and the most frequent
   * values, each with the number of its documents. So people and agents know what a `filter` may ask for. Documents
   * count from the moment when they are `processed` until they are deleted. The most frequent names come first, up to
   * 100, and up to 10 values of each type. In a large knowledge base only the newest 10,000 documents are counted, or
   * fewer with much text in their attributes: then `isComplete` is false.
   */
  async listAttributes(knowledgeBase: ListAttributesData['query'] | string, call: CallOptions = {}): Promise<AttributesSummary> {
    const query = toKnowledgeBaseInput(knowledgeBase);
    return (await sdk.listAttributes({ query, ...options(call) })).data.data;
  },
  /**
   * List the last queries.
   *
   * Returns the account's last queries, the latest first: what was asked, how many results there were, and how long
   * the search took. They are kept only where `setQueryHistory` has asked for that, and never with the results. Kept
   * are the last 1,000, or those whose requests have 4 MiB, for 30 days at most. Queries that were refused or have
   * failed are not among them, and of what somebody types with `prefix` only the end. A query may be missing for five
   * seconds; a server that is killed loses those of its last five seconds.
   *
   * A query that names a knowledge base, or a document in it, goes with that knowledge base.
   */
  async listQueries(query: NonNullable<ListQueriesData['query']> = {}, call: CallOptions = {}): Promise<KeptQueries> {
    return (await sdk.listQueries({ query, ...options(call) })).data.data;
  },
  /**
   * Keep the last queries, or not.
   *
   * Says whether the account's last queries are kept for `listQueries`. They are not, until somebody asks for it. With
   * `enabled: false` those that were kept are removed at once. Several servers take up to five seconds to notice.
   */
  async setQueryHistory(body: SetQueryHistoryData['body'], call: CallOptions = {}): Promise<QueryHistory> {
    return (await sdk.setQueryHistory({ body, ...options(call) })).data.data;
  },
  /**
   * Create a token.
   *
   * Signs a token that stands for the key of this request for a while, and only reads: for the users of one's own
   * application, whose pages may hold it. It goes where a key goes, `x-api-key`, or into `Authorization: Bearer`.
   *
   * With `filter` it sees only the documents of its key that match: both filters apply. A token never sees more than
   * its key. One that is made by a token ends with that one at the latest, and has its filter too. Nothing is stored:
   * tokens end at their time, by the clocks of the servers, and all of them once their key is revoked or expires.
   * Their requests count in the rate limit of the key.
   */
  async createToken(body: NonNullable<CreateTokenData['body']> = {}, call: CallOptions = {}): Promise<CreatedToken> {
    return (await sdk.createToken({ body, ...options(call) })).data.data;
  },
  /**
   * Create a key.
   *
   * Makes an API key of the account. The answer has it, and no later one: the service stores only its hash.
   *
   * It may do everything, unless `scope`, `knowledgeBaseIds` or `filter` say less: see Authorization. A key with a
   * `filter` only reads; its scope is `search`. An account has up to 1000 keys that are neither revoked nor expired.
   */
  async createKey(body: NonNullable<CreateKeyData['body']> = {}, call: CallOptions = {}): Promise<CreatedKey> {
    return (await sdk.createKey({ body, ...options(call) })).data.data;
  },
  /**
   * List the keys: a page when awaited, all with `for await`.
   *
   * Returns the keys of the account, the newest first, without their secrets: also those that are revoked or expired.
   * Up to 1000 without `limit` and `cursor`. While `pagination.hasMore` is true, request the next page with
   * `pagination.nextCursor` as `cursor`.
   */
  listKeys(query: NonNullable<ListKeysData['query']> = {}, call: CallOptions = {}): PagePromise<Key> {
    return listPages(query, async (query) => (await sdk.listKeys({ query, ...options(call) })).data);
  },
  /**
   * Revoke a key.
   *
   * Revokes a key for ever, also the one of this request: within a second, all servers refuse it, its tokens and its
   * addresses. Revoking it again changes nothing.
   */
  async revokeKey(body: RevokeKeyData['body'], call: CallOptions = {}): Promise<RevokedKey> {
    return (await sdk.revokeKey({ body, ...options(call) })).data.data;
  },
});

export type Operations = ReturnType<typeof createOperations>;
