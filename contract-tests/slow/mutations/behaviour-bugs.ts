/** Bugs in behaviour: order, pages, limits, deletions, usage and balance, imports. */
import type {
  Document,
  ExplainedMeaning,
  Explanation,
  Filter,
  KnowledgeBase,
  Pagination,
  Passage,
  QueryRequest,
  SearchMode,
  SearchResult,
  Usage,
} from '../../../generated/types.gen.ts';
import type { Answer, Sent } from '../../../src/contract-check/requests/exchange.ts';
import type { OperationId } from '../../../src/contract-check/spec/routes.ts';
import { type Bug, bug, inData, inItems, success, withBody } from './bug.ts';

/** A bug that answers a request of an operation as if it were another one. undefined: the answer stays. */
const withOtherRequest = (
  name: string,
  operationId: OperationId,
  rewrite: (sent: Sent) => Partial<Sent> | undefined,
): Bug =>
  bug(name, [`${operationId} 200`], () => async ({ operationId: actual, sent, answer, resend }) => {
    const other = actual === operationId && answer.status === 200 ? rewrite(sent) : undefined;
    return other === undefined ? answer : await resend(other);
  });

/** The request with a changed body and its Content-Length. */
function rewriteBody(
  { body, headers }: Sent,
  change: (input: Record<string, unknown>) => object,
): Partial<Sent> {
  const changed = JSON.stringify(change(JSON.parse(String(body))));
  return { body: changed, headers: { ...headers, 'content-length': Buffer.byteLength(changed) } };
}

const withoutBodyField = (field: string) => (sent: Sent) =>
  rewriteBody(sent, ({ [field]: _, ...input }) => input);

function withoutParameter(name: string) {
  return ({ path }: Sent): Partial<Sent> => {
    const { pathname, searchParams } = new URL(path, 'http://service');
    searchParams.delete(name);
    return { path: `${pathname}?${searchParams}` };
  };
}

/** The request with other types in the outermost condition of its filter. */
const withTypes = (sent: Sent, types: Record<string, string>) =>
  rewriteBody(sent, ({ filter, ...input }) => {
    const { type, ...condition } = (filter ?? {}) as Partial<Filter>; // a valid request
    return filter === undefined
      ? input
      : { ...input, filter: { ...condition, type: types[type ?? ''] ?? type } };
  });

/** A bug in the explanations of searches in one mode. `change` gets the place of the result. */
const inExplanations = (
  name: string,
  mode: SearchMode,
  change: (explanation: Explanation, place: number) => Explanation,
): Bug =>
  bug(name, ['query 200'], () => ({ operationId, sent, answer }) => {
    if (operationId !== 'query' || answer.status !== 200) return answer;
    if ((JSON.parse(String(sent.body)) as QueryRequest).mode !== mode) return answer;
    const { data } = answer.body as { data: SearchResult[] }; // a success
    const changed = data.map((item, place) =>
      item.explanation === undefined ? item : { ...item, explanation: change(item.explanation, place) },
    );
    return success(answer, changed);
  });

/** What adds as much as the terms. */
const meaningInsteadOf = ({ terms }: Explanation): ExplainedMeaning => ({
  contribution: terms.reduce((sum, { contribution }) => sum + contribution, 0),
  similarity: 1,
  pairs: [],
});

const NO_MEANING = { contribution: 0, similarity: 0, pairs: [] };

