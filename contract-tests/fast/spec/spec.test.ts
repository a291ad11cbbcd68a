/** Checks the spec against the interface: its operations, their statuses, their inputs and every bound. */
import { describe, expect, test } from 'vitest';
import {
  ajv,
  errorCodesOf,
  examplesOf,
  inputsOf,
  operationOf,
  operations,
  problems,
  requiredInputsOf,
  responses,
  schemas,
} from '../../../src/contract-check/spec/read-spec.ts';
import { usedMsOf } from '../../harness/machine/processor-time.ts';

describe('operations', () => {
  /** The interface's table of endpoints, in its order, with the tag of each; then the additions. */
  const ENDPOINTS = [
    ['query', 'post', 'search'],
    ['importFile', 'post', 'uploads'],
    ['presignUploadUrl', 'post', 'uploads'],
    ['deleteKnowledgeBase', 'post', 'knowledge-bases'],
    ['deleteDocument', 'post', 'documents'],
    ['importTextContent', 'post', 'documents'],
    ['createKnowledgeBase', 'post', 'knowledge-bases'],
    ['listDocuments', 'get', 'documents'],
    ['listKnowledgeBases', 'get', 'knowledge-bases'],
    ['getDocumentStatus', 'get', 'documents'],
    ['getUsage', 'get', 'account'],
    ['getBalance', 'get', 'account'],
    ['getDocument', 'get', 'documents'],
    ['listPassages', 'get', 'documents'],
    ['getKnowledgeBase', 'get', 'knowledge-bases'],
    ['updateKnowledgeBase', 'post', 'knowledge-bases'],
    ['getDocumentContent', 'get', 'documents'],
    ['updateDocument', 'post', 'documents'],
    ['retryDocument', 'post', 'documents'],
    ['createWebhook', 'post', 'webhooks'],
    ['listWebhooks', 'get', 'webhooks'],
    ['deleteWebhook', 'post', 'webhooks'],
    ['testWebhook', 'post', 'webhooks'],
    ['uploadFile', 'post', 'uploads'],
    ['presignDownloadUrl', 'get', 'uploads'],
    ['getSynonyms', 'get', 'search'],
    ['setSynonyms', 'post', 'search'],
    ['importUrl', 'post', 'uploads'],
    ['listAttributes', 'get', 'documents'],
    ['listQueries', 'get', 'search'],
    ['setQueryHistory', 'post', 'search'],
    ['createToken', 'post', 'account'],
    ['createKey', 'post', 'account'],
    ['listKeys', 'get', 'account'],
    ['revokeKey', 'post', 'account'],
  ];

  test('are the twelve of the interface, in its order, and then additions; each has its operationId as path', () => {
    const found = operations.map(({ path, method, operationId, tags }) => [
      path,
      operationId,
      method,
      ...tags,
    ]);
    expect(found).toEqual(ENDPOINTS.map(([id, method, tag]) => [`/v1/${id}`, id, method, tag]));
  });

  const ON_ALL = ['200', '401', '422', '429', '503', 'default'];
  const ON_POST = ['413', '415'];
  const OWN: Record<string, string[]> = {
    query: ['402', '404'],
    importFile: ['403', '404', '409', '410'],
    presignUploadUrl: ['403', '404', '409'],
    deleteKnowledgeBase: ['403', '404'],
    deleteDocument: ['403', '404'],
    importTextContent: ['403', '404', '409'],
    createKnowledgeBase: ['403', '409'],
    listDocuments: ['404'],
    getDocumentStatus: ['404'],
    getDocument: ['404'],
    listPassages: ['404'],
    getKnowledgeBase: ['404'],
    updateKnowledgeBase: ['403', '404'],
    getDocumentContent: ['404'],
    updateDocument: ['403', '404'],
    retryDocument: ['403', '404', '409'],
    createWebhook: ['403', '404', '409'],
    listWebhooks: ['403'],
    deleteWebhook: ['403', '404'],
    testWebhook: ['403', '404'],
    uploadFile: ['403', '404'],
    presignDownloadUrl: ['404', '409'],
    getSynonyms: ['403', '404'],
    setSynonyms: ['403', '404'],
    importUrl: ['403', '404', '409'],
    listAttributes: ['404'],
    createKey: ['403', '404'],
    listKeys: ['403'],
    revokeKey: ['403', '404'],
    listQueries: ['403'],
    setQueryHistory: ['403'],
  };

  test.each(operations)('$operationId documents the statuses that it can answer with', (operation) => {
    const { operationId, method } = operation;
    const expected = [...ON_ALL, ...(method === 'post' ? ON_POST : []), ...(OWN[operationId] ?? [])];
    expect(Object.keys(operation.responses).sort()).toEqual(expected.sort());
  });

  test.each(operations)(
    '$operationId documents KEY_NOT_PERMITTED if not every key may call it',
    (operation) => {
      const errorCodes = errorCodesOf(operation.responses['403']?.content['application/json'].schema ?? {});
      expect(['search', 'write', 'account']).toContain(operation['x-required-scope']);
      const isForAll = operation['x-keys-with-filter'] === 'visible';
      expect(errorCodes.includes('KEY_NOT_PERMITTED')).toBe(!isForAll);
      if (isForAll) expect(operation['x-required-scope']).toBe('search');
    },
  );

  /** The interface lists both codes on every endpoint. */
  test.each(operations)(
    '$operationId documents STORAGE_LIMIT_EXCEEDED and INPUT_VALIDATION_FAILED, under a status or `default`',
    (operation) => {
      const errorCodes = Object.values(operation.responses).flatMap(({ content }) =>
        errorCodesOf(content['application/json'].schema),
      );
      expect(errorCodes).toEqual(
        expect.arrayContaining(['STORAGE_LIMIT_EXCEEDED', 'INPUT_VALIDATION_FAILED']),
      );
    },
  );

  test.each(responses)(
    '$operation.operationId $status documents x-request-id, and where they apply Retry-After and the rate limit',
    ({ status, headers = {} }) => {
      const expected = [
        ...(['200', '429'].includes(status) ? ['RateLimit', 'RateLimit-Policy'] : []),
        ...(['429', '503'].includes(status) ? ['Retry-After'] : []),
        'x-request-id',
      ];
      expect(Object.keys(headers).sort()).toEqual(expected);
    },
  );
});

