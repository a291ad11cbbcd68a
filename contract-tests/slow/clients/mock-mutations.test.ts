/** Mutated requests to the mock, and bytes that are not HTTP: answers keep the contract, and the mock keeps running. */
import { afterAll, expect, test } from 'vitest';
import { type Caller, createCaller } from '../../../src/contract-check/requests/calling.ts';
import { parseAnswer, sendAndHangUp, sendBytes } from '../../harness/calls/raw-socket.ts';
import { pathOf } from '../../harness/calls/uploading.ts';
import { goodRequests, type RoutedRequest } from '../../harness/contract/good-requests.ts';
import { exchangeChecked, findProblems, readFuzzSettings, sampleAt } from '../../harness/fuzz/fuzz.ts';
import { mutatedRequest } from '../../harness/fuzz/hostile-requests.ts';
import { startMock } from '../../harness/service/service-process.ts';

const { seed, from, count } = readFuzzSettings(5_000);

/** Values of Prefer, one in every second request. None of them requests a 5xx. */
const PREFERENCES = [
  'code=200',
  'code=404',
  'code=422; example=notJson',
  'example=found',
  'example=',
  'code=',
  'code=418',
  'code=1e3',
  'code=__proto__, example=constructor',
  'respond-async, wait=10',
  'delay=1',
  'delay=1e9',
  ';,=" "code',
  'x'.repeat(8000),
];

const prefer = ({ route, sent }: RoutedRequest, index: number): RoutedRequest => ({
  route,
  sent: { ...sent, headers: { ...sent.headers, prefer: PREFERENCES[(index / 2) % PREFERENCES.length] } },
});

const [mock, fixedMock] = await Promise.all([startMock(), startMock('--fixed')]);
afterAll(() => Promise.all([mock.stop(), fixedMock.stop()]));
const { api } = createCaller({ address: mock.address, apiKey: 'any' });

/** Real ids for the operations that read, so that mutated requests get as far as possible. */
async function findRealIds({ api }: Caller) {
  const { data: knowledgeBases } = await api.listKnowledgeBases();
  const { id: knowledgeBaseId } = knowledgeBases.at(-1) ?? expect.fail('the mock lists no knowledge base');
  const { data: documents } = await api.listDocuments({ knowledgeBaseId });
  const { id: documentId } = documents.at(-1) ?? expect.fail('the mock lists no document');
  return {
    knowledgeBaseId,
    realIds: {
      query: { knowledgeBaseIds: [knowledgeBaseId], highlight: true, explain: true, contextPassages: 1 },
      listDocuments: { knowledgeBaseId },
      getKnowledgeBase: { knowledgeBaseId },
      getDocument: { documentId },
      getDocumentStatus: { documentId },
      getDocumentContent: { documentId },
      listPassages: { documentId },
    },
  };
}

test.each([
  ['from memory', mock],
  ['with --fixed', fixedMock],
])(
  `%s: no 5xx, and every answer keeps the contract, for ${count} mutated requests (seed ${seed})`,
  { timeout: 180_000 },
  async (_, { address, isRunning }) => {
    const caller = createCaller({ address, apiKey: 'any' });
    const before = await caller.api.listKnowledgeBases();
    const { knowledgeBaseId, realIds } = await findRealIds(caller);
    const file = { knowledgeBaseId, fileName: 'note.txt', size: 9 };
    const { uploadUrl } = await caller.api.presignUploadUrl(file);
    const upload = { path: pathOf(uploadUrl), body: 'some note' };
    const mutated = mutatedRequest(() => goodRequests({ apiKey: 'any', upload, realIds }));
    const problems = await findProblems({ seed, from, count }, (index) => {
      const request = sampleAt(mutated, seed, index);
      return exchangeChecked(address, index % 2 === 0 ? prefer(request, index) : request);
    });
    expect(problems.slice(0, 5), `${problems.length} problems`).toEqual([]);
    expect(isRunning()).toBe(true);
    // The requests create knowledge bases, and change none.
    const { data } = await caller.api.listKnowledgeBases();
    expect(data).toEqual(expect.arrayContaining(before.data));
  },
);

test('bytes that are not HTTP get a refusal in the envelope; the mock survives clients that hang up', async () => {
  const refused = parseAnswer(await sendBytes('no HTTP\r\n\r\n', mock.address));
  expect(refused).toMatchObject({ status: 400, body: { errorCode: 'MALFORMED_REQUEST' } });
  const head =
    'Host: mock\r\nx-api-key: any\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n';
  const { knowledgeBaseId } = await findRealIds(createCaller({ address: mock.address, apiKey: 'any' }));
  const file = { knowledgeBaseId, fileName: 'note.txt', size: 100 };
  const upload = pathOf((await api.presignUploadUrl(file)).uploadUrl);
  for (const start of ['POST /v1/query', `PUT ${upload}`]) {
    for (let count = 0; count < 20; count++)
      await sendAndHangUp(`${start} HTTP/1.1\r\n${head}{"query`, mock.address);
  }
  expect(await api.getBalance()).toBeGreaterThan(0);
  expect(mock.isRunning()).toBe(true);
});
