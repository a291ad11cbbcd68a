/** Bugs of what answers mean: order, paging, limits, places, what a deletion leaves, what is counted. */
import type {
  Document,
  KnowledgeBase,
  Pagination,
  Passage,
  SearchResult,
  Usage,
} from '../../generated/types.gen.ts';
import type { OperationId } from '../harness/contract-check.ts';
import type { Answer, Sent } from '../harness/exchange.ts';
import { type Bug, bug, type Exchanged, inData, inItems, refusal, success, withBody } from './bug.ts';

/** The same answers to one operation as to another request of it. */
const askedFor = (
  name: string,
  operationId: OperationId,
  otherwise: (sent: Sent) => Partial<Sent> | undefined,
): Bug =>
  bug(name, [`${operationId} 200`], () => async ({ operationId: asked, sent, answer, ask }) => {
    const other = asked === operationId && answer.status === 200 ? otherwise(sent) : undefined;
    return other === undefined ? answer : await ask(other);
  });

/** A body with other fields; its length is said anew. */
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

export const SEARCH_BUGS = [
  askedFor('limit is ignored', 'query', withoutBodyField('limit')),
  askedFor('knowledgeBaseIds is ignored', 'query', withoutBodyField('knowledgeBaseIds')),
  askedFor('no knowledge base means all', 'query', (sent) =>
    String(sent.body).includes('"knowledgeBaseIds":[]')
      ? withoutBodyField('knowledgeBaseIds')(sent)
      : undefined,
  ),
  askedFor('never more than one result', 'query', (sent) =>
    rewriteBody(sent, (input) => ({ ...input, limit: 1 })),
  ),
  askedFor('as many results as there are without limit', 'query', (sent) =>
    rewriteBody(sent, (input) => ({ limit: 50, ...input })),
  ),
  askedFor('an id that is given twice searches twice', 'query', (sent) =>
    /"knowledgeBaseIds":\["([^"]+)","\1"\]/.test(String(sent.body))
      ? rewriteBody(sent, (input) => ({ ...input, knowledgeBaseIds: [], limit: 50 }))
      : undefined,
  ),
  bug(
    'an unknown id among others is passed over',
    ['query 200'],
    () =>
      ({ operationId, answer }) =>
        operationId === 'query' && answer.status === 404 ? success(answer, []) : answer,
  ),
  inData<SearchResult[]>('without knowledgeBaseIds one is searched', 'query', (items) =>
    items.filter(({ knowledge_base_id }) => knowledge_base_id === items[0]?.knowledge_base_id),
  ),
  inData<SearchResult[]>('the worst result first', 'query', (items) => items.toReversed()),
  inData<SearchResult[]>('results in the order of their titles', 'query', (items) =>
    items.toSorted((left, right) => left.title.localeCompare(right.title)),
  ),
  inData<SearchResult[]>('scores relative to the best one given', 'query', (items) => {
    const sum = items.reduce((total, { score }) => total + score, 0);
    return items.map((item) => ({ ...item, score: item.score / sum }));
  }),
  inData<SearchResult[]>('a passage that comes twice', 'query', (items) => [
    ...items.slice(0, -1),
    ...items.slice(0, 1),
  ]),
  inData<SearchResult[]>('answers filled up with score 0', 'query', (items) =>
    items.map((item, index) => (index === 0 ? item : { ...item, score: 0 })),
  ),
  inItems<SearchResult>('content as it is indexed', 'query', (item) => ({
    ...item,
    content: item.content.toLowerCase(),
  })),
  inItems<SearchResult>('the beginning of content only', 'query', (item) => ({
    ...item,
    content: `${item.content.slice(0, 20)}…`,
  })),
  inItems<SearchResult>('results of another knowledge base', 'query', (item) => ({
    ...item,
    knowledge_base_id: '0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f',
  })),
  inItems<SearchResult>('the id of the document as a source', 'query', (item) => ({
    ...item,
    metadata: { ...item.metadata, source: item.document_id },
  })),
];

type Page = { data: unknown[]; pagination: Pagination };
const inPage = (name: string, operationId: OperationId, change: (page: Page) => object): Bug =>
  bug(name, [`${operationId} 200`], () => ({ operationId: asked, answer }) => {
    if (asked !== operationId || answer.status !== 200) return answer;
    return withBody(answer, { success: true, ...change(answer.body as Page) }); // a list's, by its schema
  });

const LISTS = ['listDocuments', 'listKnowledgeBases', 'listPassages'] as const;

