/**
 * The mock (npm run mock): answers that a client chooses, the answers of --fixed, and that its refusals equal the
 * service's. mock-memory.test.ts tests what it remembers.
 */
import { afterAll, describe, expect, inject, test } from 'vitest';
import type { ErrorCode } from '../../../generated/types.gen.ts';
import { VALID_INPUTS } from '../../../src/contract-check/planning/valid-inputs.ts';
import { requireContract } from '../../../src/contract-check/requests/answer-contract.ts';
import { createCaller, type Input, toSent } from '../../../src/contract-check/requests/calling.ts';
import { type Answer, exchange, type Sent } from '../../../src/contract-check/requests/exchange.ts';
import { readPages } from '../../../src/contract-check/requests/read-pages.ts';
import { examplesOf, operationOf, responses } from '../../../src/contract-check/spec/read-spec.ts';
import { OPERATION_IDS, type OperationId, ROUTES } from '../../../src/contract-check/spec/routes.ts';
import { expectRefusal, expectRefusedFields } from '../../harness/calls/expect-refusal.ts';
import { bytesOf, pathOf } from '../../harness/calls/uploading.ts';
import { startMock } from '../../harness/service/service-process.ts';

const [mock, fixedMock] = await Promise.all([startMock(), startMock('--fixed')]);
afterAll(() => Promise.all([mock.stop(), fixedMock.stop()]));
const { api, request } = createCaller({ address: mock.address, apiKey: 'any' });
const fixed = createCaller({ address: fixedMock.address, apiKey: 'any' });

/** Sends the request unchanged. Returns the mock's answer, checked against the spec. */
async function send(sent: Sent, operationId?: OperationId): Promise<Answer> {
  const answer = await exchange(mock.address, sent);
  requireContract(operationId, answer);
  return answer;
}

const prefer = (operationId: OperationId, preference: string) =>
  request(operationId, VALID_INPUTS[operationId], { prefer: preference });

test('it prints its address, and a request to paste', () => {
  expect(mock.output.join('\n')).toContain(`curl -s ${mock.address}/v1/query -H 'x-api-key: any'`);
});

test('the console signs in with any key, and stays signed in', async () => {
  const path = '/console/session';
  const headers = { 'sec-fetch-site': 'same-origin' };
  const { body, headers: given } = await exchange(mock.address, {
    method: 'POST',
    path,
    headers: { ...headers, 'x-api-key': 'any' },
  });
  const [cookie = ''] = String(given['set-cookie']).split(';');
  const again = await exchange(mock.address, {
    method: 'GET',
    path,
    headers: { ...headers, cookie, 'x-api-key': 'console' },
  });
  expect(body).toMatchObject({ success: true, data: { scope: 'account' } });
  expect(again.body).toEqual(body);
});

describe('Prefer', () => {
  /** One documented refusal of each operation, of another status for each: one look-up answers all of them. */
  const documented = OPERATION_IDS.map((operationId, i) => {
    const refusals = responses.filter(
      ({ operation, status }) => operation.operationId === operationId && /^[45]/.test(status),
    );
    const { status, content } =
      refusals[i % refusals.length] ?? expect.fail(`${operationId} refuses nothing`);
    return { operationId, code: status, examples: examplesOf(content) };
  });

  test.each(documented)(
    'code=$code of $operationId is the first example of the spec; example=… is that example',
    async ({ code, operationId, examples }) => {
      const { status, body } = await prefer(operationId, `code=${code}`);
      expect(status).toBe(Number(code));
      expect(body).toEqual(examples[0]?.[1].value);
      for (const [name, { value }] of examples)
        expect((await prefer(operationId, `code=${code}; example="${name}"`)).body).toEqual(value);
    },
  );

  test('code=200 is an answer to the request; code=500 is the answer to any other status', async () => {
    expect((await prefer('getUsage', 'code=200')).body).toMatchObject({ success: true });
    const { status, body } = await prefer('getUsage', 'code=500');
    expect([status, body]).toMatchObject([500, { errorCode: 'INTERNAL_ERROR' }]);
  });

  test('422 INPUT_VALIDATION_FAILED: an unknown status or example; the message names the known ones', async () => {
    for (const [preference, has] of [
      ['code=418', '422'],
      ['Code=418', '422'],
      ['code=abc', '402'],
      ['example=nope', 'found, nothing'],
      ['code=422, example=found', 'limitTooHigh'],
    ] as const) {
      const answer = await prefer('query', preference);
      expectRefusedFields(answer, 'Prefer');
      expect(answer.text).toContain(has);
    }
  });

  test('Retry-After comes with 429 and 503, and no other preference changes anything', async () => {
    for (const code of [429, 503])
      expect((await prefer('getUsage', `code=${code}`)).headers['retry-after']).toBe('7');
    const search = (preference: string) =>
      request('query', { query: 'restart policy' }, { prefer: preference });
    const usual = await search('');
    expect(usual.status).toBe(200);
    expect((await search('respond-async, wait=10')).body).toEqual(usual.body);
  });

  test('delay=… makes an answer wait, and stays within its bounds', async () => {
    const arrived: string[] = [];
    await Promise.all([
      prefer('getUsage', 'delay=3000').then(({ status }) => arrived.push(`late ${status}`)),
      prefer('getUsage', 'delay=0').then(({ status }) => arrived.push(`now ${status}`)),
      prefer('getUsage', 'code=503, delay=1').then(({ status }) => arrived.push(`soon ${status}`)),
    ]);
    expect(arrived.at(-1)).toBe('late 200');
    expect(arrived.toSorted()).toEqual(['late 200', 'now 200', 'soon 503']);
    for (const preference of ['delay=60001', 'delay=-1', 'delay=1s', 'delay='])
      expectRefusedFields(await prefer('getUsage', preference), 'Prefer');
  });
});

