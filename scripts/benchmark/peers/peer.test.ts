/** Every compared engine keeps its promises to the benchmark. Engines that are not installed are skipped. */
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { createEmptyDatabase } from '../../../src/database/testing/test-database.ts';
import { groongaPeer, toGroongaQuery } from './groonga.ts';
import { lucenePeer } from './lucene.ts';
import type { Language, Peer } from './peer.ts';
import { createPostgresPeer } from './postgres.ts';
import { sqlitePeer } from './sqlite.ts';

const texts: Record<Language, string[]> = {
  english: ['A bear sleeps.', 'The fox, the fox!', 'A fox meets a bear.', 'Nothing at all', 'He said "NEAR"'],
  chinese: ['北京大學在北京', '東京都的人口', '上海交通大學'],
};

/** Positions of the texts by query. */
const EXPECTED: Record<string, number[]> = {
  'the fox': [1, 2],
  'fox bear': [0, 1, 2],
  'fox AND bear': [0, 1, 2],
  'fox + bear': [0, 1, 2],
  'fox -bear': [0, 1, 2],
  'NEAR(fox)': [1, 2, 4],
  'bear OR': [0, 2],
  '-bear': [0, 2],
  '"bear': [0, 2],
  '(bear': [0, 2],
  'bear\\': [0, 2],
  'be*': [],
  '_key:99': [],
  '*': [],
  '': [],
};

/** The positions that the peer returns for each query, best first. */
async function ask(peer: Peer, language: Language, queries: string[]): Promise<number[][]> {
  const corpus = { texts: texts[language], language, stopWords: new Set(['the']) };
  return await peer.withIndex(corpus, async (search) => {
    const found: number[][] = [];
    for (const query of queries) {
      const { results, milliseconds } = await search(query);
      expect(milliseconds).toBeGreaterThan(0);
      const scores = results.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((left, right) => right - left));
      found.push(results.map(({ position }) => position));
    }
    return found;
  });
}

const { connection, drop } = await createEmptyDatabase();
const client = new pg.Client(connection);
await client.connect();
afterAll(async () => {
  await client.end();
  await drop();
});

const canRun = async ({ requires }: Peer) => (await requires?.isInstalled()) ?? true;

for (const peer of [createPostgresPeer(client), sqlitePeer, groongaPeer, lucenePeer]) {
  test.runIf(await canRun(peer))(
    `${peer.name} finds any of the words, and interprets nothing as syntax`,
    async () => {
      const found = await ask(peer, 'english', Object.keys(EXPECTED));
      expect(
        Object.fromEntries(Object.keys(EXPECTED).map((query, i) => [query, found[i]?.toSorted()])),
      ).toEqual(EXPECTED);
      expect(found[1]?.[0]).toBe(2); // the only text with both words
    },
  );
}

// PostgreSQL cannot: it has no analysis of Chinese.
for (const peer of [sqlitePeer, groongaPeer, lucenePeer]) {
  test.runIf(await canRun(peer))(`${peer.name} finds a part of a run of Chinese characters`, async () => {
    expect(await ask(peer, 'chinese', ['東京都在哪裡', '交通大學'])).toEqual([
      [1],
      expect.arrayContaining([2]),
    ]);
  });
}

test('a query for Groonga: words, and pairs of Han characters', () => {
  expect(toGroongaQuery('What is 東京都 "NBA" 2004年?', new Set(['what', 'is']))).toBe(
    '"東京" OR "京都" OR "nba" OR "2004" OR "年"',
  );
  expect(toGroongaQuery('(content:@fox) -bear OR \\"', new Set())).toBe(
    '"content" OR "fox" OR "bear" OR "or"',
  );
});
