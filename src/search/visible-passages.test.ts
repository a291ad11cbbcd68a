/** What a restricted search knows of the passages comes from the visible ones alone, also where they are a sample. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toDocumentFilter } from '../database/rows/documents/document-filter.ts';
import type { OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { createTestDatabase } from '../database/testing/test-database.ts';
import { createStemMemory } from '../indexing/stems.ts';
import { lookUpVisible } from './expansion/visible-vocabulary.ts';
import { readVisibleStatistics } from './query/visible-statistics.ts';
import { createSearch } from './search.ts';
import { importText, makeKnowledgeBase } from './testing/imported-texts.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
/** Knowledge bases with the same visible documents; the first has others too. */
let mixed: OwnedKnowledgeBase;
let pure: OwnedKnowledgeBase;

const restriction = toDocumentFilter({ type: 'eq', key: 'team', value: 'sales' });

/** A text of some 1,500 passages. Every tenth has "otter", and one "serval". */
const longText = Array.from({ length: 1_500 }, (_, i) => {
  const animals = [i % 10 === 0 ? 'otter' : '', i === 777 ? 'serval' : ''].join(' ');
  return `${`The ${animals} rests near the river and sleeps until the evening. `.repeat(14)}\n\n`;
}).join('');

async function makeWorld(isMixed: boolean): Promise<OwnedKnowledgeBase> {
  const owned = await makeKnowledgeBase(suite.database);
  const add = (title: string, content: string, team: string) =>
    importText(suite.database, owned, { title, content, description: { attributes: { team } } });
  const hide = async () => {
    if (isMixed) await add('Hidden', 'The serval hunts an otter. Der Fluss ist lang. '.repeat(300), 'board');
  };
  await hide();
  await add('Long', longText, 'sales');
  await hide();
  await add(
    'Short',
    'An otter swims. Le fleuve est très long, et les loutres nagent dans la rivière.',
    'sales',
  );
  return owned;
}

beforeAll(async () => {
  suite = await createTestDatabase();
  [mixed, pure] = [await makeWorld(true), await makeWorld(false)];
});
afterAll(() => suite.close());

const read = (owned: OwnedKnowledgeBase, lexemes: string[]) =>
  readVisibleStatistics(
    suite.database,
    { ids: [owned.knowledgeBaseId], restriction },
    { lexemes, prefixes: [''], toStem: [], isCountingStems: false },
  );

test('a sample says how many passages have a word, and the index which words occur', async () => {
  const lexemes = ['otter', 'serval', 'hunt', 'fluss', 'aardwolf'];
  const { frequencies, passageCount, ...rest } = await read(mixed, lexemes);
  expect({ frequencies, passageCount, ...rest }).toEqual(await read(pure, lexemes));
  expect(passageCount).toBeGreaterThan(1_400);
  expect((frequencies.get('otter') ?? 0) / passageCount).toBeCloseTo(0.1, 1);
  expect(frequencies.get('serval')).toBeGreaterThan(0);
  expect([...frequencies.keys()].sort()).toEqual(['otter', 'serval']);
});

test('words are completed from visible passages', async () => {
  const lookUp = ({ knowledgeBaseId }: OwnedKnowledgeBase) =>
    lookUpVisible(suite.database, { ids: [knowledgeBaseId], languages: ['english'], restriction }, [
      { start: 'ot' },
      { start: 'hun' },
      { words: ['rivers', 'hunting'] },
    ]);
  const found = await lookUp(mixed);
  expect(found).toEqual(await lookUp(pure));
  expect(found.map((each) => [...each.keys()])).toEqual([['otter'], [], ['river']]);
});

test('the order and the scores of a restricted search do not depend on other documents', async () => {
  const search = createSearch(suite.database, createStemMemory());
  const ask = async ({ accountId, knowledgeBaseId }: OwnedKnowledgeBase, query: string) => {
    const request = { accountId, knowledgeBaseIds: [knowledgeBaseId], restriction, query, limit: 50 };
    const { passages } = await search({ ...request, prefix: true });
    return passages.map(({ title, position, score }) => ({ title, position, score }));
  };
  for (const query of [
    'otter',
    'serval near the river',
    'loutre rivière',
    'hunt',
    'sleeping ott',
    '"the serval hunts"',
  ])
    expect([query, await ask(mixed, query)]).toEqual([query, await ask(pure, query)]);
  expect(await ask(mixed, 'serval')).toMatchObject([{ title: 'Long' }]);
});
