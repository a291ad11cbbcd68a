/** Bugs of the fields of successes: another type, another form, another name, too few or too many. */
import type {
  Balance,
  Document,
  DocumentDetails,
  DocumentStatusReport,
  KnowledgeBase,
  Pagination,
  Passage,
  SearchResult,
  UploadTicket,
  Usage,
} from '../../generated/types.gen.ts';
import { inBody, inData, inItems, without } from './bug.ts';

const result = (name: string, change: (item: SearchResult) => unknown) =>
  inItems<SearchResult>(name, 'query', change);

export const SEARCH_RESULT_BUGS = [
  result('score as a string', (item) => ({ ...item, score: String(item.score) })),
  result('score as a percentage', (item) => ({ ...item, score: item.score * 100 + 1 })),
  result('score as a cost, below 0', (item) => ({ ...item, score: -item.score })),
  result('score null', (item) => ({ ...item, score: null })),
  result('no score', (item) => without(item, 'score')),
  result('documentId in place of document_id', ({ document_id, ...item }) => ({
    ...item,
    documentId: document_id,
  })),
  result('no knowledge_base_id', (item) => without(item, 'knowledge_base_id')),
  result('no title', (item) => without(item, 'title')),
  result('content as a list of lines', (item) => ({ ...item, content: item.content.split('\n') })),
  result('metadata null', (item) => ({ ...item, metadata: null })),
  result('metadata without source', (item) => ({ ...item, metadata: without(item.metadata, 'source') })),
  result('annotations as an object', (item) => ({
    ...item,
    metadata: { ...item.metadata, annotations: item.location },
  })),
  result('annotations that are no JSON', (item) => ({
    ...item,
    metadata: { ...item.metadata, annotations: 'p. 1' },
  })),
  result('annotations of another place than location', (item) => ({
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
  result('an inner field of the ranking', (item) => ({ ...item, lexemes: ['contain', 'restart'] })),
  inData<SearchResult[]>('results under their ids', 'query', (items) =>
    Object.fromEntries(items.map((item) => [item.id, item])),
  ),
  inData<SearchResult[]>('results below the data', 'query', (results) => ({ results })),
];

const made = (name: string, change: (data: KnowledgeBase) => unknown) =>
  inData<KnowledgeBase>(name, 'createKnowledgeBase', change);

export const KNOWLEDGE_BASE_BUGS = [
  made('createdAt in milliseconds', (data) => ({ ...data, createdAt: Date.parse(data.createdAt) })),
  made('createdAt without a T', (data) => ({
    ...data,
    createdAt: data.createdAt.replace('T', ' ').slice(0, 19),
  })),
  made('created_at in place of createdAt', ({ createdAt, ...data }) => ({ ...data, created_at: createdAt })),
  made('no updatedAt', (data) => without(data, 'updatedAt')),
  made('the account of a knowledge base', (data) => ({ ...data, accountId: data.id })),
  made('an id of 32 characters', (data) => ({ ...data, id: data.id.replaceAll('-', '') })),
  made('an id as a number', (data) => ({ ...data, id: 17 })),
  inItems<KnowledgeBase>('description null', 'listKnowledgeBases', (item) => ({
    ...item,
    description: null,
  })),
  inItems<KnowledgeBase>('ids in place of knowledge bases', 'listKnowledgeBases', ({ id }) => id),
  inData('a deletion without the id', 'deleteKnowledgeBase', () => ({})),
  inData('the id alone as data', 'deleteDocument', ({ id }: { id: string }) => id),
];

const imported = (name: string, change: (data: Document) => unknown) =>
  inData<Document>(name, 'importTextContent', change);
const listed = (name: string, change: (item: Document) => unknown) =>
  inItems<Document>(name, 'listDocuments', change);

export const DOCUMENT_BUGS = [
  imported('size as a string', (data) => ({ ...data, size: String(data.size) })),
  imported('size in kilobytes', (data) => ({ ...data, size: data.size / 1024 })),
  imported('size in characters', (data) => ({ ...data, size: data.size - 8 })),
  imported('a status of another word', (data) => ({ ...data, status: 'done' })),
  imported('imported text that is pending', (data) => ({ ...data, status: 'pending' })),
  imported('the type of a file', (data) => ({ ...data, type: 'txt' })),
  imported('no id', (data) => without(data, 'id')),
  listed('status in upper case', (item) => ({ ...item, status: item.status.toUpperCase() })),
  listed('type as a media type', (item) => ({ ...item, type: 'text/plain' })),
  listed('warnings as a string', (item) => ({ ...item, warnings: '' })),
  listed('a passageCount below 0', (item) => ({ ...item, passageCount: -1 })),
  listed('error null where nothing is wrong', (item) => ({ ...item, error: null })),
  listed('the content of each document', (item) => ({ ...item, content: 'text' })),
  inData<Document>('an imported file under another name', 'importFile', (data) => ({
    ...data,
    title: 'upload-1',
  })),
  inData<Document>('an imported file of another size', 'importFile', (data) => ({
    ...data,
    size: data.size + 1,
  })),
  inData<DocumentStatusReport>('a status without its id', 'getDocumentStatus', (data) => without(data, 'id')),
  inData<DocumentStatusReport>('a status by number', 'getDocumentStatus', (data) => ({ ...data, status: 2 })),
  inData<DocumentStatusReport>('a status that never ends', 'getDocumentStatus', (data) => ({
    ...data,
    status: 'processing',
  })),
  inData<DocumentDetails>('languages as names', 'getDocument', (data) => ({
    ...data,
    languages: ['english'],
  })),
  inData<DocumentDetails>('details of other passages', 'getDocument', (data) => ({
    ...data,
    passageCount: 1,
  })),
  inItems<Passage>('a passage without its language', 'listPassages', (item) => without(item, 'language')),
  inItems<Passage>('passages that count from 0', 'listPassages', (item) => ({
    ...item,
    location: { ...item.location, passage: item.location.passage - 1 },
  })),
];

const ticket = (name: string, change: (data: UploadTicket) => unknown) =>
  inData<UploadTicket>(name, 'presignUploadUrl', change);

export const TICKET_BUGS = [
  ticket('no fileId', (data) => without(data, 'fileId')),
  ticket('uploadUrl as a path', (data) => ({ ...data, uploadUrl: new URL(data.uploadUrl).pathname })),
  ticket('an address that nothing takes', (data) => ({ ...data, uploadUrl: `${data.uploadUrl}0` })),
  ticket('upload by POST', (data) => ({ ...data, method: 'POST' })),
  ticket('headers as a list', (data) => ({ ...data, headers: [] })),
  ticket('a ticket that has expired', (data) => ({ ...data, expiresAt: '2026-01-15T10:30:50.112Z' })),
  ticket('a life in seconds', ({ expiresAt: _, ...data }) => ({ ...data, expiresIn: 3600 })),
];

const paged = (name: string, at: string, change: (pagination: Pagination) => unknown) =>
  inBody(name, at, (body) => ({ ...body, pagination: change(body.pagination as Pagination) })); // a list's, by its schema

export const NUMBER_AND_PAGE_BUGS = [
  inData<Usage>('storageUsed as a string', 'getUsage', (data) => ({
    ...data,
    storageUsed: String(data.storageUsed),
  })),
  inData<Usage>('storageUsed in kilobytes', 'getUsage', (data) => ({
    ...data,
    storageUsed: data.storageUsed / 1024,
  })),
  inData<Usage>('no knowledgeBaseCount', 'getUsage', (data) => without(data, 'knowledgeBaseCount')),
  inData<Balance>('balance as a string', 'getBalance', ({ balance }) => ({ balance: String(balance) })),
  inData<Balance>('balance below 0', 'getBalance', ({ balance }) => ({ balance: -balance })),
  inData<Balance>('balance in fractions', 'getBalance', ({ balance }) => ({ balance: balance / 7 })),
  inData<Balance>('the balance itself as data', 'getBalance', ({ balance }) => balance),
  inBody('a list without pagination', 'listDocuments 200', (body) => without(body, 'pagination')),
  paged('no nextCursor', 'listPassages 200', (pagination) => without(pagination, 'nextCursor')),
  paged('hasMore as a string', 'listDocuments 200', ({ hasMore, nextCursor }) => ({
    nextCursor,
    hasMore: `${hasMore}`,
  })),
  paged('an empty cursor', 'listKnowledgeBases 200', ({ hasMore }) => ({ hasMore, nextCursor: '' })),
  paged('a cursor as a number', 'listDocuments 200', ({ hasMore }) => ({ hasMore, nextCursor: 3 })),
];