describe('bad input', () => {
  /** Expects the same status, bytes and headers from the mock and the service. */
  async function expectSameRefusal(sent: Sent, keys: { mock?: string; service?: string }, what: string) {
    const withKey = (key: string | undefined): Sent => ({
      ...sent,
      headers: { ...sent.headers, ...(key !== undefined && { 'x-api-key': key }) },
    });
    const fromMock = await exchange(mock.address, withKey(keys.mock));
    const fromService = await exchange(inject('address'), withKey(keys.service));
    expect(fromService.status, what).toBeGreaterThanOrEqual(400);
    expect({ status: fromMock.status, text: fromMock.text }, what).toEqual({
      status: fromService.status,
      text: fromService.text,
    });
    for (const header of ['content-type', 'www-authenticate', 'allow'])
      expect(fromMock.headers[header], what).toBe(fromService.headers[header]);
  }

  const keys = { mock: 'any', service: inject('apiKey') };

  // Mock and service have the same dispatcher: one operation shows that it is in place.
  test('the refusals of importTextContent have the same bytes as those of the service', async () => {
    const input = VALID_INPUTS.importTextContent;
    const { title: _, ...untitled } = input;
    const bad: Record<string, Input> = {
      'without title': untitled,
      'title wrong': { ...input, title: [{}] },
      'an unknown field': { ...input, tags: 'x' },
      'half a body': '{"title',
      'no body': '',
      'an array': '[]',
      'an unknown id': input,
    };
    for (const [what, wrong] of Object.entries(bad))
      await expectSameRefusal(toSent('importTextContent', wrong), keys, what);
    const good = toSent('importTextContent', input);
    await expectSameRefusal(good, {}, 'no key');
    await expectSameRefusal({ ...good, method: 'PATCH' }, keys, 'another method');
    await expectSameRefusal({ ...good, headers: { 'content-type': 'text/plain' } }, keys, 'text/plain');
    await expectSameRefusal({ ...good, body: ' '.repeat(20_000_000) }, keys, 'too large');
    await expectSameRefusal({ method: 'GET', path: '/v1/nothing' }, keys, 'path');
    await expectSameRefusal(toSent('listKnowledgeBases', { cursor: 'x' }), keys, 'cursor');
  });

  test('401 UNAUTHORIZED: one key is refused, for pages that tell their users of a wrong one', async () => {
    const wrong = { 'x-api-key': `kr_${'0'.repeat(64)}` };
    expectRefusal(await request('getUsage', {}, wrong), 401, 'UNAUTHORIZED');
  });

  test('404: an id that does not have the form of one', async () => {
    const codes: [OperationId, object, ErrorCode][] = [
      ['listDocuments', { knowledgeBaseId: '!'.repeat(36) }, 'KNOWLEDGE_BASE_NOT_FOUND'],
      ['getDocument', { documentId: '../..' }, 'DOCUMENT_NOT_FOUND'],
      ['importFile', { fileId: '🗎' }, 'FILE_NOT_FOUND'],
    ];
    for (const [operationId, input, errorCode] of codes)
      for (const caller of [request, fixed.request])
        expectRefusal(await caller(operationId, input), 404, errorCode);
  });
});

