/**
 * Ways in which a server can break what its clients rely on, one at a time. The client suite has to notice each.
 * contract-tests/mutations has the fields of a wrong type or form. One of each kind is here, to show that the suite
 * checks every answer against the spec.
 */

import { requireResponse } from '../../harness/calling.ts';
import type { OperationId } from '../../harness/contract-check.ts';
import type { Fetch } from './targets.ts';

type Fields = Record<string, unknown>;
type Body = Fields & { success: boolean };
/** Gives the body to answer with. */
type Change = (body: Body) => Fields;

/** `status` replaces that of refusals; the operation `any` stands for every one. */
export type Break = { what: string; operation: OperationId | 'any'; change: Change; status?: number };

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
const atOnce = onSuccess((body) => ({ ...body, pagination: { hasMore: true, nextCursor: null } }));

const SEARCH: [string, Change][] = [
  ['a score is text', inFirst(set({ score: '0.7' }))],
  ['the results stand in the wrong order', reversed],
  ['a result is of another knowledge base', inFirst(set({ knowledge_base_id: OTHER_ID }))],
  ['a result is of a document that is not listed', inFirst(set({ document_id: OTHER_ID }))],
  ['a result has another title than its document', inFirst(set({ title: 'Something else' }))],
  ['a result has another type than its document', inFirst(set({ type: 'html' }))],
  ['a result is no passage of its document', inFirst(({ id }) => ({ id: `${id}0` }))],
  ['a result has other words than its passage', inFirst(({ content }) => ({ content: `${content}.` }))],
  [
    'the annotations name another page',
    inFirst(set({ location: { passage: 9, headings: [], start: 0, end: 1 } })),
  ],
  ['the search finds nothing', inList(() => [])],
  ['the search gives more than asked for', twice],
];

const LISTS: [string, OperationId, Change][] = [
  ['a document has a status that there is not', 'listDocuments', inFirst(set({ status: 'done' }))],
  ['a document lies in another knowledge base', 'listDocuments', inFirst(set({ knowledgeBaseId: OTHER_ID }))],
  ['the documents stand in the wrong order', 'listDocuments', reversed],
  ['the pages of documents are larger than asked for', 'listDocuments', twice],
  ['the first page of documents hides that there are more', 'listDocuments', atOnce],
  ['no document is listed', 'listDocuments', inList(() => [])],
  [
    'the knowledge base that was created is not listed',
    'listKnowledgeBases',
    inList((items) => items.slice(0, -1)),
  ],
  [
    'the pages of knowledge bases have no end',
    'listKnowledgeBases',
    onSuccess((body) => ({ ...body, pagination: { hasMore: true, nextCursor: 'a' } })),
  ],
  ['the passages stand in the wrong order', 'listPassages', reversed],
  [
    'a passage is longer than its location says',
    'listPassages',
    inFirst(({ content }) => ({ content: `${content}.` })),
  ],
];

const RESOURCES: [string, OperationId, Change][] = [
  ['imported text is pending', 'importTextContent', inObject(set({ status: 'pending' }))],
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
    'the ticket has an address that takes nothing',
    'presignUploadUrl',
    inObject(({ uploadUrl }) => ({ uploadUrl: `${uploadUrl}x` })),
  ],
  ['the ticket has expired', 'presignUploadUrl', inObject(set({ expiresAt: '2026-01-15T10:30:50.112Z' }))],
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
  ['the balance is negative', 'getBalance', inObject(set({ balance: -1 }))],
  ['another document is deleted', 'deleteDocument', inObject(set({ id: OTHER_ID }))],
  ['another knowledge base is deleted', 'deleteKnowledgeBase', inObject(set({ id: OTHER_ID }))],
];

const REFUSALS: [string, Change][] = [
  ['an errorCode is another one', onRefusal((body) => ({ ...body, errorCode: `${body.errorCode}_X` }))],
  ['refusals claim to be successes', onRefusal((body) => ({ ...body, success: true }))],
  [
    'refusals are told as problem+json',
    onRefusal(({ message }) => ({ type: 'about:blank', title: message })),
  ],
];

/** All of them. */
export const BREAKS: Break[] = [
  ...SEARCH.map(([what, change]): Break => ({ what, operation: 'query', change })),
  ...[...LISTS, ...RESOURCES].map(([what, operation, change]): Break => ({ what, operation, change })),
  ...REFUSALS.map(([what, change]): Break => ({ what, operation: 'any', change })),
  { what: 'refusals come with 400', operation: 'any', change: (body) => body, status: 400 },
];

/** fetch, to a server that is broken in this one way. */
export function breaking({ operation, change, status }: Break): Fetch {
  return async (request) => {
    const response = await fetch(request);
    if (operation !== 'any' && !request.url.includes(`/v1/${operation}`)) return response;
    const body = change((await response.json()) as Body); // the mock's envelope
    const isChanged = status !== undefined && !response.ok;
    const { headers } = response;
    const broken = Response.json(body, { status: isChanged ? status : response.status, headers });
    broken.headers.delete('content-length');
    broken.headers.set('content-type', 'application/json; charset=utf-8');
    await requireResponse(request, broken);
    return broken;
  };
}
