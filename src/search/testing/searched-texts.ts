/** Searches in texts that are imported for one test, each in a knowledge base of its own. */
import { afterAll, beforeAll } from 'vitest';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { mergeFrequencyDeltas } from '../../indexing/postings/document-frequencies.ts';
import { createSearch } from '../search.ts';
import { createStemMemory } from '../stems.ts';
import { importText, makeKnowledgeBase, type TestText } from './imported-texts.ts';

/** Texts by their titles. */
export const titled = (contents: Record<string, string>): TestText[] =>
  Object.entries(contents).map(([title, content]) => ({ title, content }));

/** Gives the tests of a file one database. */
export function useSearch() {
  let suite: Awaited<ReturnType<typeof createTestDatabase>>;
  beforeAll(async () => {
    suite = await createTestDatabase();
  });
  afterAll(() => suite.close());

  /** Imports the texts one after the other into a new knowledge base and searches it. */
  async function searchIn(texts: TestText[], query: string, limit = 10) {
    const { database } = suite;
    const place = await makeKnowledgeBase(database);
    for (const text of texts) await importText(database, place, text);
    await mergeFrequencyDeltas(database);
    const search = createSearch(database, createStemMemory());
    return await search({
      accountId: place.accountId,
      knowledgeBaseIds: undefined,
      query,
      limit,
      credits: 1,
    });
  }

  /** The titles that a query finds, best first. */
  const orderOf = async (contents: Record<string, string>, query: string) =>
    (await searchIn(titled(contents), query)).map(({ title }) => title);

  /** A search that has answered before, in a knowledge base whose texts come one after the other. */
  async function openSearch() {
    const place = await makeKnowledgeBase(suite.database);
    const search = createSearch(suite.database, createStemMemory());
    const resultsFor = async (query: string, { limit = 10, credits = 0 } = {}) => {
      const question = { accountId: place.accountId, knowledgeBaseIds: [place.knowledgeBaseId], query };
      return await search({ ...question, limit, credits });
    };
    const titlesFor = async (query: string, credits = 0) =>
      (await resultsFor(query, { credits })).map(({ title }) => title);
    return { place, resultsFor, titlesFor };
  }

  return {
    get database() {
      return suite.database;
    },
    searchIn,
    orderOf,
    openSearch,
  };
}