export const SEARCH_BUGS = [
  inExplanations('terms add to a score by meaning', 'meaning', (explanation) => ({
    ...explanation,
    meaning: NO_MEANING,
  })),
  inExplanations(
    'only the first score of a search by meaning is by meaning',
    'meaning',
    (explanation, place) =>
      place > 0 ? explanation : { ...explanation, terms: [], meaning: meaningInsteadOf(explanation) },
  ),
  withOtherRequest('limit is ignored', 'query', withoutBodyField('limit')),
  withOtherRequest('knowledgeBaseIds is ignored', 'query', withoutBodyField('knowledgeBaseIds')),
  withOtherRequest('prefix is ignored', 'query', withoutBodyField('prefix')),
  withOtherRequest('every word may be incomplete', 'query', (sent) =>
    rewriteBody(sent, (input) => ({ ...input, prefix: true })),
  ),
  withOtherRequest('an empty knowledgeBaseIds means all', 'query', (sent) =>
    String(sent.body).includes('"knowledgeBaseIds":[]')
      ? withoutBodyField('knowledgeBaseIds')(sent)
      : undefined,
  ),
  ...['filter', 'documentIds', 'maxPerDocument', 'distinct', 'minScore'].map((field) =>
    withOtherRequest(`${field} is ignored`, 'query', withoutBodyField(field)),
  ),
  withOtherRequest('an empty documentIds means all', 'query', (sent) =>
    String(sent.body).includes('"documentIds":[]') ? withoutBodyField('documentIds')(sent) : undefined,
  ),
  withOtherRequest('ne means eq', 'query', (sent) => withTypes(sent, { ne: 'eq' })),
  withOtherRequest('and means or', 'query', (sent) => withTypes(sent, { and: 'or' })),
  withOtherRequest('or means and', 'query', (sent) => withTypes(sent, { or: 'and' })),
  withOtherRequest('never more than one result', 'query', (sent) =>
    rewriteBody(sent, (input) => ({ ...input, limit: 1 })),
  ),
  withOtherRequest('up to 50 results without limit', 'query', (sent) =>
    rewriteBody(sent, (input) => ({ limit: 50, ...input })),
  ),
  withOtherRequest('a repeated id finds nothing', 'query', (sent) =>
    /"knowledgeBaseIds":\["([^"]+)","\1"\]/.test(String(sent.body))
      ? rewriteBody(sent, (input) => ({ ...input, knowledgeBaseIds: [], limit: 50 }))
      : undefined,
  ),
  bug(
    'an unknown id finds nothing instead of a 404',
    ['query 200'],
    () =>
      ({ operationId, answer }) =>
        operationId === 'query' && answer.status === 404 ? success(answer, []) : answer,
  ),
  inData<SearchResult[]>('without knowledgeBaseIds only one knowledge base is searched', 'query', (items) =>
    items.filter(({ knowledge_base_id }) => knowledge_base_id === items[0]?.knowledge_base_id),
  ),
  inData<SearchResult[]>('results with the lowest score first', 'query', (items) => items.toReversed()),
  inData<SearchResult[]>('results sorted by title', 'query', (items) =>
    items.toSorted((left, right) => left.title.localeCompare(right.title)),
  ),
  inData<SearchResult[]>('scores that are shares of their sum', 'query', (items) => {
    const sum = items.reduce((total, { score }) => total + score, 0);
    return items.map((item) => ({ ...item, score: item.score / sum }));
  }),
  inData<SearchResult[]>('a passage is found twice', 'query', (items) => [
    ...items.slice(0, -1),
    ...items.slice(0, 1),
  ]),
  inData<SearchResult[]>('every score after the first is 0', 'query', (items) =>
    items.map((item, index) => (index === 0 ? item : { ...item, score: 0 })),
  ),
  inItems<SearchResult>('content in lower case', 'query', (item) => ({
    ...item,
    content: item.content.toLowerCase(),
  })),
  inItems<SearchResult>('content is cut after 20 characters', 'query', (item) => ({
    ...item,
    content: `${item.content.slice(0, 20)}…`,
  })),
  inItems<SearchResult>('results of another knowledge base', 'query', (item) => ({
    ...item,
    knowledge_base_id: '0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f',
  })),
  inItems<SearchResult>('source is the id of the document', 'query', (item) => ({
    ...item,
    metadata: { ...item.metadata, source: item.document_id },
  })),
];

type ListBody = { data: unknown[]; pagination: Pagination };
const inPage = (name: string, operationId: OperationId, change: (page: ListBody) => object): Bug =>
  bug(name, [`${operationId} 200`], () => ({ operationId: actual, answer }) => {
    if (actual !== operationId || answer.status !== 200) return answer;
    return withBody(answer, { success: true, ...change(answer.body as ListBody) }); // the schema of every list
  });

const LISTS = ['listDocuments', 'listKnowledgeBases', 'listPassages', 'listWebhooks'] as const;

export const LIST_BUGS = LISTS.flatMap((list) => [
  withOtherRequest(`${list} ignores limit`, list, withoutParameter('limit')),
  withOtherRequest(`${list} always returns its first page`, list, withoutParameter('cursor')),
  inPage(`${list} reverses each page`, list, ({ data, pagination }) => ({
    data: data.toReversed(),
    pagination,
  })),
  inPage(`${list} ends after its first page`, list, ({ data }) => ({
    data,
    pagination: { nextCursor: null, hasMore: false },
  })),
  inPage(`${list} has more, but no cursor`, list, ({ data }) => ({
    data,
    pagination: { nextCursor: null, hasMore: true },
  })),
  inPage(`${list} omits the last item of each page`, list, ({ data, pagination }) => ({
    data: data.slice(0, -1),
    pagination,
  })),
]);

/** A bug that caches the successes of `operations`, and repeats them for the same request. */
function cached(name: string, at: string[], operations: OperationId[]): Bug {
  return bug(name, at, () => {
    const answers = new Map<string, Answer>();
    return ({ operationId, sent, answer }) => {
      if (operationId === undefined || !operations.includes(operationId)) return answer;
      const request = `${sent.path} ${sent.body ?? ''}`;
      const first = answers.get(request);
      if (first === undefined && answer.status === 200) answers.set(request, answer);
      return first === undefined ? answer : { ...first, headers: answer.headers };
    };
  });
}