export const LIST_BUGS = LISTS.flatMap((list) => [
  askedFor(`${list} knows no limit`, list, withoutParameter('limit')),
  askedFor(`${list} always gives its first page`, list, withoutParameter('cursor')),
  inPage(`${list} begins with its other end`, list, ({ data, pagination }) => ({
    data: data.toReversed(),
    pagination,
  })),
  inPage(`${list} says that it has no more`, list, ({ data }) => ({
    data,
    pagination: { nextCursor: null, hasMore: false },
  })),
  inPage(`${list} says that it has more, and not where`, list, ({ data }) => ({
    data,
    pagination: { nextCursor: null, hasMore: true },
  })),
  inPage(`${list} leaves the last of a page out`, list, ({ data, pagination }) => ({
    data: data.slice(0, -1),
    pagination,
  })),
]);

/** Answers of one operation are remembered, and given again to the same request. */
function remembered(name: string, at: string[], operations: OperationId[]): Bug {
  return bug(name, at, () => {
    const answers = new Map<string, Answer>();
    return ({ operationId, sent, answer }) => {
      if (operationId === undefined || !operations.includes(operationId)) return answer;
      const request = `${sent.path} ${sent.body ?? ''}`;
      const kept = answers.get(request);
      if (kept === undefined && answer.status === 200) answers.set(request, answer);
      return kept === undefined ? answer : { ...kept, headers: answer.headers };
    };
  });
}

/** A deletion that is refused, for it has been done, is done once more. */
const again = (operationId: OperationId, id: string) =>
  bug(`${operationId} twice`, [`${operationId} 200`], () => ({ operationId: asked, sent, answer }) => {
    if (asked !== operationId || answer.status !== 404) return answer;
    return success(answer, { id: JSON.parse(String(sent.body))[id] });
  });

export const DELETION_BUGS = [
  remembered('a deleted document is found', ['deleteDocument 200'], ['query']),
  remembered('a deleted document is listed', ['deleteDocument 200'], ['listDocuments']),
  remembered('a deleted document has a status', ['deleteDocument 200'], ['getDocumentStatus']),
  remembered('a deleted document is counted', ['getUsage 200'], ['getUsage']),
  remembered('a deleted knowledge base is listed', ['deleteKnowledgeBase 200'], ['listKnowledgeBases']),
  again('deleteDocument', 'documentId'),
  again('deleteKnowledgeBase', 'knowledgeBaseId'),
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

/** Changes the answers to one operation by what it has answered before. */
const accounted = (
  name: string,
  operationId: OperationId,
  begin: () => (data: Record<string, number>) => unknown,
): Bug =>
  bug(name, [`${operationId} 200`], () => {
    const change = begin();
    return ({ operationId: asked, answer }) =>
      asked === operationId && answer.status === 200
        ? success(answer, change((answer.body as { data: Record<string, number> }).data)) // Usage or Balance
        : answer;
  });

export const ACCOUNT_BUGS = [
  accounted('queries are free', 'getBalance', () => {
    let first: number | undefined;
    return ({ balance }) => {
      first ??= balance;
      return { balance: first };
    };
  }),
  accounted('each look at the balance costs', 'getBalance', () => {
    let looks = 0;
    return ({ balance = 0 }) => ({ balance: balance - ++looks });
  }),
  accounted('storage never becomes less', 'getUsage', () => {
    let most = 0;
    return ({ storageUsed = 0, ...usage }) => {
      most = Math.max(most, storageUsed);
      return { ...usage, storageUsed: most };
    };
  }),
  inData<Usage>('at most one knowledge base counts', 'getUsage', (usage) => ({
    ...usage,
    knowledgeBaseCount: 1,
  })),
];

/** The answer to a PUT at an upload address. */
const uploading = (name: string, at: string, change: (answer: Answer, exchanged: Exchanged) => Answer) =>
  bug(
    name,
    [at],
    () => (exchanged) =>
      exchanged.sent.method === 'PUT' && exchanged.operationId === undefined
        ? change(exchanged.answer, exchanged)
        : exchanged.answer,
  );

export const IMPORT_BUGS = [
  uploading('an upload of any length is taken', 'presignUploadUrl 200', (answer) => success(answer, {})),
  uploading('an upload needs a key', 'presignUploadUrl 200', (answer) =>
    refusal(answer, 401, 'UNAUTHORIZED'),
  ),
  uploading('an upload is answered outside the envelope', 'importFile 200', (answer) => ({
    ...answer,
    text: '"OK"',
  })),
  bug('a file becomes a new document at each import', ['importFile 200'], () => {
    let imports = 0;
    return ({ operationId, answer }) => {
      if (operationId !== 'importFile' || answer.status !== 200) return answer;
      imports += 1;
      const { data } = answer.body as { data: Document };
      return success(answer, { ...data, id: imports === 1 ? data.id : `${data.id}-${imports}` });
    };
  }),
  bug(
    'imported text is not found yet',
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
  inItems<Passage>('passages as they are indexed', 'listPassages', (item) => ({
    ...item,
    content: item.content.toLowerCase(),
  })),
];