describe('with --fixed', () => {
  const { api } = fixed;

  test('nothing is stored', async () => {
    const before = await api.listKnowledgeBases();
    await api.createKnowledgeBase({ name: 'Notes' });
    expect(await api.listKnowledgeBases()).toEqual(before);
  });

  test('every listed document has a status, details and passages', async () => {
    const { data: knowledgeBases } = await api.listKnowledgeBases();
    for (const { id: knowledgeBaseId } of knowledgeBases) {
      const { data: documents } = await api.listDocuments({ knowledgeBaseId });
      for (const document of documents) {
        expect(document.knowledgeBaseId).toBe(knowledgeBaseId);
        expect(document).toMatchObject(await api.getDocumentStatus(document.id));
        expect(await api.getDocument(document.id)).toMatchObject(document);
        const { data: passages } = await api.listPassages({ documentId: document.id });
        expect(passages).toHaveLength(document.passageCount ?? 0);
        for (const { id } of passages) expect(id.startsWith(`${document.id}_`)).toBe(true);
      }
    }
    const { storageUsed, knowledgeBaseCount } = await api.getUsage();
    const all = await Promise.all(knowledgeBases.map(({ id }) => api.listDocuments({ knowledgeBaseId: id })));
    expect(storageUsed).toBe(all.flatMap(({ data }) => data).reduce((sum, { size }) => sum + size, 0));
    expect(knowledgeBaseCount).toBe(knowledgeBases.length);
  });

  test('a search in the empty knowledge base, or in none, finds nothing', async () => {
    const { data: knowledgeBases } = await api.listKnowledgeBases();
    const found = await Promise.all(
      knowledgeBases.map(({ id }) => api.query({ query: 'restart', knowledgeBaseIds: [id] })),
    );
    expect(found.map((results) => results.length).toSorted()).toEqual([0, 2]);
    expect(await api.query({ query: 'restart', knowledgeBaseIds: [] })).toEqual([]);
  });

  test('is the same for unknown ids, and stays consistent', async () => {
    const knowledgeBaseId = 'a2c4e6f8-1111-4222-8333-123456789abc';
    const { data: documents } = await api.listDocuments({ knowledgeBaseId });
    expect(documents).toHaveLength(3);
    for (const document of documents) {
      expect(document.knowledgeBaseId).toBe(knowledgeBaseId);
      expect(await api.getDocument(document.id)).toMatchObject(document);
    }
    const found = await api.query({ query: 'restart', knowledgeBaseIds: [knowledgeBaseId] });
    expect(documents.map(({ id }) => id)).toEqual(
      expect.arrayContaining(found.map(({ document_id }) => document_id)),
    );
    for (const id of ['my-document', 'pdf', 'a', '_', 'x'.repeat(128)]) {
      expect((await api.getDocumentStatus(id)).id).toBe(id);
      expect(await api.deleteDocument(id)).toEqual({ id });
    }
  });

  test('limit and cursor page the lists, and limit shortens the search', async () => {
    const [{ id: knowledgeBaseId } = expect.fail('the mock lists no knowledge base')] = (
      await api.listKnowledgeBases()
    ).data.slice(-1);
    const whole = (await api.listDocuments({ knowledgeBaseId })).data;
    const pages = await readPages((cursor) => api.listDocuments({ knowledgeBaseId, limit: 2, ...cursor }));
    expect(pages.map((page) => page.length)).toEqual([2, 1]);
    expect(pages.flat()).toEqual(whole);
    expect(await api.query({ query: 'restart', limit: 1 })).toHaveLength(1);
  });
});

describe('uploads', () => {
  const put = async (path: string, body: string | Uint8Array = 'some note') =>
    await send({ method: 'PUT', path, body });
  const putFixed = async (path: string, body: string | Uint8Array) => {
    const answer = await exchange(fixedMock.address, { method: 'PUT', path, body });
    requireContract(undefined, answer);
    return answer;
  };

  test('take three steps, at an address of the mock and with the declared size', async () => {
    const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Notes' });
    const ticket = await api.presignUploadUrl({ knowledgeBaseId, fileName: 'note.txt', size: 9 });
    expect(ticket.uploadUrl.startsWith(`${mock.address}/uploads/${ticket.fileId}?`)).toBe(true);
    expect(Date.parse(ticket.expiresAt)).toBeGreaterThan(Date.now());
    expect((await put(pathOf(ticket.uploadUrl))).body).toMatchObject({
      data: { fileId: ticket.fileId, size: 9 },
    });
    const document = await api.importFile(ticket.fileId);
    expect(document).toMatchObject({ status: 'pending', knowledgeBaseId });
    expectRefusal(await put(pathOf(ticket.uploadUrl)), 409, 'FILE_ALREADY_IMPORTED');
    expect(await api.getDocumentStatus(document.id, 30)).toMatchObject({
      id: document.id,
      status: 'processed',
    });
  });

  test('422 INPUT_VALIDATION_FAILED: more or fewer bytes than declared; the upload address still works', async () => {
    const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Notes' });
    const { uploadUrl } = await api.presignUploadUrl({ knowledgeBaseId, fileName: 'a', size: 9 });
    const path = pathOf(uploadUrl);
    for (const body of ['', 'some', 'some note more', 'x'.repeat(1_000_000)]) {
      expectRefusedFields(await put(path, body), 'body');
      const chunked = { 'transfer-encoding': 'chunked' };
      expectRefusedFields(await send({ method: 'PUT', path, body, headers: chunked }), 'body');
    }
    expect((await put(path)).status).toBe(200);
  });

  test('the upload address in the example of the spec works with --fixed', async () => {
    const [[, { value }] = expect.fail('no example')] = examplesOf(
      operationOf('presignUploadUrl').responses['200']?.content ?? expect.fail('no content'),
    );
    const { uploadUrl } = (value as { data: { uploadUrl: string } }).data; // spec-examples.test.ts
    const size = Number(new URL(uploadUrl).searchParams.get('size'));
    expect((await putFixed(pathOf(uploadUrl), new Uint8Array(size))).status).toBe(200);
    const changed = pathOf(uploadUrl).replace('size=', 'size=1');
    expectRefusal(await putFixed(changed, 'some note'), 401, 'UNAUTHORIZED');
  });
});

