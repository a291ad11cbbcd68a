/** uploadFile, status by status. */
import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, inject, test } from 'vitest';
import { UNKNOWN_KNOWLEDGE_BASE_ID } from '../../../../src/contract-check/planning/valid-inputs.ts';
import { toQuery } from '../../../../src/contract-check/requests/query-string.ts';
import {
  expectNothingChanged,
  expectRefusal,
  expectRefusedFields,
  expectSameRefusal,
  expectSuccesses,
} from '../../../harness/calls/expect-refusal.ts';
import { sendAndHangUp } from '../../../harness/calls/raw-socket.ts';
import { bytesOf, untilFinal } from '../../../harness/calls/uploading.ts';
import { createInParallel } from '../../../harness/create-in-parallel.ts';
import { testPromises } from '../../../harness/promises.ts';
import { type Account, openAccount } from '../../../harness/service/opened-account.ts';

const { api } = await openAccount();
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Uploads in one request' });
const input = { knowledgeBaseId, fileName: 'manual.md' };

/** The account of the refused requests: no import of another test changes it meanwhile. */
const account = await openAccount();
const { request, apiKey } = account;
const { id: refusingId } = await account.api.createKnowledgeBase({ name: 'Refused uploads' });
const refused = { knowledgeBaseId: refusingId, fileName: 'manual.md' };

const LARGEST_BYTES = 52_428_800;

const REFUSED_PATH = `/v1/uploadFile?${toQuery(refused)}`;

/** Sends the head with these headers, and then these bytes. Returns status and body of the answer. */
async function send(bytes: string | Uint8Array, headers: Record<string, string | number> = {}) {
  const sent = httpRequest(inject('address') + REFUSED_PATH, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/octet-stream', ...headers },
  });
  const answered = new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', async (response) =>
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(await text(response)) }),
    );
  });
  if (bytes === '') sent.flushHeaders();
  else sent.end(bytes);
  return await answered.finally(() => sent.destroy());
}

testPromises('uploadFile');

test('200: the document has what the request says, and is found as soon as it is processed', async () => {
  const bytes = bytesOf('# Cranes\n\nThe quayside crane swings — 知識.');
  const description = {
    attributes: { 'team.name': 'plát & form?', year: 2026, tags: ['a', 'b'], toString: false },
    sourceUrl: 'https://example.org/a?b=c&d=%20#e',
  };
  const fileName = 'Größe & 知識 #1?.md';
  const document = await api.uploadFile({ knowledgeBaseId, fileName, ...description }, bytes);
  expect(document).toMatchObject({
    title: fileName,
    type: 'md',
    size: bytes.byteLength,
    status: 'pending',
    knowledgeBaseId,
    ...description,
  });
  expect(await untilFinal(api, document.id)).toMatchObject({ status: 'processed' });
  const [found] = await api.query({ query: 'quayside', knowledgeBaseIds: [knowledgeBaseId] });
  expect(found).toMatchObject({ document_id: document.id, title: fileName, ...description });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { file, source } = await api.getDocument(document.id);
  expect({ sha256: file?.sha256, source }).toEqual({ sha256, source: fileName });
});

test('200: with externalId it replaces, and with ifUnchanged the same bytes make nothing new', async () => {
  const input = { knowledgeBaseId, fileName: 'notes.txt', externalId: 'notes' };
  const send = async (content: string) => {
    const sent = await api.uploadFile({ ...input, ifUnchanged: 'skip' }, bytesOf(content));
    await untilFinal(api, sent.id);
    return sent;
  };
  const first = await send('The heron waits.');
  expect(await send('The heron waits.')).toMatchObject({ id: first.id, unchanged: true });
  const second = await send('The heron flies.');
  expect(second).toMatchObject({ replaces: first.id, externalId: 'notes' });
  const { data } = await api.listDocuments({ knowledgeBaseId, externalId: 'notes' });
  expect(data.map(({ id }) => id)).toEqual([second.id]);
});

test('200: the file belongs to its document; a further import of it returns that document', async () => {
  const { id } = await api.uploadFile(input, 'Imported once.');
  await untilFinal(api, id);
  const { file } = await api.getDocument(id);
  expect((await api.importFile(file?.id ?? '')).id).toBe(id);
});

test('200: each complete request makes a document of its own', async () => {
  const documents = await createInParallel(3, () => api.uploadFile(input, 'The same bytes.'));
  expect(new Set(documents.map(({ id }) => id)).size).toBe(3);
});

test('200: bytes of every value, and a type that the service cannot read, end as by importFile', async () => {
  const bytes = Uint8Array.from({ length: 4096 }, (_, index) => index % 256);
  const document = await api.uploadFile({ ...input, fileName: 'tool.exe' }, bytes);
  expect(document).toMatchObject({ type: 'unknown', size: 4096 });
  const report = await untilFinal(api, document.id);
  expect(report).toMatchObject({ status: 'failed', error: { code: 'UNSUPPORTED_FILE_TYPE' } });
});

test('200: the largest file, of 52,428,800 bytes', async () => {
  const file = { ...input, fileName: 'large.bin' };
  const document = await api.uploadFile(file, new Uint8Array(LARGEST_BYTES));
  expect(document.size).toBe(LARGEST_BYTES);
  await untilFinal(api, document.id);
  await api.deleteDocument(document.id);
});

test('413 PAYLOAD_TOO_LARGE: one byte more, before any of them is sent', async () => {
  await expectNothingChanged(account, async () => {
    const answer = await send('', { 'content-length': LARGEST_BYTES + 1 });
    expect(answer).toMatchObject({ status: 413, body: { data: { limit: LARGEST_BYTES } } });
  });
});

