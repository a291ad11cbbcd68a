/** Fuzzy matches and completions in a knowledge base of ninety thousand words. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { OwnedKnowledgeBase } from '../../../database/rows/knowledge-bases.ts';
import { mergeFrequencyDeltas } from '../../../indexing/postings/document-frequencies.ts';
import { createStemMemory } from '../../../indexing/stems.ts';
import { createSearch } from '../../search.ts';
import { importText } from '../../testing/imported-texts.ts';
import { useSearch } from '../../testing/searched-texts.ts';

const ANSWER = 'Keep all receipts of your journey until the expenses have been paid.';

const suite = useSearch();
const { openSearch } = suite;

/** Adds lexemes to a knowledge base, as if passages contained them. */
async function addLexemes({ accountId, knowledgeBaseId }: OwnedKnowledgeBase, start: string, count: number) {
  await sql`
    INSERT INTO document_frequencies (knowledge_base_id, account_id, lexeme, passage_count)
    SELECT ${knowledgeBaseId}, ${accountId}, ${start}::text || substr(md5(i::text), 1, 6) || i % 10, 1
    FROM generate_series(1, ${count}::integer) AS i ON CONFLICT DO NOTHING`.execute(suite.database);
  await sql`ANALYZE document_frequencies`.execute(suite.database);
}

test.each([
  ['fuzzy matches', 'reisekosten recipts versichrung', false],
  ['completions', 'r', true],
])('%s read a bounded number of lexemes, whatever the vocabulary', async (_kind, query, prefix) => {
  const { owned } = await openSearch();
  await importText(suite.database, owned, { title: 'T', content: ANSWER });
  await mergeFrequencyDeltas(suite.database);
  for (const start of ['reis', 'reisekosten', 'versich']) await addLexemes(owned, start, 30_000);
  const { accountId, knowledgeBaseId } = owned;
  const read = await suite.database.transaction().execute(async (transaction) => {
    const search = createSearch(transaction, createStemMemory());
    const { passages } = await search({
      accountId,
      knowledgeBaseIds: [knowledgeBaseId],
      query,
      prefix,
      limit: 10,
    });
    expect(passages).toHaveLength(1);
    const { rows } = await sql<{ read: number }>`
      SELECT (seq_tup_read + idx_tup_fetch)::integer AS read FROM pg_stat_xact_user_tables
      WHERE relname = 'document_frequencies'`.execute(transaction);
    return rows[0]?.read;
  });
  expect(read).toBeLessThan(25_000);
});