describe('bounds of the interface', () => {
  const knowledgeBaseId = { type: 'string', minLength: 36, maxLength: 36 };
  const id = { type: 'string', minLength: 1, maxLength: 128 };
  /** Field by field: operation, field, whether it is required, its constraint. */
  const FIELDS: [string, string, boolean, object][] = [
    ['query', 'query', true, { type: 'string', minLength: 1, maxLength: 8192 }],
    ['query', 'knowledgeBaseIds', false, { type: 'array', items: expect.objectContaining(knowledgeBaseId) }],
    ['query', 'limit', false, { type: 'integer', minimum: 1, maximum: 50, default: 10 }],
    ['importFile', 'fileId', true, id],
    ['presignUploadUrl', 'knowledgeBaseId', true, knowledgeBaseId],
    ['presignUploadUrl', 'fileName', true, { type: 'string', minLength: 1, maxLength: 256 }],
    ['presignUploadUrl', 'size', true, { type: 'integer', minimum: 1, maximum: 52_428_800 }],
    ['deleteKnowledgeBase', 'knowledgeBaseId', true, knowledgeBaseId],
    ['deleteDocument', 'documentId', true, id],
    ['importTextContent', 'knowledgeBaseId', true, knowledgeBaseId],
    ['importTextContent', 'title', true, { type: 'string', minLength: 1, maxLength: 256 }],
    ['importTextContent', 'content', true, { type: 'string', minLength: 1, maxLength: 1_000_000 }],
    ['createKnowledgeBase', 'name', true, { type: 'string', minLength: 1, maxLength: 100 }],
    ['createKnowledgeBase', 'description', false, { type: 'string', maxLength: 1000 }],
    ['listDocuments', 'knowledgeBaseId', true, knowledgeBaseId],
    ['getDocumentStatus', 'documentId', true, id],
    ['getDocumentStatus', 'waitSeconds', false, { type: 'integer', minimum: 0, maximum: 30, default: 0 }],
    ['getDocument', 'documentId', true, id],
    ['listPassages', 'documentId', true, id],
    ['getKnowledgeBase', 'knowledgeBaseId', true, knowledgeBaseId],
    ['updateKnowledgeBase', 'knowledgeBaseId', true, knowledgeBaseId],
    ['updateKnowledgeBase', 'name', false, { type: 'string', minLength: 1, maxLength: 100 }],
    ['updateKnowledgeBase', 'description', false, { type: 'string', maxLength: 1000 }],
    ['getDocumentContent', 'documentId', true, id],
    ['getDocumentContent', 'offset', false, { type: 'integer', minimum: 0, default: 0 }],
    [
      'getDocumentContent',
      'limit',
      false,
      { type: 'integer', minimum: 1, maximum: 100_000, default: 100_000 },
    ],
    ['updateDocument', 'documentId', true, id],
    ['updateDocument', 'title', false, { type: 'string', minLength: 1, maxLength: 256 }],
    ['updateDocument', 'sourceUrl', false, { type: 'string', maxLength: 2048 }],
    ['retryDocument', 'documentId', true, id],
    ['uploadFile', 'knowledgeBaseId', true, knowledgeBaseId],
    ['uploadFile', 'fileName', true, { type: 'string', minLength: 1, maxLength: 256 }],
    ['uploadFile', 'sourceUrl', false, { type: 'string', maxLength: 2048 }],
    ['uploadFile', 'externalId', false, { type: 'string', minLength: 1, maxLength: 256 }],
    ['uploadFile', 'ifUnchanged', false, { type: 'string', enum: ['skip'] }],
    ['uploadFile', 'attributes', false, { type: 'object', maxProperties: 16 }],
    ['presignDownloadUrl', 'documentId', true, id],
    [
      'listDocuments',
      'filter',
      false,
      { anyOf: [{ type: 'object' }, { type: 'string', maxLength: 16_384 }] },
    ],
    ['listAttributes', 'knowledgeBaseId', true, knowledgeBaseId],
    ['createToken', 'filter', false, { anyOf: [{ type: 'object' }, { type: 'string', maxLength: 16_384 }] }],
    ['createToken', 'expiresIn', false, { type: 'integer', minimum: 1, maximum: 86_400 }],
    ['getSynonyms', 'knowledgeBaseId', false, knowledgeBaseId],
    ['setSynonyms', 'knowledgeBaseId', false, knowledgeBaseId],
    ['setSynonyms', 'groups', true, { type: 'array', maxItems: 1000 }],
    ['listQueries', 'limit', false, { type: 'integer', minimum: 1, maximum: 1000, default: 1000 }],
    ['setQueryHistory', 'enabled', true, { type: 'boolean' }],
    ['importUrl', 'knowledgeBaseId', true, knowledgeBaseId],
    ['importUrl', 'url', true, { type: 'string', minLength: 1, maxLength: 2048 }],
    ['importUrl', 'title', false, { type: 'string', minLength: 1, maxLength: 256 }],
    ['importUrl', 'externalId', false, { type: 'string', minLength: 1, maxLength: 256 }],
    ['importUrl', 'ifUnchanged', false, { type: 'string', enum: ['skip', 'replace'], default: 'skip' }],
    ['importUrl', 'attributes', false, { type: 'object', maxProperties: 16 }],
  ];

  test.each(FIELDS)('%s: %s', (operationId, field, required, constraint) => {
    const operation = operationOf(operationId);
    expect(inputsOf(operation)[field]).toMatchObject(constraint);
    expect(requiredInputsOf(operation).includes(field)).toBe(required);
  });

  test('a description may be empty, and an id may have any characters', () => {
    expect(problems(schemas.KnowledgeBaseDescription ?? {}, '')).toEqual([]);
    expect(problems(schemas.KnowledgeBaseId ?? {}, '!'.repeat(36))).toEqual([]);
    expect(problems(schemas.DocumentId ?? {}, '../..')).toEqual([]);
  });

  test('nextCursor of an answer has the schema of the parameter cursor', () => {
    const cursor = inputsOf(operationOf('listDocuments')).cursor;
    expect(schemas.Pagination?.properties?.nextCursor).toMatchObject({
      ...cursor,
      description: expect.anything(),
    });
  });
});

