/** Every bound of a request field, tested at min - 1, min, max and max + 1. Lengths count code points. */
import { expect, test } from 'vitest';
import {
  UNKNOWN_DOCUMENT_ID,
  UNKNOWN_KNOWLEDGE_BASE_ID,
} from '../../../src/contract-check/planning/valid-inputs.ts';
import { type OperationId, ROUTES } from '../../../src/contract-check/spec/routes.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
} from '../../harness/calls/expect-refusal.ts';
import { openAccount } from '../../harness/service/opened-account.ts';

const account = await openAccount();
const { api, request } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Bounds' });

type Bound = {
  operationId: OperationId;
  field: string;
  min: number;
  max: number;
  /** The status of a request within the bounds. It is 404 for ids, since the tests invent them. */
  accepted: 200 | 404;
  /** The other fields. */
  rest: Record<string, unknown>;
};

const text = { knowledgeBaseId, title: 'Note', content: 'Some text.' };
const ticket = { knowledgeBaseId, fileName: 'a.txt', size: 1 };
const { id: documentId } = await api.importTextContent(text);

/**
 * interface.md, "Request fields" and "Limits". The content of a text, whose bodies are large, has a test of its own.
 */
const LENGTHS: Bound[] = [
  { operationId: 'query', field: 'query', min: 1, max: 8192, accepted: 200, rest: {} },
  { operationId: 'importFile', field: 'fileId', min: 1, max: 128, accepted: 404, rest: {} },
  {
    operationId: 'presignUploadUrl',
    field: 'knowledgeBaseId',
    min: 36,
    max: 36,
    accepted: 404,
    rest: ticket,
  },
  { operationId: 'presignUploadUrl', field: 'fileName', min: 1, max: 256, accepted: 200, rest: ticket },
  { operationId: 'deleteKnowledgeBase', field: 'knowledgeBaseId', min: 36, max: 36, accepted: 404, rest: {} },
  { operationId: 'deleteDocument', field: 'documentId', min: 1, max: 128, accepted: 404, rest: {} },
  { operationId: 'importTextContent', field: 'knowledgeBaseId', min: 36, max: 36, accepted: 404, rest: text },
  { operationId: 'importTextContent', field: 'title', min: 1, max: 256, accepted: 200, rest: text },
  { operationId: 'importTextContent', field: 'externalId', min: 1, max: 256, accepted: 200, rest: text },
  {
    operationId: 'importFile',
    field: 'externalId',
    min: 1,
    max: 256,
    accepted: 404,
    rest: { fileId: UNKNOWN_DOCUMENT_ID },
  },
  {
    operationId: 'listDocuments',
    field: 'externalId',
    min: 1,
    max: 256,
    accepted: 200,
    rest: { knowledgeBaseId },
  },
  ...(['title', 'externalId'] as const).map((field) => ({
    operationId: 'importUrl' as const,
    field,
    min: 1,
    max: 256,
    // No document, whose end in the background would change the account.
    accepted: 404 as const,
    rest: { knowledgeBaseId: UNKNOWN_KNOWLEDGE_BASE_ID, url: 'https://knowledge-retrieval.invalid/' },
  })),
  {
    operationId: 'importUrl',
    field: 'knowledgeBaseId',
    min: 36,
    max: 36,
    accepted: 404,
    rest: { url: 'https://knowledge-retrieval.invalid/' },
  },
  { operationId: 'createKnowledgeBase', field: 'name', min: 1, max: 100, accepted: 200, rest: {} },
  {
    operationId: 'createKnowledgeBase',
    field: 'description',
    min: 0,
    max: 1000,
    accepted: 200,
    rest: { name: 'a' },
  },
  { operationId: 'listDocuments', field: 'knowledgeBaseId', min: 36, max: 36, accepted: 404, rest: {} },
  { operationId: 'getDocumentStatus', field: 'documentId', min: 1, max: 128, accepted: 404, rest: {} },
  { operationId: 'getDocument', field: 'documentId', min: 1, max: 128, accepted: 404, rest: {} },
  { operationId: 'listPassages', field: 'documentId', min: 1, max: 128, accepted: 404, rest: {} },
  { operationId: 'getDocumentContent', field: 'documentId', min: 1, max: 128, accepted: 404, rest: {} },
  { operationId: 'presignDownloadUrl', field: 'documentId', min: 1, max: 128, accepted: 404, rest: {} },
  { operationId: 'updateDocument', field: 'documentId', min: 1, max: 128, accepted: 404, rest: {} },
  { operationId: 'updateDocument', field: 'title', min: 1, max: 256, accepted: 200, rest: { documentId } },
  { operationId: 'retryDocument', field: 'documentId', min: 1, max: 128, accepted: 404, rest: {} },
  { operationId: 'getKnowledgeBase', field: 'knowledgeBaseId', min: 36, max: 36, accepted: 404, rest: {} },
  { operationId: 'updateKnowledgeBase', field: 'knowledgeBaseId', min: 36, max: 36, accepted: 404, rest: {} },
  {
    operationId: 'listDocuments',
    field: 'titleContains',
    min: 1,
    max: 256,
    accepted: 200,
    rest: { knowledgeBaseId },
  },
  {
    operationId: 'updateKnowledgeBase',
    field: 'name',
    min: 1,
    max: 100,
    accepted: 200,
    rest: { knowledgeBaseId },
  },
  {
    operationId: 'updateKnowledgeBase',
    field: 'description',
    min: 0,
    max: 1000,
    accepted: 200,
    rest: { knowledgeBaseId },
  },
  { operationId: 'listAttributes', field: 'knowledgeBaseId', min: 36, max: 36, accepted: 404, rest: {} },
  { operationId: 'getSynonyms', field: 'knowledgeBaseId', min: 36, max: 36, accepted: 404, rest: {} },
  {
    operationId: 'setSynonyms',
    field: 'knowledgeBaseId',
    min: 36,
    max: 36,
    accepted: 404,
    rest: { groups: [] },
  },
  { operationId: 'revokeKey', field: 'keyId', min: 24, max: 24, accepted: 404, rest: {} },
  { operationId: 'createKey', field: 'name', min: 1, max: 200, accepted: 200, rest: { scope: 'search' } },
  { operationId: 'deleteWebhook', field: 'webhookId', min: 36, max: 36, accepted: 404, rest: {} },
  { operationId: 'testWebhook', field: 'webhookId', min: 36, max: 36, accepted: 404, rest: {} },
];

