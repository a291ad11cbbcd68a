/** Queries of a service whose best passages a model orders. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import type { QueryRequest, QueryWarning, SearchResult } from '../../../../generated/types.gen.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';
import { sharedService } from '../../../harness/shared/share.ts';

const CANDIDATES = 4;
const asked: { query: string; documents: string[] }[] = [];
const waiting: ServerResponse[] = [];
let behaviour: 'answers' | 'hangs' | 'fails' = 'answers';

/** It finds a passage the more relevant, the later its letter in the alphabet is. */
const server = createServer(async (request, response) => {
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
  asked.push(body);
  if (behaviour === 'hangs') {
    waiting.push(response);
    return;
  }
  const results = body.documents.map((text: string, index: number) => ({
    index,
    relevance_score: text.codePointAt(0),
  }));
  response
    .writeHead(behaviour === 'fails' ? 500 : 200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ results }));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo; // it listens on a port
afterAll(() => {
  for (const response of waiting) response.destroy();
  server.close();
});

const service = await sharedService({
  RERANK_URL: `http://127.0.0.1:${port}`,
  RERANK_CANDIDATES: String(CANDIDATES),
  RERANK_TIMEOUT_MS: '4000',
});
const account = await openAccount({ credits: 1_000 }, service);
const { api } = account;
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Letters' });
for (const [i, title] of ['A', 'B', 'C', 'D', 'E', 'F'].entries())
  await api.importTextContent({
    knowledgeBaseId,
    title,
    content: `numbat ${'and other animals of the dry woodland '.repeat(i + 1)}`,
  });

const search = (options: Partial<QueryRequest> = {}) =>
  api.query({ query: 'numbat', knowledgeBaseIds: [knowledgeBaseId], ...options });
/** The answer with its warnings, which stand beside the results. */
async function answer(): Promise<{ data: SearchResult[]; warnings?: QueryWarning[] }> {
  const { body } = await account.request('query', { query: 'numbat', knowledgeBaseIds: [knowledgeBaseId] });
  return body as Awaited<ReturnType<typeof answer>>; // the harness compares it with the spec
}
const scoresOf = (results: SearchResult[]) => results.map(({ score }) => score);
const titlesOf = (results: SearchResult[]) => results.map(({ title }) => title).join('');

test('200: the model orders the best passages, whose scores stay in their places', async () => {
  const before = await search({ rerank: false });
  expect([titlesOf(before), asked]).toEqual(['ABCDEF', []]);
  const after = await search();
  expect(titlesOf(after)).toBe('DCBAEF');
  expect(scoresOf(after)).toEqual(scoresOf(before));
  expect(asked).toMatchObject([{ query: 'numbat' }]);
  expect(asked[0]?.documents.map((text) => text.slice(0, 9))).toEqual([
    'A\nnumbat ',
    'B\nnumbat ',
    'C\nnumbat ',
    'D\nnumbat ',
  ]);
});

test('200: a smaller limit returns the first results of a larger one, and minScore counts as shown', async () => {
  const all = await search();
  for (const limit of [1, 2, 5]) expect(await search({ limit })).toEqual(all.slice(0, limit));
  const minScore = all[2]?.score ?? 1;
  expect(await search({ minScore })).toEqual(all.filter(({ score }) => score >= minScore));
});

test('200: each result keeps what the query demands, and costs what it cost', async () => {
  const balance = await api.getBalance();
  expect(titlesOf(await search({ query: '"numbat and other animals"' }))).toBe('DCBAEF');
  expect(titlesOf(await search({ filter: { type: 'in', key: '$title', value: ['B', 'C'] } }))).toBe('CB');
  const spent = balance - (await api.getBalance());
  await search({ rerank: false });
  const spentWithout = balance - spent - (await api.getBalance());
  expect(spent).toBe(2 * spentWithout);
});

test('200: explain says what the model has changed, and all parts add up to the score', async () => {
  const [first] = await search({ explain: true, limit: 1, contextPassages: 1, highlight: true });
  const { terms = [], neighbours = 0, feedback = 0, fullMatch = 0, rerank } = first?.explanation ?? {};
  expect(rerank).toMatchObject({ formerRank: 4, relevance: 68 });
  const ofTerms = terms.reduce((sum, { contribution }) => sum + contribution, 0);
  expect(ofTerms + neighbours + feedback + fullMatch + (rerank?.contribution ?? 0)).toBeCloseTo(
    first?.score ?? 0,
    5,
  );
  expect(first?.highlights).toHaveLength(1);
  const [unchanged] = await search({ explain: true, rerank: false });
  expect(unchanged?.explanation).not.toHaveProperty('rerank');
});

test('200: where the model does not answer, the passages stay, and a warning says so', async () => {
  const before = await search({ rerank: false });
  expect(await answer()).not.toHaveProperty('warnings');
  behaviour = 'hangs';
  const late = await answer();
  behaviour = 'fails';
  const failed = await answer();
  behaviour = 'answers';
  expect(late).toMatchObject({
    data: before.map(({ id, score }) => ({ id, score })),
    warnings: [{ code: 'RERANK_TIMEOUT', message: expect.stringContaining('did not answer within 4000 ms') }],
  });
  expect(failed).toMatchObject({
    data: before.map(({ id, score }) => ({ id, score })),
    warnings: [{ code: 'RERANK_UNAVAILABLE' }],
  });
});
