/** The number of passages that BM25 scores. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { quoteLexeme } from '../../analysis/lexemes.ts';
import { prepare } from '../../database/connection/prepared.ts';
import { isCitus } from '../../database/testing/new-database.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { createStemMemory } from '../../indexing/stems.ts';
import { FURTHER_MAX } from '../candidates/candidates.ts';
import { createSearch } from '../search.ts';
import { importText, makeKnowledgeBase } from '../testing/imported-texts.ts';
import { BM25_VALUES, bestByBm25, bm25Values, candidate } from './best-by-bm25.ts';
import { ON_ONE_SERVER } from './distribution.ts';
import { passageScore, queryTermRows } from './term-scores.ts';
import { ofLexeme } from './variants.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

/** Long enough to be a passage of its own, as a paragraph. */
const FILLER = 'and more of this and that for the whole of a long paragraph '.repeat(9);
const COMMON_ONLY = FURTHER_MAX + 200;
const RARE = 3;

/** A knowledge base with a common word in all passages, and a rare one in the last ones. */
async function importCommonWord() {
  const owned = await makeKnowledgeBase(suite.database);
  const paragraphs = [
    ...Array<string>(COMMON_ONLY).fill(`zcommon ${FILLER}`),
    ...Array<string>(RARE).fill(`zrare zcommon ${FILLER}`),
  ];
  await importText(suite.database, owned, { title: 'Long', content: paragraphs.join('\n\n') });
  return owned;
}

const best = prepare(
  'best_in_test',
  BM25_VALUES,
  (values) => sql<{ score: number }>`
    WITH query_terms AS MATERIALIZED (${queryTermRows(values)})
    SELECT score FROM (${bestByBm25(values, passageScore(values, candidate, ON_ONE_SERVER), ON_ONE_SERVER)}) AS best`,
);

test.skipIf(isCitus)(
  'a rare word beside a common one scores all of the rare, and some of the common',
  async () => {
    const { accountId, knowledgeBaseId } = await importCommonWord();
    const terms = ['zrare', 'zcommon'].map((lexeme) => ({ variants: [ofLexeme(lexeme, 1)] }));
    const passageCount = COMMON_ONLY + RARE;
    const searched = {
      ids: [knowledgeBaseId],
      languages: [],
      passageCount,
      lengthTotal: passageCount,
      storedPassages: passageCount,
    };
    const [rare = '', common = ''] = ['zrare', 'zcommon'].map(quoteLexeme);
    const scoredFor = async (queries: string[], further: string[]) => {
      const values = bm25Values({ terms, upperBound: 2 }, { searched, queries, further });
      return (await best(suite.database, { ...values, selected: 2 * passageCount })).length;
    };
    expect(await scoredFor([rare], [common])).toBe(RARE + FURTHER_MAX);
    expect(await scoredFor([common], [rare])).toBe(passageCount);

    const search = createSearch(suite.database, createStemMemory());
    const request = { accountId, knowledgeBaseIds: [knowledgeBaseId], query: 'zrare zcommon' };
    const resultsFor = async (limit: number) => (await search({ ...request, limit })).passages;
    const many = await resultsFor(50);
    expect(many).toHaveLength(50);
    for (const { content } of many.slice(0, RARE)) expect(content).toContain('zrare');
    expect(await resultsFor(5)).toEqual(many.slice(0, 5));
  },
);