describe('request bodies', () => {
  const bodies = operations.flatMap(({ operationId, requestBody }) =>
    requestBody === undefined ? [] : [{ operationId, requestBody }],
  );
  const jsonBodies = bodies.flatMap(({ operationId, requestBody: { content } }) => {
    const { 'application/json': json } = content;
    return json === undefined ? [] : [{ operationId, content, schema: json.schema }];
  });

  test('every POST requires one', () => {
    const posts = operations.filter(({ method }) => method === 'post').map(({ operationId }) => operationId);
    const needed = bodies.filter(({ requestBody }) => requestBody.required);
    expect(needed.map(({ operationId }) => operationId)).toEqual(posts);
  });

  test.each(jsonBodies)('$operationId refuses an unknown field by its name', ({ schema, content }) => {
    const [, example] = examplesOf(content)[0] ?? [];
    ajv.validate(schema, { ...(example?.value as object), unheardOf: 1 }); // the schema is that of an object
    expect(ajv.errors?.map(({ params }) => params)).toEqual([{ additionalProperty: 'unheardOf' }]);
  });
});

describe('texts', () => {
  /** Texts with a form of their own; each has its own tests. */
  const formed = ['sourceUrl', 'status', 'ifUnchanged', 'mode', 'scope'];
  const texts = operations.flatMap((operation) =>
    Object.entries(inputsOf(operation))
      .filter(([field, { type }]) => type === 'string' && !formed.includes(field))
      .filter(([field]) => field !== 'url' || operation.operationId !== 'importUrl')
      .map(([field, schema]) => ({ field, schema })),
  );

  test.each(texts)('$field accepts emoji, but neither U+0000 nor a lone surrogate', ({ schema }) => {
    const fill = (text: string) => 'x'.repeat(Math.max(0, (schema.minLength ?? 0) - [...text].length)) + text;
    for (const good of ['😀', '知', 'é']) expect(problems(schema, fill(good))).toEqual([]);
    for (const bad of ['\0', '\ud83d', '\ude00', 'a\ude00\ud83d']) {
      expect(problems(schema, fill(bad))).toEqual([expect.stringContaining('must match pattern')]);
    }
  });

  const content = inputsOf(operationOf('importTextContent')).content ?? {};

  test('content needs a character that is not white space', () => {
    for (const blank of [' ', '\n\t ', '\u3000\u00a0']) expect(problems(content, blank)).toHaveLength(1);
    for (const text of [' a', 'a ', '\n知\n']) expect(problems(content, text)).toEqual([]);
  });

  const others = texts.filter(({ field }) => field !== 'content');

  test.each(others)('$field may be white space only', ({ schema }) => {
    expect(problems(schema, ' '.repeat(schema.minLength ?? 0))).toEqual([]);
  });

  /** The processor time to refuse a text of `length` characters that ends with U+0000, the worst case of a pattern. */
  const refusalTime = (character: string, length: number): Promise<number> =>
    usedMsOf(() => expect(problems(content, `${character.repeat(length - 1)}\0`)).toHaveLength(1));

  test.each(['a', '知', '😀', ' '])('a million times %j is validated in linear time', async (character) => {
    // Quadratic time is seconds here, and hours for a million characters. So the test fails here first.
    expect(await refusalTime(character, 50_000)).toBeLessThan(500);
    expect(await refusalTime(character, 1_000_000)).toBeLessThan(2000);
    const text = character.repeat(1_000_000);
    expect(problems(content, text)).toHaveLength(character === ' ' ? 1 : 0);
    expect(problems(content, `${text}x`)).toEqual([expect.stringContaining('1000000')]);
  });
});
