/** Bugs in the fields of successes: a wrong type, format or name, a missing or additional field. */
import type {
  AttributeSummary,
  AttributesSummary,
  Balance,
  CreatedToken,
  CreatedWebhook,
  Document,
  DocumentContent,
  KeptQueries,
  KnowledgeBase,
  Pagination,
  Passage,
  QueryHistory,
  SearchResult,
  Synonyms,
  Usage,
  WebhookTest,
} from '../../../generated/types.gen.ts';
import { operationOf, type Schema } from '../../../src/contract-check/spec/read-spec.ts';
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
  'createKey',
  'listKeys',
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
type Change = (value: unknown) => unknown;

/** Ways in which a required field can be wrong. */
const WRONG_FIELDS: [name: string, change: Change][] = [
  ['is missing', () => undefined],
  ['is null', () => null],
  ['has another type', (value) => (typeof value === 'string' ? [value] : String(value))],
];

function inOtherCase(value: unknown): string {
  const upper = String(value).toUpperCase();
  return upper === value ? upper.toLowerCase() : upper;
}

/** Values of the right type that its schema forbids. */
function findWrongValues(schema: Schema): [name: string, change: Change][] {
  const { type, format, enum: values, minimum, required: [first] = [] } = schema;
  return [
    ...(values ? [['is in another case', inOtherCase] as const] : []),
    ...(minimum === 0 ? [['is below 0', (value: unknown) => -1 - Number(value)] as const] : []),
    ...(type === 'integer' ? [['is a fraction', (value: unknown) => Number(value) + 0.5] as const] : []),
    ...(format === 'date-time'
      ? [['is without its zone', (value: unknown) => String(value).replace('T', ' ').slice(0, 19)] as const]
      : []),
    ...(first !== undefined
      ? [[`is without its ${first}`, (value: unknown) => without(value as Fields, first)] as const]
      : []),
  ].map(([name, change]) => [name, change]);
}

/** Bugs in each required field of an operation's data, or of its items, and a field that the schema does not have. */
function deriveBugs(operationId: OperationId): Bug[] {
  const data = operationOf(operationId).responses['200']?.content['application/json'].schema.properties?.data;
  const { required = [], properties = {} } = data?.items ?? data ?? {};
  const changing = (name: string, change: (fields: Fields) => Fields) =>
    data?.type === 'array' ? inItems(name, operationId, change) : inData(name, operationId, change);
  const inFields = required.flatMap((field, index) => {
    const wrong = [WRONG_FIELDS[index % WRONG_FIELDS.length], ...findWrongValues(properties[field] ?? {})];
    return wrong.flatMap((each) => {
      if (each === undefined) return [];
      const [name, change] = each;
      return [
        changing(`${field} of ${operationId} ${name}`, (fields) => ({
          ...fields,
          [field]: change(fields[field]),
        })),
      ];
    });
  });
  const unknown = changing(`an internal field of ${operationId}`, (fields) => ({ ...fields, internal: 1 }));
  return [...inFields, unknown];
}

/** Derived from the schemas of the spec. */
export const DERIVED_BUGS = WITH_EVERY_RESOURCE.flatMap(deriveBugs);