/** interface.md, "Limits". The `limit` of lists is in contract.md, "list paging", and `waitSeconds` in gaps.md. */
const NUMBERS: Bound[] = [
  { operationId: 'query', field: 'limit', min: 1, max: 50, accepted: 200, rest: { query: 'a' } },
  { operationId: 'query', field: 'maxPerDocument', min: 1, max: 50, accepted: 200, rest: { query: 'a' } },
  { operationId: 'query', field: 'minScore', min: 0, max: 1, accepted: 200, rest: { query: 'a' } },
  { operationId: 'query', field: 'contextPassages', min: 0, max: 3, accepted: 200, rest: { query: 'a' } },
  { operationId: 'presignUploadUrl', field: 'size', min: 1, max: 52_428_800, accepted: 200, rest: ticket },
  {
    operationId: 'listDocuments',
    field: 'limit',
    min: 1,
    max: 1000,
    accepted: 200,
    rest: { knowledgeBaseId },
  },
  { operationId: 'listKnowledgeBases', field: 'limit', min: 1, max: 1000, accepted: 200, rest: {} },
  { operationId: 'listWebhooks', field: 'limit', min: 1, max: 1000, accepted: 200, rest: {} },
  { operationId: 'listQueries', field: 'limit', min: 1, max: 1000, accepted: 200, rest: {} },
  { operationId: 'listPassages', field: 'limit', min: 1, max: 1000, accepted: 200, rest: { documentId } },
  ...(['from', 'to'] as const).map((field) => ({
    operationId: 'listPassages' as const,
    field,
    min: 1,
    max: 2_147_483_647,
    accepted: 200 as const,
    rest: { documentId },
  })),
  {
    operationId: 'getDocumentContent',
    field: 'limit',
    min: 1,
    max: 100_000,
    accepted: 200,
    rest: { documentId },
  },
  {
    operationId: 'getDocumentContent',
    field: 'offset',
    min: 0,
    max: 2_147_483_647,
    accepted: 200,
    rest: { documentId },
  },
  {
    operationId: 'getDocumentStatus',
    field: 'waitSeconds',
    min: 0,
    max: 30,
    accepted: 200,
    rest: { documentId },
  },
];

/** Texts of `length` code points. Each takes one or two UTF-16 code units, and one to four UTF-8 bytes. */
const ALPHABETS: [alphabet: string, write: (length: number) => string][] = [
  ['letters', (length) => 'a'.repeat(length)],
  ['emoji of four bytes', (length) => '😀'.repeat(length)],
  ['combining marks', (length) => 'e\u0301'.repeat(length / 2) + '\u0301'.repeat(length % 2)],
];

