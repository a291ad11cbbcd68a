/** Bugs of the envelope and the headers around it. */
import { inAnswer, inBody, withBody, withHeaders, without } from './bug.ts';

const header = (name: string, at: string, headers: Record<string, string | undefined>) =>
  inAnswer(name, at, (answer) => withHeaders(answer, headers));

export const HEADER_BUGS = [
  header('a success without x-request-id', 'getUsage 200', { 'x-request-id': undefined }),
  header('a refusal without x-request-id', 'getBalance 401', { 'x-request-id': undefined }),
  header('an outage without x-request-id', 'getBalance 503', { 'x-request-id': undefined }),
  header('an x-request-id with a space', 'getUsage 200', { 'x-request-id': 'one two' }),
  header('an x-request-id of 129 characters', 'listKnowledgeBases 200', { 'x-request-id': 'x'.repeat(129) }),
  header("an x-request-id other than the client's", 'getDocument 404', {
    'x-request-id': '0199f3a2-9e8d-7c6b-a504-938271605f4e',
  }),
  header('a success as text/html', 'query 200', { 'content-type': 'text/html; charset=utf-8' }),
  header('a success without its charset', 'getBalance 200', { 'content-type': 'application/json' }),
  header('a success without a media type', 'listPassages 200', { 'content-type': undefined }),
  header('a refusal as text/plain', 'deleteDocument 404', { 'content-type': 'text/plain' }),
  header('a refusal as problem+json', 'importFile 409', { 'content-type': 'application/problem+json' }),
  header('a 429 without Retry-After', 'getUsage 429', { 'retry-after': undefined }),
  header('a 503 without Retry-After', 'deleteDocument 503', { 'retry-after': undefined }),
  header('Retry-After as a date', 'query 503', { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }),
  header('Retry-After of 0 seconds', 'listDocuments 429', { 'retry-after': '0' }),
  header('Retry-After of 1.5 seconds', 'getDocument 429', { 'retry-after': '1.5' }),
  header('Retry-After of a day', 'getBalance 503', { 'retry-after': '86400' }),
  header('a 405 without Allow', 'query default', { allow: undefined }),
  header('a 405 whose Allow names another method', 'getUsage default', { allow: 'POST' }),
];

export const ENVELOPE_BUGS = [
  inBody('no success field', 'getUsage 200', (body) => without(body, 'success')),
  inBody('success as a string', 'getBalance 200', (body) => ({ ...body, success: 'true' })),
  inBody('success false in a success', 'createKnowledgeBase 200', (body) => ({ ...body, success: false })),
  inBody('success true in a refusal', 'deleteDocument 404', (body) => ({ ...body, success: true })),
  inBody('no data in a success', 'deleteKnowledgeBase 200', (body) => without(body, 'data')),
  inBody('data null in a success', 'getDocumentStatus 200', (body) => ({ ...body, data: null })),
  inBody('data in another object', 'getDocument 200', (body) => ({ ...body, data: { document: body.data } })),
  inBody('the payload without an envelope', 'getUsage 200', (body) => body.data),
  inBody('a field beside the envelope', 'getBalance 200', (body) => ({ ...body, tookMs: 3 })),
  inBody('no data in a refusal', 'importTextContent 404', (body) => without(body, 'data')),
  inBody('data null in a refusal', 'presignUploadUrl 404', (body) => ({ ...body, data: null })),
  inBody('data as an array in a refusal', 'getUsage 401', (body) => ({ ...body, data: [] })),
  inBody('no errorCode', 'query 415', (body) => without(body, 'errorCode')),
  inBody('errorCode in lower case', 'importFile 409', (body) => ({
    ...body,
    errorCode: 'file_not_uploaded',
  })),
  inBody('errorCode as a number', 'getBalance 401', (body) => ({ ...body, errorCode: 401 })),
  inBody('the errorCode of another resource', 'listDocuments 404', (body) => ({
    ...body,
    errorCode: 'DOCUMENT_NOT_FOUND',
  })),
  inBody('one errorCode for every 404', 'getDocument 404', (body) => ({ ...body, errorCode: 'NOT_FOUND' })),
  inBody('an undocumented errorCode', 'importFile 410', (body) => ({ ...body, errorCode: 'GONE' })),
  inBody('no message', 'query 404', (body) => without(body, 'message')),
  inBody('an empty message', 'deleteKnowledgeBase 404', (body) => ({ ...body, message: '' })),
  inBody('message as an object', 'query 422', (body) => ({ ...body, message: { en: body.message } })),
  inBody('a stack trace beside the error', 'getUsage 503', (body) => ({ ...body, stack: 'at query.ts:1' })),
  inBody('the message under another name', 'importFile 404', ({ message }) => ({ error: message })),
  inAnswer('a truncated body', 'listDocuments 200', (answer) => ({
    ...answer,
    text: answer.text.slice(0, -1),
  })),
  inAnswer('no body', 'deleteDocument 200', (answer) => ({ ...answer, text: '' })),
  inAnswer('JSON as a string of JSON', 'getUsage 200', (answer) => withBody(answer, answer.text)),
  inAnswer("a gateway's HTML page instead of the envelope", 'listKnowledgeBases 503', (answer) => ({
    ...answer,
    text: '<html><h1>503 Service Unavailable</h1></html>',
  })),
];
