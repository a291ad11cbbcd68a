/**
 * Ways in which a server can break the contract. The client suite has to notice each of them.
 * contract-tests/slow/mutations has the fields of a wrong type or format. One of each kind is here, to show that the
 * suite checks every answer against the spec.
 */
import { requireResponse } from '../../../../src/contract-check/requests/calling.ts';
import type { OperationId } from '../../../../src/contract-check/spec/routes.ts';
import type { Fetch } from './targets.ts';

type Fields = Record<string, unknown>;
type Body = Fields & { success: boolean };
/** Returns the body of the broken answer. */
type Change = (body: Body) => Fields;

/** `status` replaces the status of refusals. `any`: every operation. */
export type Break = { name: string; operation: OperationId | 'any'; change: Change; status?: number };

const onSuccess =
  (change: Change): Change =>
  (body) =>
    body.success ? change(body) : body;

const onRefusal =
  (change: Change): Change =>
  (body) =>
    body.success ? body : change(body);

/** Changes the payload of an operation that answers with an object. */
const inObject = (change: (data: Fields) => Fields): Change =>
  onSuccess((body) => ({ ...body, data: { ...(body.data as Fields), ...change(body.data as Fields) } }));

/** Changes the items of an operation that answers with a list. */
const inList = (change: (items: Fields[]) => unknown[]): Change =>
  onSuccess((body) => ({ ...body, data: change(body.data as Fields[]) }));

const inFirst = (change: (item: Fields) => Fields): Change =>
  inList((items) => items.map((item, index) => (index === 0 ? { ...item, ...change(item) } : item)));

const set = (fields: Fields) => (): Fields => fields;

const OTHER_ID = '0199ffff-6b1c-7d4e-8f50-2a9b3c4d5e6f';
const reversed = inList((items) => items.toReversed());
const twice = inList((items) => [...items, ...items]);
const withoutCursor = onSuccess((body) => ({ ...body, pagination: { hasMore: true, nextCursor: null } }));

const SEARCH: [string, Change][] = [
  ['a score is text', inFirst(set({ score: '0.7' }))],
  ['the results are in the wrong order', reversed],
  ['a result is of another knowledge base', inFirst(set({ knowledge_base_id: OTHER_ID }))],
  ['a result is of a document that is not listed', inFirst(set({ document_id: OTHER_ID }))],
  ['a result has another title than its document', inFirst(set({ title: 'Something else' }))],
  ['a result has another type than its document', inFirst(set({ type: 'html' }))],
  ['a result is not a passage of its document', inFirst(({ id }) => ({ id: `${id}0` }))],
  ['a result has other content than its passage', inFirst(({ content }) => ({ content: `${content}.` }))],
  [
    'the location differs from the annotations',
    inFirst(set({ location: { passage: 9, headings: [], start: 0, end: 1 } })),
  ],
  ['the search finds nothing', inList(() => [])],
  ['the search returns more results than the limit', twice],
];

const LISTS: [string, OperationId, Change][] = [
  ['a document has an unknown status', 'listDocuments', inFirst(set({ status: 'done' }))],
  [
    'a document belongs to another knowledge base',
    'listDocuments',
    inFirst(set({ knowledgeBaseId: OTHER_ID })),
  ],
  ['the documents are in the wrong order', 'listDocuments', reversed],
  ['the pages of documents are larger than the limit', 'listDocuments', twice],
  ['a page of documents has more, but no cursor', 'listDocuments', withoutCursor],
  ['no document is listed', 'listDocuments', inList(() => [])],
  ['the last knowledge base is not listed', 'listKnowledgeBases', inList((items) => items.slice(0, -1))],
  [
    'the pages of knowledge bases have no end',
    'listKnowledgeBases',
    onSuccess((body) => ({ ...body, pagination: { hasMore: true, nextCursor: 'a' } })),
  ],
  ['the passages are in the wrong order', 'listPassages', reversed],
  [
    'a passage is longer than its location says',
    'listPassages',
    inFirst(({ content }) => ({ content: `${content}.` })),
  ],
];