/** Asserts that the operation accepts `value` in this field. */
async function expectAccepted({ operationId, field, accepted, rest }: Bound, value: string | number) {
  const { status, text: body } = await request(operationId, { ...rest, [field]: value });
  expect(status, body.slice(0, 500)).toBe(accepted);
}

/** Asserts that the operation refuses each of these values in this field, and changes nothing. */
async function expectRefused({ operationId, field, rest }: Bound, ...values: (string | number)[]) {
  await expectNothingChanged(account, async () => {
    for (const value of values)
      expectRefusedFields(await request(operationId, { ...rest, [field]: value }), field);
  });
}

async function expectLengths(bound: Bound, write: (length: number) => string) {
  await expectAccepted(bound, write(bound.min));
  await expectAccepted(bound, write(bound.max));
  const tooShort = bound.min > 0 ? [write(bound.min - 1)] : [];
  await expectRefused(bound, ...tooShort, write(bound.max + 1));
}

test.each(LENGTHS)('$operationId $field takes $min to $max code points, no fewer and no more', (bound) =>
  expectLengths(bound, (length) => '😀'.repeat(length)),
);

// One function counts the code points of all fields: one field is enough for the other alphabets.
test.each(ALPHABETS)('%s count by code points', async (_, write) => {
  for (const bound of LENGTHS.filter(({ field }) => field === 'query')) await expectLengths(bound, write);
});

test.each(NUMBERS)('$operationId $field takes $min to $max, no less and no more', async (bound) => {
  await expectAccepted(bound, bound.min);
  await expectAccepted(bound, bound.max);
  await expectRefused(bound, bound.min - 1, bound.max + 1);
});

test.each([
  { operationId: 'query', field: 'limit', rest: { query: 'a' } },
  { operationId: 'presignUploadUrl', field: 'size', rest: ticket },
] as const)('$operationId $field takes whole numbers only, in any notation of JSON', async (bound) => {
  const { operationId, field, rest } = bound;
  const write = (number: string) =>
    JSON.stringify({ ...rest, [field]: 0 }).replace(/:0(?=[,}])/, `:${number}`);
  for (const number of ['10', '1e1', '10.0', '100e-1']) {
    expect((await request(operationId, write(number))).status, number).toBe(200);
  }
  for (const number of ['1.5', '-1', '-0', '1e999', '-1e999', '1e-9', '49.999999999', '9007199254740993']) {
    expectRefusedFields(await request(operationId, write(number)), field);
  }
});

/** Other notations of 5 and 10 that some programs accept, escaped for a query string. */
const OTHER_NOTATIONS = [
  '0x5',
  '0b101',
  '0o5',
  '1e1',
  '5.0',
  '5.',
  '05',
  '%2B5',
  '+5',
  '%205',
  '5%20',
  '5%0A',
  '%D9%A5',
];

test.each(NUMBERS.filter(({ operationId }) => ROUTES[operationId].method === 'GET'))(
  '$operationId $field takes whole numbers in decimal digits only',
  async ({ operationId, field, rest }) => {
    const others = new URLSearchParams(rest as Record<string, string>); // ids
    expect((await request(operationId, `${others}&${field}=5`)).status).toBe(200);
    for (const written of OTHER_NOTATIONS) {
      expectRefusedFields(await request(operationId, `${others}&${field}=${written}`), field);
    }
  },
);

test('query.knowledgeBaseIds takes 0 to 100 ids of 36 code points each, no more', async () => {
  const ids = (count: number) => ({
    query: 'a',
    knowledgeBaseIds: Array<string>(count).fill(knowledgeBaseId),
  });
  for (const count of [0, 1, 100]) expect((await request('query', ids(count))).status).toBe(200);
  await expectNothingChanged(account, async () => {
    expectRefusedFields(await request('query', ids(101)), 'knowledgeBaseIds');
    for (const [, write] of ALPHABETS) {
      const of = (length: number) => ({ query: 'a', knowledgeBaseIds: [write(length)] });
      expectRefusal(await request('query', of(36)), 404, 'KNOWLEDGE_BASE_NOT_FOUND');
      for (const length of [0, 35, 37]) {
        expectRefusedFields(await request('query', of(length)), 'knowledgeBaseIds.0');
      }
    }
  });
});

