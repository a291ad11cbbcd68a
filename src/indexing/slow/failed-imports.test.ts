/** What a failed import has written is removed within a minute, although nobody asks for it. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { importText, makeKnowledgeBase } from '../../search/testing/imported-texts.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

const MINUTE_MS = 60_000;

async function readDead(): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; rows: number }>`
    SELECT relname AS name, n_dead_tup::integer AS rows FROM pg_stat_user_tables
    WHERE relname IN ('passages', 'passage_lexemes')`.execute(suite.database);
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]));
}

test.skipIf(process.env.CITUS_URL || process.env.DATABASE_URL)(
  'the rows of a rolled back import are removed from the tables and their indexes within a minute',
  async () => {
    const owned = await makeKnowledgeBase(suite.database);
    const words = Array.from({ length: 12_000 }, (_, i) => `word${i % 997}`).join(' ');
    await importText(suite.database, owned, { title: 'kept', content: words });
    const failing = suite.database.transaction().execute(async (transaction) => {
      // As an import that fails at its end: the rows are there, and rolled back.
      await sql`INSERT INTO passage_lexemes SELECT knowledge_base_id, document_id, position + 1000000, account_id,
        length, lexemes FROM passage_lexemes`.execute(transaction);
      await sql`INSERT INTO passages (knowledge_base_id, document_id, position, account_id, content, start_offset,
          end_offset, headings, language)
        SELECT knowledge_base_id, document_id, position + 1000000, account_id, content, start_offset, end_offset,
          headings, language FROM passages`.execute(transaction);
      throw new Error('failed');
    });
    await expect(failing).rejects.toThrow('failed');
    await vi.waitUntil(async () => Object.values(await readDead()).some((count) => count > 0), {
      timeout: 15_000,
    });
    await vi.waitUntil(async () => Object.values(await readDead()).every((count) => count === 0), {
      timeout: MINUTE_MS,
      interval: 500,
    });
  },
  2 * MINUTE_MS,
);
