/** The results of a query: order, scores, locations in the document, the original text. */
import { expect, test } from 'vitest';
import type { SearchResult } from '../../../../generated/types.gen.ts';
import { bytesOf, importBytes, untilFinal } from '../../../harness/calls/uploading.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const { api } = await openAccount();

async function createKnowledgeBase(): Promise<string> {
  return (await api.createKnowledgeBase({ name: 'Results' })).id;
}

/** Long enough for several passages, with characters that take one, two and four bytes, and combining marks. */
const CHAPTERS = Array.from(
  { length: 30 },
  (_, chapter) =>
    `Chapter ${chapter} 🦫\n\n` +
    `The beaver 🦫 builds a dam ${chapter % 3 ? 'of wood' : 'of stone'} — e\u0301lan, ‮𝕏‬. `.repeat(20),
).join('\n\n');

const longTexts = await createKnowledgeBase();
await api.importTextContent({
  knowledgeBaseId: longTexts,
  title: 'Beavers',
  content: CHAPTERS,
});

test('200: every passage is the imported text between its offsets, counted in code points', async () => {
  const codePoints = [...CHAPTERS];
  const found = await api.query({ query: 'beaver dam', knowledgeBaseIds: [longTexts], limit: 50 });
  expect(found.length).toBeGreaterThan(5);
  for (const { content, location } of found) {
    expect(codePoints.slice(location?.start, location?.end).join('')).toBe(content);
  }
});

test('200: imported text has no page', async () => {
  const found = await api.query({ query: 'beaver', knowledgeBaseIds: [longTexts], limit: 50 });
  expect(found.length).toBeGreaterThan(5);
  for (const { location } of found) expect(location).not.toHaveProperty('page');
});

test('200: each passage has an id of its own that stays the same', async () => {
  const first = await api.query({ query: 'beaver', knowledgeBaseIds: [longTexts], limit: 50 });
  const second = await api.query({ query: 'dam of stone', knowledgeBaseIds: [longTexts], limit: 50 });
  const contents = new Map(first.map(({ id, content }) => [id, content]));
  expect(second.some(({ id }) => contents.has(id))).toBe(true);
  for (const { id, content } of second) expect(contents.get(id) ?? content).toBe(content);
});

/** Compares results as the contract orders them: by score, newer document, position in the document, id. */
function byContract(created: Map<string, string>) {
  const timeOf = ({ document_id }: SearchResult) => created.get(document_id) ?? '';
  const compare = (left: string, right: string) => Number(left > right) - Number(left < right);
  return (left: SearchResult, right: SearchResult) =>
    right.score - left.score ||
    compare(timeOf(right), timeOf(left)) ||
    (left.location?.passage ?? 0) - (right.location?.passage ?? 0) ||
    compare(left.id, right.id);
}

test('200: the order is by score, then the newer document, then the position, then the id', async () => {
  const knowledgeBaseIds = [await createKnowledgeBase(), await createKnowledgeBase()];
  const texts = [
    'The marmot whistles.',
    'The marmot whistles.',
    'A marmot and a marmot.',
    CHAPTERS,
    CHAPTERS,
  ];
  const created = new Map<string, string>();
  for (const content of texts) {
    for (const knowledgeBaseId of knowledgeBaseIds) {
      const document = await api.importTextContent({ knowledgeBaseId, title: 'Same', content });
      created.set(document.id, document.createdAt);
    }
  }
  for (const query of ['marmot', 'beaver', 'marmot stone', 'whistles wood']) {
    const found = await api.query({ query, knowledgeBaseIds, limit: 50 });
    expect(found.length).toBeGreaterThan(2);
    expect(found).toEqual(found.toSorted(byContract(created)));
  }
});

test('200: equal passages have equal scores, and the newest comes first', async () => {
  const knowledgeBaseId = await createKnowledgeBase();
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    const text = { knowledgeBaseId, title: 'Same', content: 'The tapir swims.' };
    ids.push((await api.importTextContent(text)).id);
  }
  const found = await api.query({ query: 'tapir', knowledgeBaseIds: [knowledgeBaseId] });
  expect(new Set(found.map(({ score }) => score)).size).toBe(1);
  expect(found.map((result) => result.document_id)).toEqual(ids.toReversed());
});

test('200: a score is above 0 and at most 1, has at most 6 decimals, and does not depend on the limit', async () => {
  const query = { query: 'beaver dam stone unicorn', knowledgeBaseIds: [longTexts] };
  const all = await api.query({ ...query, limit: 50 });
  for (const { score } of all) {
    expect(score).toBeGreaterThan(0);
    expect(score).toBeLessThanOrEqual(1);
    expect(Number(score.toFixed(6))).toBe(score);
  }
  for (const limit of [1, 2, 7, 49]) {
    expect(await api.query({ ...query, limit })).toEqual(all.slice(0, limit));
  }
});

test('200: twenty concurrent requests with the same query get the same answer', async () => {
  const query = { query: 'beaver dam', knowledgeBaseIds: [longTexts], limit: 20 };
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.query(query)));
  for (const answer of answers) expect(answer).toEqual(answers[0]);
});

test('200: more terms of the query in a passage score higher; half of the terms score at most 0.5', async () => {
  const knowledgeBaseId = await createKnowledgeBase();
  const importText = (content: string) =>
    api.importTextContent({ knowledgeBaseId, title: 'Untitled', content });
  await importText('The vicuña grazes.');
  const both = await importText('The vicuña and the guanaco graze.');
  const found = await api.query({ query: 'vicuña guanaco', knowledgeBaseIds: [knowledgeBaseId] });
  expect(found.map((result) => result.document_id)[0]).toBe(both.id);
  expect(found[0]?.score).toBeGreaterThan(found[1]?.score ?? 1);
  const half = await api.query({ query: 'guanaco xylophone', knowledgeBaseIds: [knowledgeBaseId] });
  expect(half[0]?.score).toBeLessThanOrEqual(0.5);
});

test('200: the content is the original text: neither case-folded nor normalised, with its white space', async () => {
  const knowledgeBaseId = await createKnowledgeBase();
  const content = 'ＦＵＬＬ width  and CAFE\u0301,\tﬁne № ①\r\nsecond\u00A0line';
  await api.importTextContent({ knowledgeBaseId, title: 'Original', content });
  const [found] = await api.query({ query: 'café', knowledgeBaseIds: [knowledgeBaseId] });
  expect(found?.content).toBe(content);
  expect(found?.location).toEqual({ passage: 1, headings: [], start: 0, end: [...content].length });
});

test('200: passages of a Markdown file name the headings above them, the outermost first', async () => {
  const knowledgeBaseId = await createKnowledgeBase();
  // The filler makes long sections, since short ones may share a passage.
  const filler = 'It needs neither more nor less than this. '.repeat(60);
  const docker = `## Docker\n\nThe kinkajou runs in a container. ${filler}`;
  const bytes = bytesOf(`# Setup\n\n${filler}\n\n${docker}\n\n## Bare metal\n\n${filler}\n`);
  const { id } = await importBytes(api, { knowledgeBaseId, fileName: 'manual.md', bytes });
  expect((await untilFinal(api, id)).status).toBe('processed');
  const [found] = await api.query({ query: 'kinkajou', knowledgeBaseIds: [knowledgeBaseId] });
  expect(found?.content).toContain('The kinkajou runs in a container.');
  expect(found?.location?.headings).toEqual(['Setup', 'Docker']);
});
