/** Bugs in the fields of successes: a wrong type, format or name, a missing or additional field. */
import type {
  AttributesSummary,
  Balance,
  CreatedWebhook,
  Document,
  DocumentContent,
  DocumentDetails,
  DocumentStatusReport,
  KeptQueries,
  KnowledgeBase,
  Pagination,
  Passage,
  QueryHistory,
  SearchResult,
  Synonyms,
  Usage,
  Webhook,
  WebhookTest,
} from '../../../generated/types.gen.ts';
import { operationOf } from '../../../src/contract-check/spec/read-spec.ts';
import type { OperationId } from '../../../src/contract-check/spec/routes.ts';
import { type Bug, inBody, inData, inItems, without } from './bug.ts';

/** Operations whose answers together contain every resource. */
const WITH_EVERY_RESOURCE: OperationId[] = [
  'createKnowledgeBase',
  'listDocuments',
  'getDocumentStatus',
  'presignUploadUrl',
  'presignDownloadUrl',
  'getUsage',
  'getBalance',
  'createToken',
  'listPassages',
  'getKnowledgeBase',
  'getSynonyms',
  'listAttributes',
  'getDocumentContent',
  'query',
  'createWebhook',
  'listWebhooks',
  'testWebhook',
  'listQueries',
];

type Fields = Record<string, unknown>;

/** Ways in which a required field can be wrong. */
const WRONG_FIELDS: [name: string, change: (value: unknown) => unknown][] = [
  ['is missing', () => undefined],
  ['is null', () => null],
  ['has another type', (value) => (typeof value === 'string' ? [value] : String(value))],
];

/** One bug for each required field of an operation's data, or of its items. */
function deriveBugs(operationId: OperationId): Bug[] {
  const data = operationOf(operationId).responses['200']?.content['application/json'].schema.properties?.data;
  const { required = [] } = data?.items ?? data ?? {};
  return required.map((field, index) => {
    const [wrong, change] = WRONG_FIELDS[index % WRONG_FIELDS.length] ?? ['is missing', () => undefined];
    const inField = (fields: Fields) => ({ ...fields, [field]: change(fields[field]) });
    const name = `${field} of ${operationId} ${wrong}`;
    return data?.type === 'array' ? inItems(name, operationId, inField) : inData(name, operationId, inField);
  });
}

/** Derived from the schemas of the spec. */
export const DERIVED_BUGS = WITH_EVERY_RESOURCE.flatMap(deriveBugs);

const result = (name: string, change: (item: SearchResult) => unknown) =>
  inItems<SearchResult>(name, 'query', change);

export const SEARCH_RESULT_BUGS = [
  result('score as a percentage', (item) => ({ ...item, score: item.score * 100 + 1 })),
  result('score as a cost, below 0', (item) => ({ ...item, score: -item.score })),
  result('documentId instead of document_id', ({ document_id, ...item }) => ({
    ...item,
    documentId: document_id,
  })),
  result('metadata without source', (item) => ({ ...item, metadata: without(item.metadata, 'source') })),
  result('annotations as an object', (item) => ({
    ...item,
    metadata: { ...item.metadata, annotations: item.location },
  })),
  result('annotations that are not JSON', (item) => ({
    ...item,
    metadata: { ...item.metadata, annotations: 'p. 1' },
  })),
  result('annotations that differ from location', (item) => ({
    ...item,
    metadata: { ...item.metadata, annotations: JSON.stringify({ ...item.location, start: 7 }) },
  })),
  result('location that ends one character early', (item) => ({
    ...item,
    location: item.location && { ...item.location, end: item.location.end - 1 },
  })),
  result('location without headings', (item) => ({
    ...item,
    location: item.location && without(item.location, 'headings'),
  })),
  result('an internal field of the ranking', (item) => ({ ...item, lexemes: ['contain', 'restart'] })),
  inData<SearchResult[]>('an object of results by id', 'query', (items) =>
    Object.fromEntries(items.map((item) => [item.id, item])),
  ),
  inData<SearchResult[]>('results in a field of the data', 'query', (results) => ({ results })),
];

const created = (name: string, change: (data: KnowledgeBase) => unknown) =>
  inData<KnowledgeBase>(name, 'createKnowledgeBase', change);

