/** Bugs of what is refused: by another status, in other words, or not at all. */
import type { OperationId } from '../harness/contract-check.ts';
import type { Answer, Sent } from '../harness/exchange.ts';
import { bug, inAnswer, inErrorData, refusal, success, withBody, withStatus } from './bug.ts';

const other = (name: string, at: string, status: number) =>
  inAnswer(name, at, (answer) => withStatus(answer, status));

export const STATUS_BUGS = [
  other('201 for what is created', 'createKnowledgeBase 200', 201),
  other('202 for what is imported', 'importFile 200', 202),
  other('204 for what is deleted', 'deleteDocument 200', 204),
  other('400 for invalid input', 'query 422', 400),
  other('403 for a missing key', 'getUsage 401', 403),
  other('403 for what is not found', 'getDocument 404', 403),
  other('400 for a body that is too large', 'createKnowledgeBase 413', 400),
  other('400 for another media type', 'deleteDocument 415', 400),
  other('404 for what is not uploaded', 'importFile 409', 404),
  other('404 for an expired ticket', 'importFile 410', 404),
  other('403 for a lack of credits', 'query 402', 403),
  other('413 for a lack of storage', 'presignUploadUrl 403', 413),
  other('503 for too many requests', 'getBalance 429', 503),
  other('500 for an outage', 'listDocuments 503', 500),
  other('404 for another method', 'getUsage default', 404),
  other('a refusal with status 200', 'listPassages 404', 200),
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

/** Input that is wrong in this field alone is taken, and answered like this. */
const taken = (name: string, operationId: OperationId, [field, isWrong, data]: WrongField) =>
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
  inAnswer('keys are not asked for', 'getUsage 401', (_, { ask, sent, apiKey }) =>
    ask({ headers: { ...sent.headers, 'x-api-key': apiKey } }),
  ),
  inAnswer('an unknown key is told from a missing one', 'listDocuments 401', (answer, { sent }) =>
    sent.headers?.['x-api-key'] === undefined
      ? answer
      : withBody(answer, { ...(answer.body as object), message: 'This key is unknown.' }),
  ),
  inAnswer('a document that is not there answers 200', 'getDocumentStatus 404', (answer) =>
    success(answer, null),
  ),
  inAnswer('a knowledge base that is not there has no documents', 'listDocuments 404', (answer) =>
    withBody(withStatus(answer, 200), {
      success: true,
      data: [],
      pagination: { nextCursor: null, hasMore: false },
    }),
  ),
  inAnswer('a knowledge base that is not there is searched', 'query 404', (answer) => success(answer, [])),
  inAnswer('a query without credits finds nothing', 'query 402', (answer) => success(answer, [])),
  inAnswer('an outage looks like an empty account', 'getUsage 503', (answer) =>
    success(answer, { knowledgeBaseCount: 0, storageUsed: 0 }),
  ),
  inAnswer('an outage looks like a wrong key', 'getBalance 503', (answer) =>
    refusal(answer, 401, 'UNAUTHORIZED'),
  ),
  inAnswer('a rate without end', 'listKnowledgeBases 429', (answer) =>
    withBody(withStatus(answer, 200), {
      success: true,
      data: [],
      pagination: { nextCursor: null, hasMore: false },
    }),
  ),
  inAnswer('the limit of knowledge bases is none', 'createKnowledgeBase 403', (answer) =>
    success(answer, NEW),
  ),
  inAnswer('unknown parameters are ignored', 'getUsage 422', (_, { ask, sent }) =>
    ask({ path: sent.path.split('?')[0] ?? '' }),
  ),
  taken('unknown fields are ignored', 'createKnowledgeBase', [
    'unheardOf',
    (value) => value !== undefined,
    NEW,
  ]),
  taken('a missing name is taken', 'createKnowledgeBase', ['name', (value) => value === undefined, NEW]),
  taken('an empty name is taken', 'createKnowledgeBase', ['name', (value) => value === '', NEW]),
  taken('a name of 101 characters is taken', 'createKnowledgeBase', [
    'name',
    (value) => String(value).length > 100,
    NEW,
  ]),
  taken('a limit of 51 is taken', 'query', ['limit', (value) => Number(value) > 50, []]),
  taken('a limit of 0 is taken', 'query', ['limit', (value) => value === 0, []]),
  taken('101 knowledge bases are taken', 'query', [
    'knowledgeBaseIds',
    (value) => Array.isArray(value) && value.length > 100,
    [],
  ]),
  inAnswer('malformed JSON is a fault', 'importFile 422', (answer, { sent }) =>
    inputOf(sent) === undefined ? refusal(answer, 500, 'INTERNAL_ERROR') : answer,
  ),
];

const UNNAMED = { formErrors: ['The input is invalid.'], fieldErrors: {} };

export const ERROR_DATA_BUGS = [
  inErrorData('wrong input without its fields', 'importTextContent 422', () => UNNAMED),
  inErrorData('wrong input without fieldErrors', 'query 422', ({ formErrors }) => ({ formErrors })),
  inErrorData(
    'one string for each wrong field',
    'deleteKnowledgeBase 422',
    ({ formErrors, fieldErrors }) => ({
      formErrors,
      fieldErrors: Object.fromEntries(
        Object.entries(fieldErrors as Record<string, string[]>).map(([field, words]) => [field, words[0]]),
      ),
    }),
  ),
  inErrorData('another field is named', 'listPassages 422', ({ formErrors }) => ({
    formErrors,
    fieldErrors: { id: ['is invalid'] },
  })),
  inErrorData('a body that is too large without the limit', 'query 413', () => ({})),
  inErrorData('a limit of no bytes', 'presignUploadUrl 413', () => ({ limit: 0 })),
  inErrorData('a storage limit in words', 'importTextContent 403', (data) => ({ ...data, limit: '1 byte' })),
  inErrorData('a storage limit without what was requested', 'presignUploadUrl 403', ({ limit, used }) => ({
    limit,
    used,
  })),
  inErrorData('a limit of knowledge bases without numbers', 'createKnowledgeBase 403', () => ({})),
];

/** A code with another status than its own. */
const recoded = (name: string, at: string, [status, errorCode]: [number, string]) =>
  inAnswer(name, at, (answer: Answer) => refusal(answer, status, errorCode));

export const CODE_BUGS = [
  recoded('a key of no account is not found', 'getBalance 401', [404, 'NOT_FOUND']),
  recoded('a fault for what is not found', 'deleteDocument 404', [500, 'INTERNAL_ERROR']),
  recoded('invalid input for another media type', 'query 415', [422, 'INPUT_VALIDATION_FAILED']),
  recoded('what is not uploaded is not found', 'importFile 409', [404, 'FILE_NOT_FOUND']),
  recoded('a missing knowledge base as a missing document', 'presignUploadUrl 404', [
    404,
    'DOCUMENT_NOT_FOUND',
  ]),
  bug('a file that is not there is created', ['importFile 404'], () => ({ operationId, answer }) => {
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