/** A bug that answers a second deletion with 200 instead of 404. */
const deletedTwice = (operationId: OperationId, id: string) =>
  bug(`${operationId} twice`, [`${operationId} 200`], () => ({ operationId: actual, sent, answer }) => {
    if (actual !== operationId || answer.status !== 404) return answer;
    return success(answer, { id: JSON.parse(String(sent.body))[id] });
  });

export const DELETION_BUGS = [
  cached('a deleted document is found', ['deleteDocument 200'], ['query']),
  cached('a deleted document is listed', ['deleteDocument 200'], ['listDocuments']),
  cached('a deleted document has a status', ['deleteDocument 200'], ['getDocumentStatus']),
  cached('a deleted document is counted', ['getUsage 200'], ['getUsage']),
  cached('a deleted knowledge base is listed', ['deleteKnowledgeBase 200'], ['listKnowledgeBases']),
  deletedTwice('deleteDocument', 'documentId'),
  deletedTwice('deleteKnowledgeBase', 'knowledgeBaseId'),
  cached('a deleted webhook is listed', ['deleteWebhook 200'], ['listWebhooks']),
  deletedTwice('deleteWebhook', 'webhookId'),
  bug(
    'a deleted knowledge base has no documents',
    ['deleteKnowledgeBase 200'],
    () =>
      ({ operationId, answer }) =>
        operationId === 'listDocuments' && answer.status === 404
          ? withBody(
              { ...answer, status: 200 },
              { success: true, data: [], pagination: { nextCursor: null, hasMore: false } },
            )
          : answer,
  ),
  bug(
    'a deleted knowledge base is searched',
    ['deleteKnowledgeBase 200'],
    () =>
      ({ operationId, answer }) =>
        operationId === 'query' && answer.status === 404 ? success(answer, []) : answer,
  ),
];

/** A bug in the numbers of an operation. `begin` returns the change for one run. It may remember earlier numbers. */
const miscounted = (
  name: string,
  operationId: OperationId,
  begin: () => (data: Record<string, number>) => unknown,
): Bug =>
  bug(name, [`${operationId} 200`], () => {
    const change = begin();
    return ({ operationId: actual, answer }) =>
      actual === operationId && answer.status === 200
        ? success(answer, change((answer.body as { data: Record<string, number> }).data)) // Usage or Balance
        : answer;
  });

export const ACCOUNT_BUGS = [
  miscounted('queries are free', 'getBalance', () => {
    let first: number | undefined;
    return ({ balance }) => {
      first ??= balance;
      return { balance: first };
    };
  }),
  miscounted('getBalance costs a credit', 'getBalance', () => {
    let calls = 0;
    return ({ balance = 0 }) => ({ balance: balance - ++calls });
  }),
  miscounted('storageUsed never decreases', 'getUsage', () => {
    let most = 0;
    return ({ storageUsed = 0, ...usage }) => {
      most = Math.max(most, storageUsed);
      return { ...usage, storageUsed: most };
    };
  }),
  inData<Usage>('documents are not counted', 'getUsage', (usage) => ({ ...usage, documentCount: 1 })),
  inData<Usage>('knowledgeBaseCount is always 1', 'getUsage', (usage) => ({
    ...usage,
    knowledgeBaseCount: 1,
  })),
];

export const IMPORT_BUGS = [
  withOtherRequest('externalId is ignored', 'importTextContent', withoutBodyField('externalId')),
  withOtherRequest('ifUnchanged is ignored', 'importTextContent', withoutBodyField('ifUnchanged')),
  cached('the former version is found', ['importTextContent 200'], ['query']),
  withOtherRequest('listDocuments ignores externalId', 'listDocuments', withoutParameter('externalId')),
  bug('each import of a file creates another document', ['importFile 200'], () => {
    let imports = 0;
    return ({ operationId, answer }) => {
      if (operationId !== 'importFile' || answer.status !== 200) return answer;
      imports += 1;
      const { data } = answer.body as { data: Document };
      return success(answer, { ...data, id: imports === 1 ? data.id : `${data.id}-${imports}` });
    };
  }),
  bug(
    'imported text is not found',
    ['importTextContent 200'],
    () =>
      ({ operationId, answer }) =>
        operationId === 'query' && answer.status === 200 ? success(answer, []) : answer,
  ),
  bug(
    'an imported file is not found',
    ['importFile 200'],
    () =>
      ({ operationId, answer }) =>
        operationId === 'query' && answer.status === 200 ? success(answer, []) : answer,
  ),
  inData<KnowledgeBase>('a description is dropped', 'createKnowledgeBase', (data) => ({
    ...data,
    description: '',
  })),
  inData<KnowledgeBase>('a name is shortened', 'createKnowledgeBase', (data) => ({
    ...data,
    name: data.name.slice(0, 8),
  })),
  inData<Document>('text goes to another knowledge base', 'importTextContent', (data) => ({
    ...data,
    knowledgeBaseId: '0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f',
  })),
  inItems<Passage>('passages in lower case', 'listPassages', (item) => ({
    ...item,
    content: item.content.toLowerCase(),
  })),
];