export const KNOWLEDGE_BASE_BUGS = [
  created('createdAt without a T', (data) => ({
    ...data,
    createdAt: data.createdAt.replace('T', ' ').slice(0, 19),
  })),
  created('created_at instead of createdAt', ({ createdAt, ...data }) => ({
    ...data,
    created_at: createdAt,
  })),
  created('an accountId in a knowledge base', (data) => ({ ...data, accountId: data.id })),
  created('an id of 32 characters', (data) => ({ ...data, id: data.id.replaceAll('-', '') })),
  inItems<KnowledgeBase>('description null', 'listKnowledgeBases', (item) => ({
    ...item,
    description: null,
  })),
  inItems<KnowledgeBase>('ids instead of knowledge bases', 'listKnowledgeBases', ({ id }) => id),
  inData<DocumentContent>(
    'the text of a document without its first character',
    'getDocumentContent',
    (data) => ({
      ...data,
      text: data.text.slice(1),
    }),
  ),
  inData<Document>('an update keeps the old title', 'updateDocument', (data) => ({
    ...data,
    title: 'Gauges',
  })),
  inData<Document>('a file in one request loses its attributes', 'uploadFile', (data) =>
    without(data, 'attributes'),
  ),
  inData<Document>('a file of an address loses its address', 'importUrl', (data) =>
    without(data, 'sourceUrl'),
  ),
  inData<Document>('a file of an address is processed before it is fetched', 'importUrl', (data) => ({
    ...data,
    status: 'processed',
  })),
  inData<Document>('a file in one request has the size of its name', 'uploadFile', (data) => ({
    ...data,
    size: 9,
  })),
  inData<Document>('a file that is read again keeps its reason', 'retryDocument', (data) => ({
    ...data,
    error: { code: 'NO_TEXT_EXTRACTED', message: 'No text.' },
  })),
  inData<KnowledgeBase>('the documents of every knowledge base are counted', 'getKnowledgeBase', (data) => ({
    ...data,
    documentCount: (data.documentCount ?? 0) + 1,
  })),
  inData<KnowledgeBase>('documents being read count as processed', 'getKnowledgeBase', (data) => ({
    ...data,
    documentsByStatus: { pending: 0, processing: 0, processed: 0, failed: 0, timeout: 0 },
  })),
  inData<KnowledgeBase>('an update ignores the description', 'updateKnowledgeBase', (data) => ({
    ...data,
    description: '',
  })),
  inData<KnowledgeBase>('an update does not change updatedAt', 'updateKnowledgeBase', (data) => ({
    ...data,
    updatedAt: data.createdAt,
  })),
  inData<Synonyms>('synonyms lose their direction', 'setSynonyms', ({ groups }) => ({
    groups: groups.map(({ terms }) => ({ terms })),
  })),
  inData<Synonyms>('synonyms come in another order', 'getSynonyms', ({ groups }) => ({
    groups: groups.toReversed(),
  })),
  inData<AttributesSummary>('a document that is gone is counted', 'listAttributes', (data) => ({
    ...data,
    countedDocuments: data.countedDocuments + 1,
  })),
  inData<AttributesSummary>('values come in any order', 'listAttributes', ({ attributes, ...data }) => ({
    ...data,
    attributes: attributes.map((each) => ({
      ...each,
      types: each.types.map((ofType) => ({ ...ofType, values: ofType.values.toReversed() })),
    })),
  })),
  inData<AttributesSummary>('numbers count as texts', 'listAttributes', ({ attributes, ...data }) => ({
    ...data,
    attributes: attributes.map((each) => ({
      ...each,
      types: each.types.map((ofType) => ({ ...ofType, type: 'text' })),
    })),
  })),
  inData<KeptQueries>('a list of queries with their results', 'listQueries', (data) => ({
    ...data,
    queries: data.queries.map((query) => ({ ...query, resultCount: query.resultCount + 1 })),
  })),
  inData<KeptQueries>('the earliest query is the first', 'listQueries', ({ queries, ...data }) => ({
    ...data,
    queries: queries.toReversed(),
  })),
  inData<QueryHistory>('queries are kept although nobody wants it', 'setQueryHistory', () => ({
    keptSince: '2026-01-15T09:28:41.903Z',
  })),
  inData('a deletion without the id', 'deleteKnowledgeBase', () => ({})),
  inData('the id alone as data', 'deleteDocument', ({ id }: { id: string }) => id),
];

const imported = (name: string, change: (data: Document) => unknown) =>
  inData<Document>(name, 'importTextContent', change);
const listed = (name: string, change: (item: Document) => unknown) =>
  inItems<Document>(name, 'listDocuments', change);