test('query.documentIds takes 0 to 100 ids of 1 to 128 code points each, no more', async () => {
  const ids = (count: number) => ({ query: 'a', documentIds: Array<string>(count).fill(documentId) });
  for (const count of [0, 1, 100]) expect((await request('query', ids(count))).status).toBe(200);
  await expectNothingChanged(account, async () => {
    expectRefusedFields(await request('query', ids(101)), 'documentIds');
    for (const [, write] of ALPHABETS) {
      const of = (length: number) => ({ query: 'a', documentIds: [write(length)] });
      for (const length of [1, 128])
        expectRefusal(await request('query', of(length)), 404, 'DOCUMENT_NOT_FOUND');
      for (const length of [0, 129]) expectRefusedFields(await request('query', of(length)), 'documentIds.0');
    }
  });
});

/** The sums over a whole filter are in query-scope.test.ts. */
test.each([
  { operationId: 'query', rest: { query: 'a' } },
  { operationId: 'listDocuments', rest: { knowledgeBaseId } },
] as const)(
  'the filter of $operationId takes keys of 1 to 64 letters, texts of up to 2,048, and 0 to 100 values in a list',
  async ({ operationId, rest }) => {
    const send = (filter: object) => request(operationId, { ...rest, filter });
    const withKey = (length: number) => ({ type: 'eq', key: 'k'.repeat(length), value: 1 });
    const withText = (length: number) => ({ type: 'eq', key: 'a', value: 'x'.repeat(length) });
    const withList = (length: number) => ({ type: 'in', key: 'a', value: Array(length).fill(1) });
    const withParts = (length: number) => ({ type: 'and', filters: Array(length).fill(withKey(1)) });
    const good = [
      ...[1, 64].map(withKey),
      ...[0, 2048].map(withText),
      ...[0, 100].map(withList),
      ...[1, 63].map(withParts),
    ];
    for (const filter of good) expect((await send(filter)).status).toBe(200);
    await expectNothingChanged(account, async () => {
      for (const length of [0, 65]) expectRefusedFields(await send(withKey(length)), 'filter.key');
      expectRefusedFields(await send(withText(2049)), 'filter.value');
      expectRefusedFields(await send(withList(101)), 'filter.value');
      expectRefusedFields(await send(withParts(0)), 'filter.filters');
    });
  },
);

test('importTextContent.content takes 1 to 1,000,000 emoji, in UTF-8 or as 12 MB of escapes', async () => {
  const write = (content: string) =>
    `{"knowledgeBaseId":"${knowledgeBaseId}","title":"a","content":"${content}"}`;
  const importText = (content: string) => request('importTextContent', write(content));
  const answer = await importText('\\ud83d\\ude00'.repeat(1_000_000));
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ data: { size: 4_000_000, status: 'processed' } });
  expect((await importText('😀')).body).toMatchObject({ data: { size: 4, status: 'processed' } });
  await expectNothingChanged(account, async () => {
    for (const content of ['', '😀'.repeat(1_000_001)])
      expectRefusedFields(await importText(content), 'content');
  });
});

test('a body with every field at its maximum length, written in escapes, is not too large', async () => {
  const emoji = (length: number) => '\\ud83d\\ude00'.repeat(length);
  const bodies: [OperationId, string, number][] = [
    ['createKnowledgeBase', `{"name":"${emoji(100)}","description":"${emoji(1000)}"}`, 200],
    ['query', `{"query":"${emoji(8192)}","knowledgeBaseIds":[${Array(100).fill(`"${emoji(36)}"`)}]}`, 404],
    [
      'presignUploadUrl',
      `{"knowledgeBaseId":"${emoji(36)}","fileName":"${emoji(256)}","size":52428800}`,
      404,
    ],
    ['deleteKnowledgeBase', `{"knowledgeBaseId":"${emoji(36)}"}`, 404],
    ['deleteDocument', `{"documentId":"${emoji(128)}"}`, 404],
    ['importFile', `{"fileId":"${emoji(128)}"}`, 404],
  ];
  for (const [operationId, body, status] of bodies) {
    expect((await request(operationId, body)).status, operationId).toBe(status);
  }
});

test('the ids that the service issues fit into the bounds of ids', async () => {
  const document = await api.importTextContent(text);
  const { fileId } = await api.presignUploadUrl(ticket);
  expect(knowledgeBaseId).toHaveLength(36);
  for (const id of [document.id, fileId, UNKNOWN_DOCUMENT_ID]) expect(id.length).toBeLessThan(128);
});
