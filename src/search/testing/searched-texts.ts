/** Searches in the texts of one test, which are imported into a knowledge base of their own. */
import { afterAll, beforeAll } from 'vitest';
import type { Database } from '../../database/connection/database.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { mergeFrequencyDeltas } from '../../indexing/postings/document-frequencies.ts';
import { createStemMemory } from '../../indexing/stems.ts';
import type { VectorsIn } from '../../meaning/passage-vectors.ts';
import type { Details } from '../details/details.ts';
import { createSearch, type SearchRequest } from '../search.ts';
import { replaceGroups } from '../synonyms/stored-groups.ts';
import type { SynonymGroup } from '../synonyms/synonym-groups.ts';
import { importText, makeKnowledgeBase, type TestText } from './imported-texts.ts';

/** Texts by their titles. */
export const titled = (contents: Record<string, string>): TestText[] =>
  Object.entries(contents).map(([title, content]) => ({ title, content }));

/** Fields of a search besides its query, over which each test has its own. */
type Options = Partial<Pick<SearchRequest, 'mode' | 'limit' | 'prefix' | 'scope' | 'minScore'>> & {
  details?: Partial<Details>;
};

/** One search over a new knowledge base. Without `vectorsIn` it is by words. */
async function openSearchIn(database: Database, vectorsIn?: VectorsIn) {
  const owned = await makeKnowledgeBase(database);
  const { accountId, knowledgeBaseId } = owned;
  const search = createSearch(database, createStemMemory(), { vectorsIn });
  const answerTo = async (query: string, { limit = 10, details = {}, ...rest }: Options = {}) =>
    await search({
      accountId,
      knowledgeBaseIds: [knowledgeBaseId],
      query,
      limit,
      ...rest,
      details: { highlight: false, explain: false, contextPassages: 0, ...details },
    });
  const resultsFor = async (query: string, options?: Options) => (await answerTo(query, options)).passages;
  const setSynonyms = async (groups: SynonymGroup[], isOfAccount = false) => {
    const owner = { accountId, knowledgeBaseId: isOfAccount ? undefined : knowledgeBaseId };
    await database.transaction().execute((step) => replaceGroups(step, owner, groups));
  };
  const titlesFor = async (query: string) => (await resultsFor(query)).map(({ title }) => title);
  return { owned, answerTo, resultsFor, titlesFor, setSynonyms };
}

/** Creates one database for the tests of a file, and returns functions that search in it. */
export function useSearch() {
  let suite: Awaited<ReturnType<typeof createTestDatabase>>;
  beforeAll(async () => {
    suite = await createTestDatabase();
  });
  afterAll(() => suite.close());

  /** Imports the texts in turn into a new knowledge base and searches it. */
  async function searchIn(texts: TestText[], query: string, limit = 10) {
    const { database } = suite;
    const owned = await makeKnowledgeBase(database);
    for (const text of texts) await importText(database, owned, text);
    await mergeFrequencyDeltas(database);
    const search = createSearch(database, createStemMemory());
    const { passages } = await search({
      accountId: owned.accountId,
      knowledgeBaseIds: undefined,
      query,
      limit,
    });
    return passages;
  }

  /** The titles that a query finds, best first. */
  const orderOf = async (contents: Record<string, string>, query: string) =>
    (await searchIn(titled(contents), query)).map(({ title }) => title);

  return {
    get database() {
      return suite.database;
    },
    searchIn,
    orderOf,
    /** One search over a new knowledge base, to which the test adds texts between its queries. */
    openSearch: (vectorsIn?: VectorsIn) => openSearchIn(suite.database, vectorsIn),
  };
}