test.each([
  ['no Content-Type', { 'content-type': '' }],
  ['the Content-Type of curl --data-binary', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['the Content-Type of curl -F', { 'content-type': 'multipart/form-data; boundary=x' }],
  ['JSON', { 'content-type': 'application/json' }],
  ['a compressed body', { 'content-encoding': 'gzip' }],
])('415 UNSUPPORTED_MEDIA_TYPE: %s', async (_, headers) => {
  await expectNothingChanged(account, async () => {
    const answer = await send('some bytes', headers);
    expect(answer).toMatchObject({ status: 415, body: { errorCode: 'UNSUPPORTED_MEDIA_TYPE' } });
  });
});

test('200: the Content-Type may have parameters and upper case', async () => {
  const headers = { 'content-type': 'Application/Octet-Stream; a=b', 'content-encoding': 'Identity' };
  const { status, body } = await send('some bytes', headers);
  expect(status).toBe(200);
  await untilFinal(account.api, (body as { data: { id: string } }).data.id); // by the spec
});

test.each([
  ['without bytes', '', { 'content-length': 0 }],
  ['in chunks, whose size is not known before', 'some bytes', { 'transfer-encoding': 'chunked' }],
])('422 INPUT_VALIDATION_FAILED: a body %s', async (_, bytes, headers) => {
  await expectNothingChanged(account, async () => {
    const answer = await send(bytes, headers);
    const refusal = {
      errorCode: 'INPUT_VALIDATION_FAILED',
      data: { fieldErrors: { body: [expect.anything()] } },
    };
    expect(answer).toMatchObject({ status: 422, body: refusal });
  });
});

test('422 INPUT_VALIDATION_FAILED: attributes that are no JSON, or break a rule, are named', async () => {
  await expectNothingChanged(account, async () => {
    for (const [attributes, field] of [
      ['{"year":', 'attributes'],
      ['year=2026', 'attributes'],
      ['', 'attributes'],
      ['[]', 'attributes'],
      ['null', 'attributes'],
      ['"{}"', 'attributes'],
      ['{"year":{}}', 'attributes.year'],
      [JSON.stringify({ a: 'x'.repeat(513) }), 'attributes.a'],
      [JSON.stringify({ 'a b': 1 }), 'attributes'],
    ] as const)
      expectRefusedFields(await request('uploadFile', { ...refused, attributes }), field);
    const twice = `${toQuery(refused)}&attributes=%7B%7D&attributes=%7B%7D`;
    expectRefusedFields(await request('uploadFile', twice), 'attributes');
    expectRefusedFields(await request('uploadFile', { ...refused, sourceUrl: 'ftp://a' }), 'sourceUrl');
  });
});

test('a body that breaks off leaves nothing', async () => {
  const head = (length: number) =>
    [
      `POST ${REFUSED_PATH} HTTP/1.1`,
      'Host: a',
      `x-api-key: ${apiKey}`,
      'content-type: application/octet-stream',
      `content-length: ${length}`,
    ].join('\r\n');
  await expectNothingChanged(account, async () => {
    await sendAndHangUp(`${head(10)}\r\n\r\nhalf`);
    await sendAndHangUp(`${head(1_000_000)}\r\n\r\n${'x'.repeat(500_000)}`);
    await sendAndHangUp(`${head(10)}\r\n\r\n`);
  });
});

/** An account with a limit of a hundred bytes, and its knowledge base. */
async function openLimited(): Promise<{ limited: Account; file: typeof refused }> {
  const limited = await openAccount({ storageLimitBytes: 100 });
  const { id } = await limited.api.createKnowledgeBase({ name: 'A hundred bytes' });
  return { limited, file: { knowledgeBaseId: id, fileName: 'a.txt' } };
}

test('403 STORAGE_LIMIT_EXCEEDED: to the byte; tickets and documents count', async () => {
  const { limited, file } = await openLimited();
  await limited.api.presignUploadUrl({ ...file, size: 30 });
  await untilFinal(limited.api, (await limited.api.uploadFile(file, 'x'.repeat(22))).id);
  const { id } = await limited.api.uploadFile(file, 'x'.repeat(48));
  await limited.api.deleteDocument(id);
  await untilFinal(limited.api, (await limited.api.uploadFile(file, 'x')).id);
  await expectNothingChanged(limited, async () => {
    const answer = await limited.request('uploadFile', file); // 48 bytes
    expectRefusal(answer, 403, 'STORAGE_LIMIT_EXCEEDED');
    expect(answer.body).toMatchObject({ data: { limit: 100, used: 53, requested: 48 } });
  });
});

test('403 STORAGE_LIMIT_EXCEEDED: concurrent files never exceed the limit together', async () => {
  const { limited, file } = await openLimited();
  const answers = await createInParallel(8, () => limited.request('uploadFile', file)); // 48 bytes each
  expectSuccesses(answers, 2, { status: 403, errorCode: 'STORAGE_LIMIT_EXCEEDED' });
  expect((await limited.api.getUsage()).storageUsed).toBe(96);
});

test('404 KNOWLEDGE_BASE_NOT_FOUND: the same bytes for an unknown, malformed and deleted one', async () => {
  const { id: deleted } = await account.api.createKnowledgeBase({ name: 'Deleted' });
  await account.api.deleteKnowledgeBase(deleted);
  const answers = await Promise.all(
    [UNKNOWN_KNOWLEDGE_BASE_ID, 'x'.repeat(36), deleted].map((id) =>
      request('uploadFile', { ...refused, knowledgeBaseId: id }),
    ),
  );
  expectSameRefusal(answers, 404, 'KNOWLEDGE_BASE_NOT_FOUND');
});
