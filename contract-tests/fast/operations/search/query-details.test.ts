/** The options of a query that add to its results, or leave parts of them out. */
import { expect, test } from 'vitest';
import type { QueryRequest } from '../../../../generated/types.gen.ts';
import { expectRefusedFields } from '../../../harness/calls/expect-refusal.ts';
import { openAccount } from '../../../harness/service/opened-account.ts';

const { api, request } = await openAccount();
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Details' });
const chapter = (number: number) =>
  `# Chapter ${number}\n\n${`The beaver 🦫 builds dam ${number}. `.repeat(60)}`;
await api.importTextContent({
  knowledgeBaseId,
  title: 'Beavers',
  content: [1, 2, 3, 4, 5, 6].map(chapter).join('\n\n'),
  attributes: { year: 2026 },
  sourceUrl: 'https://example.org/beavers',
});
const search = (options: Partial<QueryRequest> = {}) =>
  api.query({ query: 'beavers dam', knowledgeBaseIds: [knowledgeBaseId], limit: 3, ...options });

const plain = await search();

test('200: with prefix, the last word may be the beginning of one', async () => {
  expect(await search({ query: 'bea', prefix: false })).toEqual([]);
  const typed = await search({ query: 'bea', prefix: true, highlight: true, explain: true });
  expect(typed).toHaveLength(3);
  for (const { content, highlights = [], explanation } of typed) {
    for (const { start, end } of highlights) expect([...content].slice(start, end).join('')).toBe('beaver');
    expect(explanation?.terms.map(({ term }) => term)).toEqual(['bea']);
  }
  expect(await search({ query: 'bea dam', prefix: true })).toEqual(await search({ query: 'bea dam' }));
});

test('200: a misspelt word finds what is near it; highlight marks it, and explain adds it up', async () => {
  const found = await search({ query: 'beevers', highlight: true, explain: true });
  expect(found).toHaveLength(3);
  for (const { content, score, highlights = [], explanation } of found) {
    for (const { start, end } of highlights) expect([...content].slice(start, end).join('')).toBe('beaver');
    if (explanation === undefined) throw new Error('no explanation');
    const { terms, neighbours, feedback, meaning, fullMatch } = explanation;
    expect(terms.map(({ term }) => term)).toEqual(['beevers']);
    const sum = terms.reduce(
      (total, { contribution }) => total + contribution,
      neighbours + feedback + (meaning?.contribution ?? 0) + fullMatch,
    );
    expect(sum).toBeCloseTo(score, 6);
  }
});

test('200: without options, with their defaults, and with all of them: the same passages and scores', async () => {
  const defaults = { highlight: false, explain: false, contextPassages: 0 };
  expect(await search(defaults)).toEqual(plain);
  const detailed = await search({ highlight: true, explain: true, contextPassages: 2 });
  expect(detailed.map(({ context, highlights, snippet, explanation, ...result }) => result)).toEqual(plain);
  for (const { context, highlights, snippet, explanation } of detailed)
    expect([context, highlights, snippet, explanation]).not.toContain(undefined);
});

test('200: by words, no part of a score is by meaning; without mode, both count', async () => {
  const byWords = await search({ mode: 'words', explain: true });
  expect(byWords).toHaveLength(3);
  for (const { explanation } of byWords) expect(explanation).not.toHaveProperty('meaning');
  expect(await search({ mode: 'both' })).toEqual(plain);
});

test('422: an unknown mode is told the allowed ones', async () => {
  const { body } = await request('query', { query: 'beaver', mode: 'meanings' });
  expect(body).toMatchObject({ message: expect.stringMatching(/^mode must be one of words, meaning, both/) });
});

test('200: each option adds its own fields only', async () => {
  const added = async (options: Partial<QueryRequest>) => {
    const [result = {}] = await search(options);
    return Object.keys(result).filter((field) => !(field in (plain[0] ?? {})));
  };
  expect(await added({ highlight: true })).toEqual(['highlights', 'snippet']);
  expect(await added({ explain: true })).toEqual(['explanation']);
  expect(await added({ contextPassages: 1 })).toEqual(['context']);
});

test('200: highlights are ranges of code points within content', async () => {
  for (const { content, highlights = [] } of await search({ highlight: true })) {
    const characters = [...content];
    const words = highlights.map(({ start, end }) => characters.slice(start, end).join(''));
    expect(words.length).toBeGreaterThan(1);
    for (const word of words) expect(word).toMatch(/^(?:beavers?|dams?)$/i);
  }
});

test('200: with fields, results have these and no others, in the usual order', async () => {
  for (const fields of [['content'], ['sourceUrl', 'score', 'score'], ['metadata', 'attributes']] as const) {
    const answer = await request('query', { query: 'beaver', fields: [...fields] });
    const { data } = answer.body as { data: object[] };
    expect(data.length).toBeGreaterThan(0);
    for (const result of data) expect(new Set(Object.keys(result))).toEqual(new Set(fields));
  }
  const [named] = await search({ fields: ['snippet', 'title'], highlight: true });
  expect(Object.keys(named ?? {})).toEqual(['title', 'snippet']);
  const [without] = await search({ fields: ['highlights', 'title'] });
  expect(without).toEqual({ title: 'Beavers' });
});

test.each<[string, object, string]>([
  ['contextPassages of 4', { contextPassages: 4 }, 'contextPassages'],
  ['contextPassages of -1', { contextPassages: -1 }, 'contextPassages'],
  ['contextPassages as text', { contextPassages: '1' }, 'contextPassages'],
  ['highlight as text', { highlight: 'true' }, 'highlight'],
  ['explain as a number', { explain: 1 }, 'explain'],
  ['prefix as text', { prefix: 'last' }, 'prefix'],
  ['an unknown mode', { mode: 'vector' }, 'mode'],
  ['a mode in capitals', { mode: 'WORDS' }, 'mode'],
  ['no mode', { mode: '' }, 'mode'],
  ['a mode as a list', { mode: ['words'] }, 'mode'],
  ['a mode of null', { mode: null }, 'mode'],
  ['no field', { fields: [] }, 'fields'],
  ['an unknown field', { fields: ['text'] }, 'fields.0'],
])('422: %s', async (_, options, field) => {
  expectRefusedFields(await request('query', { query: 'beaver', ...options }), field);
});