/** A secret in the form of the contract. */
const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes).toString('base64')}`;

/** Sets these fields. */
const having = (fields: Fields) => (data: Fields) => ({ ...data, ...fields });

const result = (name: string, change: (item: SearchResult) => unknown) =>
  inItems<SearchResult>(name, 'query', change);

const withAnnotations = ({ metadata, ...item }: SearchResult, annotations: unknown) => ({
  ...item,
  metadata: { ...metadata, annotations },
});

export const SEARCH_RESULT_BUGS = [
  result('score as a percentage', (item) => ({ ...item, score: item.score * 100 + 1 })),
  result('annotations as an object', (item) => withAnnotations(item, item.location)),
  result('annotations that are not JSON', (item) => withAnnotations(item, 'p. 1')),
  result('annotations that differ from location', (item) =>
    withAnnotations(item, JSON.stringify({ ...item.location, start: 7 })),
  ),
  result('location that ends one character early', (item) => ({
    ...item,
    location: item.location && { ...item.location, end: item.location.end - 1 },
  })),
  inData<SearchResult[]>('an object of results by id', 'query', (items) =>
    Object.fromEntries(items.map((item) => [item.id, item])),
  ),
];

const NO_DOCUMENTS = { pending: 0, processing: 0, processed: 0, failed: 0, timeout: 0 };

/** Each document, or each knowledge base, has the same wrong value. */
const SAME_VALUES: [name: string, operationId: OperationId, wrong: Fields][] = [
  ['an update keeps the old title', 'updateDocument', { title: 'Gauges' }],
  ['a file in one request loses its attributes', 'uploadFile', { attributes: undefined }],
  ['a file in one request has the size of its name', 'uploadFile', { size: 9 }],
  ['a file of an address loses its address', 'importUrl', { sourceUrl: undefined }],
  ['a file of an address is processed before it is fetched', 'importUrl', { status: 'processed' }],
  [
    'a file that is read again keeps its reason',
    'retryDocument',
    { error: { code: 'NO_TEXT_EXTRACTED', message: 'No text.' } },
  ],
  ['documents being read count as processed', 'getKnowledgeBase', { documentsByStatus: NO_DOCUMENTS }],
  ['an update ignores the description', 'updateKnowledgeBase', { description: '' }],
  ['an undocumented status', 'importTextContent', { status: 'done' }],
  ['imported text is pending', 'importTextContent', { status: 'pending' }],
  ['imported text has the type of a file', 'importTextContent', { type: 'txt' }],
  ['an imported file has another title', 'importFile', { title: 'upload-1' }],
  ['a status that never becomes final', 'getDocumentStatus', { status: 'processing' }],
  ['languages as names', 'getDocument', { languages: ['english'] }],
  ['details with another passageCount', 'getDocument', { passageCount: 1 }],
  ['the same secret for all webhooks', 'createWebhook', { secret: secretOf(32) }],
  ['a secret of 16 bytes', 'createWebhook', { secret: secretOf(16) }],
  ['a new webhook is disabled', 'createWebhook', { status: 'disabled' }],
  ['a test that failed was delivered', 'testWebhook', { delivered: true }],
];

const SAME_VALUES_OF_ITEMS: [name: string, operationId: OperationId, wrong: Fields][] = [
  ['type as a media type', 'listDocuments', { type: 'text/plain' }],
  ['warnings as a string', 'listDocuments', { warnings: '' }],
  ['warnings as sentences', 'listDocuments', { warnings: ['Page 2: without text.'] }],
  ['a passageCount below 0', 'listDocuments', { passageCount: -1 }],
  ['error null without an error', 'listDocuments', { error: null }],
  ['a list with secrets', 'listWebhooks', { secret: 'whsec_' }],
];

export const VALUE_BUGS = [
  ...SAME_VALUES.map(([name, operationId, wrong]) => inData(name, operationId, having(wrong))),
  ...SAME_VALUES_OF_ITEMS.map(([name, operationId, wrong]) => inItems(name, operationId, having(wrong))),
];

export const KNOWLEDGE_BASE_BUGS = [
  inData<KnowledgeBase>('an id of 32 characters', 'createKnowledgeBase', (data) => ({
    ...data,
    id: data.id.replaceAll('-', ''),
  })),
  inItems<KnowledgeBase>('ids instead of knowledge bases', 'listKnowledgeBases', ({ id }) => id),
  inData<KnowledgeBase>('the documents of every knowledge base are counted', 'getKnowledgeBase', (data) => ({
    ...data,
    documentCount: (data.documentCount ?? 0) + 1,
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
  inData('a deletion without the id', 'deleteKnowledgeBase', () => ({})),
];

/** Changes the types of each attribute. */
const inAttributes = (name: string, change: (types: AttributeSummary['types']) => unknown) =>
  inData<AttributesSummary>(name, 'listAttributes', ({ attributes, ...data }) => ({
    ...data,
    attributes: attributes.map((each) => ({ ...each, types: change(each.types) })),
  }));

export const ATTRIBUTE_BUGS = [
  inData<AttributesSummary>('a document that is gone is counted', 'listAttributes', (data) => ({
    ...data,
    countedDocuments: data.countedDocuments + 1,
  })),
  inAttributes('values come in any order', (types) =>
    types.map((each) => ({ ...each, values: each.values.toReversed() })),
  ),
  inAttributes('numbers count as texts', (types) => types.map((each) => ({ ...each, type: 'text' }))),
];

export const HISTORY_BUGS = [
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
];

export const KEY_BUGS = [
  inData<{ id: string }>('another key is revoked', 'revokeKey', () => ({ id: '0'.repeat(24) })),
  inData<CreatedToken>('a token ends earlier than it was to', 'createToken', (data) => ({
    ...data,
    expiresAt: data.expiresAt.replace(/^\d{4}/, '2020'),
  })),
];

export const DOCUMENT_BUGS = [
  inData<Document>('size in kilobytes', 'importTextContent', (data) => ({ ...data, size: data.size / 1024 })),
  inData<Document>('size in characters', 'importTextContent', (data) => ({ ...data, size: data.size - 8 })),
  inData<Document>('an imported file has another size', 'importFile', (data) => ({
    ...data,
    size: data.size + 1,
  })),
  inData('the id alone as data', 'deleteDocument', ({ id }: { id: string }) => id),
  inData<DocumentContent>(
    'the text of a document without its first character',
    'getDocumentContent',
    (data) => ({ ...data, text: data.text.slice(1) }),
  ),
  inItems<Passage>('passages numbered from 0', 'listPassages', (item) => ({
    ...item,
    location: { ...item.location, passage: item.location.passage - 1 },
  })),
];

export const WEBHOOK_BUGS = [
  inData<CreatedWebhook>('the webhook has another address', 'createWebhook', (data) => ({
    ...data,
    url: `${data.url}/`,
  })),
  inData('the id of a webhook alone', 'deleteWebhook', ({ id }: { id: string }) => id),
  inData<WebhookTest>('a test looks like an event', 'testWebhook', (data) => ({
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