const RESOURCES: [string, OperationId, Change][] = [
  ['imported text is pending', 'importTextContent', inObject(set({ status: 'pending' }))],
  [
    'a knowledge base counts one document too many',
    'getKnowledgeBase',
    inObject(({ documentCount }) => ({ documentCount: Number(documentCount) + 1 })),
  ],
  ['an update keeps the old name', 'updateKnowledgeBase', inObject(set({ name: 'Operations handbook' }))],
  [
    'imported text is in another knowledge base',
    'importTextContent',
    inObject(set({ knowledgeBaseId: OTHER_ID })),
  ],
  ['the status is of another document', 'getDocumentStatus', inObject(set({ id: OTHER_ID }))],
  ['the status never becomes final', 'getDocumentStatus', inObject(set({ status: 'processing' }))],
  ['the details have another title than the list', 'getDocument', inObject(set({ title: 'Something else' }))],
  ['the details are of another file', 'getDocument', inObject(set({ file: { id: OTHER_ID } }))],
  [
    'the upload address of the ticket does not work',
    'presignUploadUrl',
    inObject(({ uploadUrl }) => ({ uploadUrl: `${uploadUrl}x` })),
  ],
  ['the ticket has expired', 'presignUploadUrl', inObject(set({ expiresAt: '2026-01-15T10:30:50.112Z' }))],
  [
    'the download address does not work',
    'presignDownloadUrl',
    inObject(({ downloadUrl }) => ({ downloadUrl: `${downloadUrl}x` })),
  ],
  [
    'the download address has expired',
    'presignDownloadUrl',
    inObject(set({ expiresAt: '2026-01-15T10:06:17.245Z' })),
  ],
  ['a download has another size than announced', 'presignDownloadUrl', inObject(set({ size: 1 }))],
  [
    'the imported file is in another knowledge base',
    'importFile',
    inObject(set({ knowledgeBaseId: OTHER_ID })),
  ],
  [
    'the usage counts one knowledge base too many',
    'getUsage',
    inObject(({ knowledgeBaseCount }) => ({ knowledgeBaseCount: Number(knowledgeBaseCount) + 1 })),
  ],
  [
    'the usage counts one byte too few',
    'getUsage',
    inObject(({ storageUsed }) => ({ storageUsed: Number(storageUsed) - 1 })),
  ],
  [
    'the usage counts one document too many',
    'getUsage',
    inObject(({ documentCount }) => ({ documentCount: Number(documentCount) + 1 })),
  ],
  ['the usage has no limits', 'getUsage', inObject(set({ limits: undefined }))],
  ['the balance is negative', 'getBalance', inObject(set({ balance: -1 }))],
  ['another document is deleted', 'deleteDocument', inObject(set({ id: OTHER_ID }))],
  ['another knowledge base is deleted', 'deleteKnowledgeBase', inObject(set({ id: OTHER_ID }))],
];

const REFUSALS: [string, Change][] = [
  ['refusals have another errorCode', onRefusal((body) => ({ ...body, errorCode: `${body.errorCode}_X` }))],
  ['refusals claim to be successes', onRefusal((body) => ({ ...body, success: true }))],
  [
    'refusals have the form of problem+json',
    onRefusal(({ message }) => ({ type: 'about:blank', title: message })),
  ],
];

export const BREAKS: Break[] = [
  ...SEARCH.map(([name, change]): Break => ({ name, operation: 'query', change })),
  ...[...LISTS, ...RESOURCES].map(([name, operation, change]): Break => ({ name, operation, change })),
  ...REFUSALS.map(([name, change]): Break => ({ name, operation: 'any', change })),
  { name: 'refusals have status 400', operation: 'any', change: (body) => body, status: 400 },
];

/** Returns a fetch whose answers are broken in this way. */
export function breakAnswers({ operation, change, status }: Break): Fetch {
  return async (request) => {
    const response = await fetch(request);
    if (operation !== 'any' && !request.url.includes(`/v1/${operation}`)) return response;
    const body = change((await response.json()) as Body); // the mock's envelope
    const { headers } = response;
    const brokenStatus = response.ok ? response.status : (status ?? response.status);
    const broken = Response.json(body, { status: brokenStatus, headers });
    broken.headers.delete('content-length');
    broken.headers.set('content-type', 'application/json; charset=utf-8');
    await requireResponse(request, broken);
    return broken;
  };
}