export const DOCUMENT_BUGS = [
  imported('size in kilobytes', (data) => ({ ...data, size: data.size / 1024 })),
  imported('size in characters', (data) => ({ ...data, size: data.size - 8 })),
  imported('an undocumented status', (data) => ({ ...data, status: 'done' })),
  imported('imported text is pending', (data) => ({ ...data, status: 'pending' })),
  imported('imported text has the type of a file', (data) => ({ ...data, type: 'txt' })),
  listed('status in upper case', (item) => ({ ...item, status: item.status.toUpperCase() })),
  listed('type as a media type', (item) => ({ ...item, type: 'text/plain' })),
  listed('warnings as a string', (item) => ({ ...item, warnings: '' })),
  listed('warnings as sentences', (item) => ({ ...item, warnings: ['Page 2: without text.'] })),
  listed('a passageCount below 0', (item) => ({ ...item, passageCount: -1 })),
  listed('error null without an error', (item) => ({ ...item, error: null })),
  listed('the content of each document', (item) => ({ ...item, content: 'text' })),
  inData<Document>('an imported file has another title', 'importFile', (data) => ({
    ...data,
    title: 'upload-1',
  })),
  inData<Document>('an imported file has another size', 'importFile', (data) => ({
    ...data,
    size: data.size + 1,
  })),
  inData<DocumentStatusReport>('a status without its id', 'getDocumentStatus', (data) => without(data, 'id')),
  inData<DocumentStatusReport>('status as a number', 'getDocumentStatus', (data) => ({ ...data, status: 2 })),
  inData<DocumentStatusReport>('a status that never becomes final', 'getDocumentStatus', (data) => ({
    ...data,
    status: 'processing',
  })),
  inData<DocumentDetails>('languages as names', 'getDocument', (data) => ({
    ...data,
    languages: ['english'],
  })),
  inData<DocumentDetails>('details with another passageCount', 'getDocument', (data) => ({
    ...data,
    passageCount: 1,
  })),
  inItems<Passage>('a passage without its language', 'listPassages', (item) => without(item, 'language')),
  inItems<Passage>('passages numbered from 0', 'listPassages', (item) => ({
    ...item,
    location: { ...item.location, passage: item.location.passage - 1 },
  })),
];

const createdWebhook = (name: string, change: (data: CreatedWebhook) => unknown) =>
  inData<CreatedWebhook>(name, 'createWebhook', change);
const tested = (name: string, change: (data: WebhookTest) => unknown) =>
  inData<WebhookTest>(name, 'testWebhook', change);

export const WEBHOOK_BUGS = [
  createdWebhook('the same secret for all webhooks', (data) => ({
    ...data,
    secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
  })),
  createdWebhook('a secret of 16 bytes', (data) => ({
    ...data,
    secret: `whsec_${Buffer.alloc(16).toString('base64')}`,
  })),
  createdWebhook('a new webhook is disabled', (data) => ({ ...data, status: 'disabled' })),
  createdWebhook('the webhook has another address', (data) => ({ ...data, url: `${data.url}/` })),
  inItems<Webhook>('a list with secrets', 'listWebhooks', (item) => ({ ...item, secret: 'whsec_' })),
  inData('the id of a webhook alone', 'deleteWebhook', ({ id }: { id: string }) => id),
  tested('a test that failed was delivered', (data) => ({ ...data, delivered: true })),
  tested('a test looks like an event', (data) => ({
    ...data,
    delivery: { ...data.delivery, eventType: 'document.processed' },
  })),
];

/** A bug in the `pagination` of a list. */
const inPagination = (name: string, at: string, change: (pagination: Pagination) => unknown) =>
  inBody(name, at, (body) => ({ ...body, pagination: change(body.pagination as Pagination) }));

export const NUMBER_AND_PAGE_BUGS = [
  inData<Usage>('storageUsed in kilobytes', 'getUsage', (data) => ({
    ...data,
    storageUsed: data.storageUsed / 1024,
  })),
  inData<Usage>('a limit as text', 'getUsage', (data) => ({
    ...data,
    limits: { ...data.limits, storage: '10 GiB' },
  })),
  inData<Balance>('the price of a query is off by one', 'getBalance', ({ balance, creditsPerQuery = 1 }) => ({
    balance,
    creditsPerQuery: creditsPerQuery + 1,
  })),
  inData<Balance>('balance below 0', 'getBalance', ({ balance }) => ({ balance: -balance })),
  inData<Balance>('balance in fractions', 'getBalance', ({ balance }) => ({ balance: balance / 7 })),
  inData<Balance>('the balance itself as data', 'getBalance', ({ balance }) => balance),
  inBody('a list without pagination', 'listDocuments 200', (body) => without(body, 'pagination')),
  inPagination('no nextCursor', 'listPassages 200', (pagination) => without(pagination, 'nextCursor')),
  inPagination('hasMore as a string', 'listDocuments 200', ({ hasMore, nextCursor }) => ({
    nextCursor,
    hasMore: `${hasMore}`,
  })),
  inPagination('an empty cursor', 'listKnowledgeBases 200', ({ hasMore }) => ({ hasMore, nextCursor: '' })),
  inPagination('a cursor as a number', 'listDocuments 200', ({ hasMore }) => ({ hasMore, nextCursor: 3 })),
];