describe('downloads', () => {
  const get = (address: string, path: string) => exchange(address, { method: 'GET', path });

  test('return the text of the file, as announced, until the document is deleted', async () => {
    const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Notes' });
    const { id } = await api.uploadFile({ knowledgeBaseId, fileName: 'note.txt' }, 'some note');
    await api.getDocumentStatus(id, 30);
    const { downloadUrl, ...described } = await api.presignDownloadUrl(id);
    expect(described).toMatchObject({ fileName: 'note.txt', mimeType: 'text/plain', size: 9 });
    expect(downloadUrl.startsWith(`${mock.address}/downloads/${id}?`)).toBe(true);
    const file = await get(mock.address, pathOf(downloadUrl));
    expect(file).toMatchObject({ status: 200, text: 'some note', headers: { 'content-length': '9' } });
    expect(file.headers['content-disposition']).toBe('attachment; filename="note.txt"');
    await api.deleteDocument(id);
    expectRefusal(await send({ method: 'GET', path: pathOf(downloadUrl) }), 404, 'DOCUMENT_NOT_FOUND');
  });

  test('409 DOCUMENT_HAS_NO_FILE: imported text', async () => {
    const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Notes' });
    const { id } = await api.importTextContent({ knowledgeBaseId, title: 'a', content: 'A text.' });
    expectRefusal(await request('presignDownloadUrl', { documentId: id }), 409, 'DOCUMENT_HAS_NO_FILE');
  });

  test('the download address in the example of the spec works with both, and no other', async () => {
    const [[, { value }] = expect.fail('no example')] = examplesOf(
      operationOf('presignDownloadUrl').responses['200']?.content ?? expect.fail('no content'),
    );
    const path = pathOf((value as { data: { downloadUrl: string } }).data.downloadUrl); // spec-examples.test.ts
    for (const { address } of [mock, fixedMock]) {
      expect((await get(address, path)).status).toBe(200);
      const forged = await get(address, path.replace('expires=', 'expires=1'));
      requireContract(undefined, forged);
      expectRefusal(forged, 401, 'UNAUTHORIZED');
    }
  });
});

describe('pages of any origin', () => {
  const origin = 'https://app.example';

  test.each(OPERATION_IDS)('may call %s, and read its errors', async (operationId) => {
    const { method, path } = ROUTES[operationId];
    const preflight = await exchange(mock.address, {
      method: 'OPTIONS',
      path,
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,prefer,x-api-key',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-origin']).toBe('*');
    expect(preflight.headers['access-control-allow-methods']).toContain(method);
    expect(preflight.headers['access-control-allow-headers']).toBe('content-type,prefer,x-api-key');
    const good = await request(operationId, VALID_INPUTS[operationId], { origin });
    const bad = await request(operationId, VALID_INPUTS[operationId], { origin, 'x-api-key': undefined });
    for (const { headers } of [good, bad]) {
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-expose-headers']).toContain('x-request-id');
    }
  });

  test('may upload files', async () => {
    const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Notes' });
    const file = { knowledgeBaseId, fileName: 'a.txt', size: 4 };
    const path = pathOf((await api.presignUploadUrl(file)).uploadUrl);
    const headers = { origin, 'access-control-request-method': 'PUT' };
    const preflight = await exchange(mock.address, { method: 'OPTIONS', path, headers });
    expect(preflight.headers['access-control-allow-methods']).toBe('PUT');
    const { headers: sent } = await send({ method: 'PUT', path, headers: { origin }, body: bytesOf('text') });
    expect(sent['access-control-allow-origin']).toBe('*');
  });
});
