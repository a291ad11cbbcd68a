/**
 * Failures that no request can provoke: a crash in any operation, and the storage limit where nothing is stored. The
 * spec documents them under `default`. The service checks these answers against the spec too: an answer that breaks it
 * would lose its code.
 */
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Service } from '../handlers/service.ts';
import { startTestService, type TestService } from '../serve/testing/test-service.ts';
import { STATUS_OF, storageLimitExceeded } from '../terms/errors.ts';

const SECRET = 'SELECT * FROM secrets';
const knowledgeBaseId = '0199f3a2-6b1c-7d4e-8f50-2a9b3c4d5e6f';
const documentId = `${knowledgeBaseId}_0199f3b0-1c2d-7e3f-9a4b-5c6d7e8f9a0b`;

/** Every operation, with a body or a query string that reaches the database or the search. */
const CALLS: [operation: string, body?: object][] = [
  ['query', { query: 'restart policy' }],
  ['importFile', { fileId: documentId }],
  ['presignUploadUrl', { knowledgeBaseId, fileName: 'manual.md', size: 10 }],
  ['deleteKnowledgeBase', { knowledgeBaseId }],
  ['deleteDocument', { documentId }],
  ['importTextContent', { knowledgeBaseId, title: 'Release notes', content: 'Version 2.4' }],
  ['createKnowledgeBase', { name: 'Handbook' }],
  [`listDocuments?knowledgeBaseId=${knowledgeBaseId}`],
  ['listKnowledgeBases'],
  [`getDocumentStatus?documentId=${documentId}`],
  ['getUsage'],
  ['getBalance'],
  [`getDocument?documentId=${documentId}`],
  [`listPassages?documentId=${documentId}`],
  [`getKnowledgeBase?knowledgeBaseId=${knowledgeBaseId}`],
  ['updateKnowledgeBase', { knowledgeBaseId, name: 'Handbook' }],
  [`getDocumentContent?documentId=${documentId}`],
  ['updateDocument', { documentId, title: 'Note' }],
  ['retryDocument', { documentId }],
  ['createWebhook', { url: 'https://93.184.215.14/' }],
  ['listWebhooks'],
  ['deleteWebhook', { webhookId: knowledgeBaseId }],
  ['testWebhook', { webhookId: knowledgeBaseId }],
  [`uploadFile?knowledgeBaseId=${knowledgeBaseId}&fileName=a.txt`, Buffer.from('a note')],
  [`presignDownloadUrl?documentId=${documentId}`],
  ['getSynonyms'],
  ['setSynonyms', { groups: [] }],
  ['importUrl', { knowledgeBaseId, url: 'https://93.184.215.14/' }],
  [`listAttributes?knowledgeBaseId=${knowledgeBaseId}`],
  ['listQueries'],
  ['setQueryHistory', { enabled: true }],
  ['createToken', {}],
  ['createKey', {}],
  ['listKeys'],
  ['revokeKey', { keyId: '0'.repeat(24) }],
];

/** The error that every use of database, search and short texts throws; undefined: all work. */
let failure: Error | undefined;

/** A proxy of `part` that throws `failure` while that is set. Methods keep their own `this`. */
const breakable = <Part extends object>(part: Part): Part =>
  new Proxy(part, {
    get(target, name) {
      if (failure !== undefined) throw failure;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    apply(target, _, args) {
      if (failure !== undefined) throw failure;
      return Reflect.apply(target as unknown as (...given: unknown[]) => unknown, undefined, args); // it was called
    },
  });

let service: TestService;
beforeAll(async () => {
  const change = ({ database, search, importShortText }: Service) => ({
    database: breakable(database),
    search: breakable(search),
    importShortText: breakable(importShortText),
  });
  service = await startTestService({ change });
});
afterAll(() => service.close());
beforeEach(async () => {
  failure = undefined;
  // This call caches the key's owner for a second, so that the failure happens in the handler, not in the key look-up.
  await service.call('getUsage');
});

test('CALLS holds every operation of the spec', () => {
  const { paths } = load(readFileSync(new URL('../../spec/openapi.yaml', import.meta.url), 'utf8')) as {
    paths: object;
  };
  expect(CALLS.map(([call]) => `/v1/${call.split('?')[0]}`)).toEqual(Object.keys(paths));
});

test.each(CALLS)('500 INTERNAL_ERROR: a crash in %s answers with a constant message', async (call, body) => {
  failure = new TypeError(SECRET);
  const answer = await service.call(call, body);
  expect(answer).toMatchObject({
    status: 500,
    body: {
      success: false,
      message: 'An unexpected error happened; the log tells more under this x-request-id.',
      errorCode: 'INTERNAL_ERROR',
      data: {},
    },
  });
  expect(JSON.stringify(answer.body)).not.toContain(SECRET);
  expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
});

test.each(CALLS)(
  '403 STORAGE_LIMIT_EXCEEDED: %s answers with the limit, the used and the requested bytes',
  async (call, body) => {
    const data = { limit: 10, used: 9, requested: 2 };
    failure = storageLimitExceeded(data);
    const answer = await service.call(call, body);
    expect(answer).toMatchObject({ status: 403, body: { errorCode: 'STORAGE_LIMIT_EXCEEDED', data } });
  },
);

test('the service still answers after these failures', async () => {
  expect(await service.call('getUsage')).toMatchObject({
    status: 200,
    body: { data: { knowledgeBaseCount: 0, storageUsed: 0 } },
  });
});

test('each errorCode has the status that the spec states', () => {
  const { components } = load(readFileSync(new URL('../../spec/openapi.yaml', import.meta.url), 'utf8')) as {
    components: { schemas: { ErrorCode: { 'x-status': object } } };
  };
  expect(STATUS_OF).toEqual(components.schemas.ErrorCode['x-status']);
});
