/** Bugs in refusals: another status, other error data, or a success instead. */
import type { Answer, Sent } from '../../../src/contract-check/requests/exchange.ts';
import type { OperationId } from '../../../src/contract-check/spec/routes.ts';
import { bug, inAnswer, inErrorData, refusal, success, withBody, withStatus } from './bug.ts';

const withOtherStatus = (name: string, at: string, status: number) =>
  inAnswer(name, at, (answer) => withStatus(answer, status));

export const STATUS_BUGS = [
  withOtherStatus('201 for a creation', 'createKnowledgeBase 200', 201),
  withOtherStatus('202 for an import', 'importFile 200', 202),
  withOtherStatus('204 for a deletion', 'deleteDocument 200', 204),
  withOtherStatus('400 for invalid input', 'query 422', 400),
  withOtherStatus('403 for a missing key', 'getUsage 401', 403),
  withOtherStatus('403 for an unknown id', 'getDocument 404', 403),
  withOtherStatus('400 for a body that is too large', 'createKnowledgeBase 413', 400),
  withOtherStatus('400 for another media type', 'deleteDocument 415', 400),
  withOtherStatus('404 for a file without bytes', 'importFile 409', 404),
  withOtherStatus('404 for an expired ticket', 'importFile 410', 404),
  withOtherStatus('403 for a lack of credits', 'query 402', 403),
  withOtherStatus('413 for a lack of storage', 'presignUploadUrl 403', 413),
  withOtherStatus('503 for too many requests', 'getBalance 429', 503),
  withOtherStatus('500 for an outage', 'listDocuments 503', 500),
  withOtherStatus('404 for another method', 'getUsage default', 404),
  withOtherStatus('a refusal with status 200', 'listPassages 404', 200),
];

/** The input of a request: its parsed body, or its query; undefined: malformed JSON. */
function inputOf({ path, body }: Sent): Record<string, unknown> | undefined {
  if (body === undefined) return Object.fromEntries(new URL(path, 'http://service').searchParams);
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}

/** A bug that accepts input whose only wrong field is `field`, and answers it with `data`. */
const accepted = (name: string, operationId: OperationId, [field, isWrong, data]: WrongField) =>
  inAnswer(name, `${operationId} 422`, (answer, { sent }) => {
    const input = inputOf(sent);
    return input !== undefined && isWrong(input[field]) ? success(answer, data) : answer;
  });
type WrongField = [field: string, isWrong: (value: unknown) => boolean, data: unknown];

const NEW = {
  id: '0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f',
  name: 'New',
  description: '',
  createdAt: '2026-01-15T09:28:41.903Z',
  updatedAt: '2026-01-15T09:28:41.903Z',
};

export const REFUSAL_BUGS = [
  inAnswer('no key is required', 'getUsage 401', (_, { resend, sent, apiKey }) =>
    resend({ headers: { ...sent.headers, 'x-api-key': apiKey } }),
  ),
  inAnswer(
    'an unknown key has another message than a missing one',
    'listDocuments 401',
    (answer, { sent }) =>
      sent.headers?.['x-api-key'] === undefined
        ? answer
        : withBody(answer, { ...(answer.body as object), message: 'This key is unknown.' }),
  ),
  inAnswer('an unknown document has a status', 'getDocumentStatus 404', (answer) => success(answer, null)),
  inAnswer('an unknown knowledge base has an empty list of documents', 'listDocuments 404', (answer) =>
    withBody(withStatus(answer, 200), {
      success: true,
      data: [],
      pagination: { nextCursor: null, hasMore: false },
    }),
  ),
  inAnswer('a search key deletes a document', 'deleteDocument 403', (answer) =>
    success(answer, { id: `${NEW.id}_${NEW.id}` }),
  ),
  inAnswer('a search key deletes a knowledge base', 'deleteKnowledgeBase 403', (answer) =>
    success(answer, { id: NEW.id }),
  ),
  inAnswer('a search key renames a knowledge base', 'updateKnowledgeBase 403', (answer) =>
    success(answer, NEW),
  ),
  inAnswer('a search key is unknown to updates', 'updateKnowledgeBase 403', (answer) =>
    refusal(answer, 401, 'UNAUTHORIZED'),
  ),
  inAnswer('a search key sets synonyms', 'setSynonyms 403', (answer) => success(answer, { groups: [] })),
  inAnswer('a search key sees what others have asked', 'listQueries 403', (answer) =>
    success(answer, { keptSince: null, queries: [] }),
  ),
  inAnswer('an unknown knowledge base has no synonyms', 'getSynonyms 404', (answer) =>
    success(answer, { groups: [] }),
  ),
  inAnswer('an unknown knowledge base has no attributes', 'listAttributes 404', (answer) =>
    success(answer, { attributes: [], countedDocuments: 0, isComplete: true }),
  ),
  inAnswer('an unknown knowledge base is searched', 'query 404', (answer) => success(answer, [])),
  inAnswer('a query without credits finds nothing', 'query 402', (answer) => success(answer, [])),
  inAnswer('an outage looks like an empty account', 'getUsage 503', (answer) =>
    success(answer, { knowledgeBaseCount: 0, storageUsed: 0 }),
  ),
  inAnswer('an outage looks like a wrong key', 'getBalance 503', (answer) =>
    refusal(answer, 401, 'UNAUTHORIZED'),
  ),
  inAnswer('no rate limit', 'listKnowledgeBases 429', (answer) =>
    withBody(withStatus(answer, 200), {
      success: true,
      data: [],
      pagination: { nextCursor: null, hasMore: false },
    }),
  ),
  inAnswer('no limit of knowledge bases', 'createKnowledgeBase 403', (answer) => success(answer, NEW)),
  inAnswer('no limit of webhooks', 'createWebhook 403', (answer) => success(answer, NEW)),
  inAnswer('an unknown webhook is tested', 'testWebhook 404', (answer) => success(answer, null)),
  inAnswer('unknown parameters are ignored', 'getUsage 422', (_, { resend, sent }) =>
    resend({ path: sent.path.split('?')[0] ?? '' }),
  ),
  accepted('unknown fields are ignored', 'createKnowledgeBase', [
    'unheardOf',
    (value) => value !== undefined,
    NEW,
  ]),
  accepted('a missing name is accepted', 'createKnowledgeBase', [
    'name',
    (value) => value === undefined,
    NEW,
  ]),
  accepted('an empty name is accepted', 'createKnowledgeBase', ['name', (value) => value === '', NEW]),
  accepted('a name of 101 characters is accepted', 'createKnowledgeBase', [
    'name',
    (value) => String(value).length > 100,
    NEW,
  ]),
  accepted('a limit of 51 is accepted', 'query', ['limit', (value) => Number(value) > 50, []]),
  accepted('a limit of 0 is accepted', 'query', ['limit', (value) => value === 0, []]),
  accepted('101 knowledge bases are accepted', 'query', [
    'knowledgeBaseIds',
    (value) => Array.isArray(value) && value.length > 100,
    [],
  ]),
  inAnswer('malformed JSON gets a 500', 'importFile 422', (answer, { sent }) =>
    inputOf(sent) === undefined ? refusal(answer, 500, 'INTERNAL_ERROR') : answer,
  ),
];

