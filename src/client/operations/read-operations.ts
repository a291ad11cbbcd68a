/** The operations that only read, one function for each. */
import * as sdk from '../../../generated/sdk.gen.ts';
import type {
  AttributesSummary,
  Balance,
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
  KnowledgeBase,
  ListAttributesData,
  ListDocumentsData,
  ListKnowledgeBasesData,
  ListPassagesData,
  ListWebhooksData,
  Passage,
  PresignDownloadUrlData,
  QueryRequest,
  QueryWarning,
  SearchResult,
  SearchResultField,
  Synonyms,
  Usage,
  Webhook,
} from '../../../generated/types.gen.ts';
import type { CallOptions } from '../settings.ts';
import { toDocumentInput, toKnowledgeBaseInput } from './bare-id.ts';
import { listPages, type PagePromise } from './page.ts';
import type { RequestOptions } from './request-options.ts';

/** A search result with the fields that the query has selected: all where it names none. */
export type Selected<Field extends SearchResultField> = [Field] extends [never]
  ? SearchResult
  : Pick<SearchResult, Field>;

/**
 * The results of a query. Only where there are any: `phrasesAsWords`, the phrases of the query that no passage has, so
 * that their words were searched; and `warnings`, the parts of the search that did not run.
 */
export type Found<Field extends SearchResultField> = Selected<Field>[] & {
  phrasesAsWords?: string[];
  warnings?: QueryWarning[];
};

/** Repeating them is safe, since they change nothing. Only a query costs something. */
export const createReadOperations = (options: RequestOptions) => ({
  /**
   * The passages that answer the query, best first; with `fields`, only these fields of them. Costs one credit, even if
   * the answer is lost.
   */
  async query<Field extends SearchResultField = never>(
    body: QueryRequest & { fields?: Field[] },
    call: CallOptions = {},
  ): Promise<Found<Field>> {
    const answer = (await sdk.query({ body, ...options(call, { isCharged: true }) })).data;
    const { data, phrasesAsWords, warnings } = answer;
    return Object.assign(data, phrasesAsWords && { phrasesAsWords }, warnings && { warnings });
  },
  /**
   * The documents of a knowledge base, newest first: a page when awaited, all with `for await`. `limit` is the size of
   * a page.
   */
  listDocuments(
    knowledgeBase: ListDocumentsData['query'] | string,
    call: CallOptions = {},
  ): PagePromise<Document> {
    const query = toKnowledgeBaseInput(knowledgeBase);
    return listPages(query, async (query) => (await sdk.listDocuments({ query, ...options(call) })).data);
  },
  /** The account's knowledge bases, newest first: a page when awaited, all with `for await`. */
  listKnowledgeBases(
    query: NonNullable<ListKnowledgeBasesData['query']> = {},
    call: CallOptions = {},
  ): PagePromise<KnowledgeBase> {
    return listPages(
      query,
      async (query) => (await sdk.listKnowledgeBases({ query, ...options(call) })).data,
    );
  },
  /** A knowledge base with the numbers of its documents and passages. */
  async getKnowledgeBase(
    knowledgeBase: GetKnowledgeBaseData['query'] | string,
    call: CallOptions = {},
  ): Promise<KnowledgeBase> {
    const query = toKnowledgeBaseInput(knowledgeBase);
    return (await sdk.getKnowledgeBase({ query, ...options(call) })).data.data;
  },
  /** The attributes of a knowledge base's documents: names, types, and the most frequent values with their numbers. */
  async listAttributes(
    knowledgeBase: ListAttributesData['query'] | string,
    call: CallOptions = {},
  ): Promise<AttributesSummary> {
    const query = toKnowledgeBaseInput(knowledgeBase);
    return (await sdk.listAttributes({ query, ...options(call) })).data.data;
  },
  /** The groups of synonyms of the account or of a knowledge base. */
  async getSynonyms(
    query: NonNullable<GetSynonymsData['query']> = {},
    call: CallOptions = {},
  ): Promise<Synonyms> {
    return (await sdk.getSynonyms({ query, ...options(call) })).data.data;
  },
  /** A part of a document's text: up to 100,000 characters. The next part begins at `end`, until that is `length`. */
  async getDocumentContent(
    document: GetDocumentContentData['query'] | string,
    call: CallOptions = {},
  ): Promise<DocumentContent> {
    const query = toDocumentInput(document);
    return (await sdk.getDocumentContent({ query, ...options(call) })).data.data;
  },
  /** The passages of a document, in their order: a page when awaited, all with `for await`. */
  listPassages(document: ListPassagesData['query'] | string, call: CallOptions = {}): PagePromise<Passage> {
    const query = toDocumentInput(document);
    return listPages(query, async (query) => (await sdk.listPassages({ query, ...options(call) })).data);
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
    document: GetDocumentStatusData['query'] | string,
    call: CallOptions = {},
  ): Promise<DocumentStatusReport> {
    const query = toDocumentInput(document);
    const waitMs = (query.waitSeconds ?? 0) * 1000;
    return (await sdk.getDocumentStatus({ query, ...options(call, { waitMs }) })).data.data;
  },
  /**
   * An address from which anybody can download the file of a document for five minutes. `downloadFile` requests one,
   * and downloads the file.
   */
  async presignDownloadUrl(
    document: PresignDownloadUrlData['query'] | string,
    call: CallOptions = {},
  ): Promise<DownloadTicket> {
    const query = toDocumentInput(document);
    return (await sdk.presignDownloadUrl({ query, ...options(call) })).data.data;
  },
  /**
   * The account's webhooks, newest first, with their last deliveries: a page when awaited, all with `for await`.
   */
  listWebhooks(
    query: NonNullable<ListWebhooksData['query']> = {},
    call: CallOptions = {},
  ): PagePromise<Webhook> {
    return listPages(query, async (query) => (await sdk.listWebhooks({ query, ...options(call) })).data);
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
