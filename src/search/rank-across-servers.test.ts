/** The ranking of several knowledge bases in steps finds what the ranking in one statement finds. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../database/testing/test-database.ts';
import { createStemMemory } from '../indexing/stems.ts';
import { rankAcrossServers } from './rank-across-servers.ts';
import { createRanking } from './ranking/ranking.ts';
import { createSearchIn } from './search.ts';
import { importText, makeKnowledgeBase } from './testing/imported-texts.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

/** `constructor`, which feedback passages share, is also a property of objects in JavaScript. */
const SENTENCES = [
  'Ships pass the lighthouse at night, and its keeper writes down each ship.',
  'A bridge of steel carries trains over the river; ships pass below it.',
  'The keeper of the lighthouse is paid by its constructor at the end of a month.',
  'At night the harbour is closed by a chain, and ships wait before it.',
  'Trains wait before the bridge while it is open for ships.',
];

test('the ranking in steps has the passages, order and scores of the ranking in one statement', async () => {
  const { database } = suite;
  const first = await makeKnowledgeBase(database);
  const { accountId } = first;
  const all = [first];
  for (let i = 0; i < 2; i++) {
    const { knowledgeBaseId } = await makeKnowledgeBase(database);
    for (const table of ['knowledge_bases', 'knowledge_base_statistics'] as const)
      await database
        .updateTable(table)
        .set({ account_id: accountId })
        .where('knowledge_base_id', '=', knowledgeBaseId)
        .execute();
    all.push({ accountId, knowledgeBaseId });
  }
  for (let number = 0; number < 24; number++) {
    const chosen = SENTENCES.map((_, i) => SENTENCES[(i * (number + 1) + number) % SENTENCES.length]);
    const owned = all[number % all.length] ?? first;
    await importText(database, owned, {
      title: `Text ${number % 5}`,
      content: chosen.slice(0, 1 + (number % 5)).join('\n\n'),
    });
  }
  const memory = createStemMemory();
  const ways = [createSearchIn(memory), createSearchIn(memory, {}, createRanking(rankAcrossServers))];
  const knowledgeBaseIds = all.map(({ knowledgeBaseId }) => knowledgeBaseId);
  for (const query of ['lighthouse', 'ships at night', '"the bridge" trains', 'lighthuose keeper', 'nothing'])
    for (const limit of [3, 20]) {
      const request = { accountId, knowledgeBaseIds, query, limit };
      const answers = await Promise.all(ways.map((search) => search(database, request)));
      const [expected, found] = answers.map((answer) => answer.found);
      expect(found).toEqual(expected?.map(({ ...passage }) => ({ ...passage, isEnough: undefined })));
    }
});
