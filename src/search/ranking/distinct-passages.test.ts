/** Passages with the same text come once, whatever their documents, and others take their places. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OwnedKnowledgeBase } from '../../database/rows/knowledge-bases.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { mergeFrequencyDeltas } from '../../indexing/postings/document-frequencies.ts';
import { createStemMemory } from '../../indexing/stems.ts';
import { createSearch, type SearchRequest } from '../search.ts';
import { importText, makeKnowledgeBase } from '../testing/imported-texts.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

const memory = createStemMemory();

async function search(of: OwnedKnowledgeBase[], request: Partial<SearchRequest> = {}) {
  const { accountId = '' } = of[0] ?? {};
  const knowledgeBaseIds = of.map(({ knowledgeBaseId }) => knowledgeBaseId);
  const asked = { accountId, knowledgeBaseIds, query: 'river', limit: 50, ...request };
  return (await createSearch(suite.database, memory)(asked)).passages;
}

const distinct = { scope: { isDistinct: true } };

type Results = Awaited<ReturnType<typeof search>>;
const textsOf = (results: Results): string[] => results.map(({ content }) => content);
const shown = (results: Results) =>
  results.map(({ content, title, duplicates }) => ({ content, title, duplicates }));

/** Some have the same words in another order, and some the same words and length. */
const TEXTS = ['The river beats the lake.', 'The lake beats the river.', 'A river.', 'The wide river flows.'];
const TITLES = ['River', 'Lake', 'A title of four words', 'River river'];

/** Two knowledge bases of one account. */
async function makeTwo(): Promise<OwnedKnowledgeBase[]> {
  const first = await makeKnowledgeBase(suite.database);
  const second = { ...(await makeKnowledgeBase(suite.database)), accountId: first.accountId };
  for (const table of ['knowledge_bases', 'knowledge_base_statistics'] as const)
    await suite.database
      .updateTable(table)
      .set({ account_id: first.accountId })
      .where('knowledge_base_id', '=', second.knowledgeBaseId)
      .execute();
  return [first, second];
}

describe('over random documents', () => {
  let owned: OwnedKnowledgeBase[];
  const stored: { text: string; title: string }[] = [];
  beforeAll(async () => {
    owned = await makeTwo();
    const picked = fc.record({
      text: fc.constantFrom(...TEXTS),
      title: fc.constantFrom(...TITLES),
      into: fc.constantFrom(...owned),
    });
    for (const { text, title, into } of fc.sample(picked, { seed: 3, numRuns: 40 })) {
      await importText(suite.database, into, { title, content: text });
      stored.push({ text, title });
    }
    await mergeFrequencyDeltas(suite.database);
  });

  test('each text comes once, with the number of its copies', async () => {
    const all = await search(owned);
    expect(all).toHaveLength(stored.length);
    const results = await search(owned, distinct);
    const counts = new Map(results.map(({ content, duplicates }) => [content, duplicates]));
    const naive = new Map(
      TEXTS.map((text) => [text, stored.filter((document) => document.text === text).length - 1]),
    );
    expect(counts).toEqual(naive);
    expect(results).toHaveLength(TEXTS.length);
    for (const { content, bm25 } of results) {
      const same = all.filter((passage) => passage.content === content);
      expect(bm25, 'the best of its copies').toBeCloseTo(Math.max(...same.map((passage) => passage.bm25)), 9);
    }
    expect(all.every(({ duplicates }) => duplicates === undefined)).toBe(true);
  });

  test('a smaller limit returns the first results of a larger one; documents are limited beside it', async () => {
    const all = shown(await search(owned, distinct));
    for (const limit of [1, 2, 3])
      expect(shown(await search(owned, { ...distinct, limit }))).toEqual(all.slice(0, limit));
    const capped = { scope: { isDistinct: true, maxPerDocument: 1 } };
    expect(shown(await search(owned, capped))).toEqual(all);
  });
});

test('hundreds of copies leave room for what matches less', async () => {
  const owned = await makeKnowledgeBase(suite.database);
  for (let i = 0; i < 320; i++)
    await importText(suite.database, owned, { title: `Letter ${i}`, content: 'River river river.' });
  const others = Array.from(
    { length: 9 },
    (_, i) => `Number ${i} of the notes has the river and ${'more '.repeat(9)}words.`,
  );
  for (const content of others) await importText(suite.database, owned, { title: 'Note', content });
  await mergeFrequencyDeltas(suite.database);
  expect(new Set(textsOf(await search([owned], { limit: 10 }))).size).toBe(1);
  const results = await search([owned], { ...distinct, limit: 10 });
  expect(new Set(textsOf(results))).toEqual(new Set(['River river river.', ...others]));
  expect(results.find(({ content }) => content === 'River river river.')?.duplicates).toBe(319);
});
