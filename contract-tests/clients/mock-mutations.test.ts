/** Mutated requests to the mock, and bytes that are not HTTP: answers keep the contract, and the mock keeps running. */
import { afterAll, expect, test } from 'vitest';
import { createCaller } from '../harness/calling.ts';
import { exchangeChecked, findProblems, readFuzzSettings, sampleAt } from '../harness/fuzz/fuzz.ts';
import { mutatedRequest } from '../harness/fuzz/hostile-requests.ts';
import { goodRequests, type RoutedRequest } from '../harness/good-requests.ts';
import { parseAnswer, sendAndHangUp, sendBytes } from '../harness/raw-socket.ts';
import { startMock } from '../harness/service-process.ts';
import { pathOf } from '../harness/uploading.ts';

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
  ';,=" "code',
  'x'.repeat(8000),
];

const prefer = ({ route, sent }: RoutedRequest, index: number): RoutedRequest => ({
  route,
  sent: { ...sent, headers: { ...sent.headers, prefer: PREFERENCES[(index / 2) % PREFERENCES.length] } },
});

const mock = await startMock();
afterAll(() => mock.stop());
const { api } = createCaller({ address: mock.address, apiKey: 'any' });

test(`no 5xx, and every answer keeps the contract, for ${count} mutated requests (seed ${seed})`, {
  timeout: 180_000,
}, async () => {
  const before = await api.listKnowledgeBases();
  const [knowledgeBase] = before.data;
  if (knowledgeBase === undefined) throw new Error('the mock lists no knowledge base');
  const file = { knowledgeBaseId: knowledgeBase.id, fileName: 'note.txt', size: 9 };
  const { uploadUrl } = await api.presignUploadUrl(file);
  const upload = { path: pathOf(uploadUrl), body: 'some note' };
  const mutated = mutatedRequest(() => goodRequests({ apiKey: 'any', upload }));
  const problems = await findProblems({ seed, from, count }, (index) => {
    const request = sampleAt(mutated, seed, index);
    return exchangeChecked(mock.address, index % 2 === 0 ? prefer(request, index) : request);
  });
  expect(problems.slice(0, 5), `${problems.length} problems`).toEqual([]);
  expect(mock.isRunning()).toBe(true);
  expect(await api.listKnowledgeBases()).toEqual(before);
});

test('bytes that are not HTTP get a refusal in the envelope; the mock survives clients that hang up', async () => {
  const refused = parseAnswer(await sendBytes('no HTTP\r\n\r\n', mock.address));
  expect(refused).toMatchObject({ status: 400, body: { errorCode: 'MALFORMED_REQUEST' } });
  const head =
    'Host: mock\r\nx-api-key: any\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n';
  const file = { knowledgeBaseId: 'a'.repeat(36), fileName: 'note.txt', size: 100 };
  const upload = pathOf((await api.presignUploadUrl(file)).uploadUrl);
  for (const start of ['POST /v1/query', `PUT ${upload}`]) {
    for (let count = 0; count < 20; count++)
      await sendAndHangUp(`${start} HTTP/1.1\r\n${head}{"query`, mock.address);
  }
  expect(await api.getBalance()).toBeGreaterThan(0);
  expect(mock.isRunning()).toBe(true);
});