const WITHOUT_FIELDS = { formErrors: ['The input is invalid.'], fieldErrors: {} };

export const ERROR_DATA_BUGS = [
  inErrorData('no field is named for wrong input', 'importTextContent 422', () => WITHOUT_FIELDS),
  inErrorData('wrong input without fieldErrors', 'query 422', ({ formErrors }) => ({ formErrors })),
  inErrorData(
    'one string for each wrong field',
    'deleteKnowledgeBase 422',
    ({ formErrors, fieldErrors }) => ({
      formErrors,
      fieldErrors: Object.fromEntries(
        Object.entries(fieldErrors as Record<string, string[]>).map(([field, messages]) => [
          field,
          messages[0],
        ]),
      ),
    }),
  ),
  inErrorData('another field is named', 'listPassages 422', ({ formErrors }) => ({
    formErrors,
    fieldErrors: { id: ['is invalid'] },
  })),
  inErrorData('413 without the limit', 'query 413', () => ({})),
  inErrorData('413 with a limit of 0 bytes', 'presignUploadUrl 413', () => ({ limit: 0 })),
  inErrorData('a storage limit as text', 'importTextContent 403', (data) => ({ ...data, limit: '1 byte' })),
  inErrorData('a storage limit without the requested bytes', 'presignUploadUrl 403', ({ limit, used }) => ({
    limit,
    used,
  })),
  inErrorData('a limit of knowledge bases without numbers', 'createKnowledgeBase 403', () => ({})),
];

/** A bug that answers with another status and errorCode. */
const withOtherCode = (name: string, at: string, [status, errorCode]: [number, string]) =>
  inAnswer(name, at, (answer: Answer) => refusal(answer, status, errorCode));

export const CODE_BUGS = [
  withOtherCode('404 for a text without a file', 'presignDownloadUrl 409', [404, 'FILE_NOT_FOUND']),
  withOtherCode('404 for an unknown key', 'getBalance 401', [404, 'NOT_FOUND']),
  withOtherCode('500 for an unknown document', 'deleteDocument 404', [500, 'INTERNAL_ERROR']),
  withOtherCode('422 for another media type', 'query 415', [422, 'INPUT_VALIDATION_FAILED']),
  withOtherCode('404 FILE_NOT_FOUND for a file without bytes', 'importFile 409', [404, 'FILE_NOT_FOUND']),
  withOtherCode('DOCUMENT_NOT_FOUND for an unknown knowledge base', 'presignUploadUrl 404', [
    404,
    'DOCUMENT_NOT_FOUND',
  ]),
  bug('an unknown file is imported', ['importFile 404'], () => ({ operationId, answer }) => {
    if (operationId !== 'importFile' || answer.status !== 404) return answer;
    return success(answer, {
      id: 'x',
      title: 'x',
      type: 'txt',
      size: 1,
      status: 'pending',
      createdAt: NEW.createdAt,
    });
  }),
];
