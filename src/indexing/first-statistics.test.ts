/** PostgreSQL has statistics of the documents once the first of them are there. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OwnedKnowledgeBase } from '../database/rows/knowledge-bases.ts';
import { createTestDatabase } from '../database/testing/test-database.ts';
import { importText, makeKnowledgeBase } from '../search/testing/imported-texts.ts';
import { makeFirstStatistics } from './first-statistics.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
let owned: OwnedKnowledgeBase;

beforeAll(async () => {
  suite = await createTestDatabase();
  owned = await makeKnowledgeBase(suite.database);
  // Autovacuum, which looks once a minute, would make the statistics of 50 documents.
  await sql`ALTER TABLE documents SET (autovacuum_enabled = false)`.execute(suite.database);
});
afterAll(() => suite.close());

const importTexts = async (count: number) => {
  for (let i = 0; i < count; i++)
    await importText(suite.database, owned, { title: `Note ${i}`, content: `The words of note ${i}` });
};

const readEstimate = async () => {
  const { rows } = await sql<{ reltuples: number }>`
    SELECT reltuples FROM pg_class WHERE oid = 'documents'::regclass`.execute(suite.database);
  return rows[0]?.reltuples;
};

test('they are made once, with a hundred documents', async () => {
  await importTexts(99);
  expect(await makeFirstStatistics(suite.database)).toBe(false);
  expect(await readEstimate()).toBe(-1);
  await importTexts(1);
  expect(await makeFirstStatistics(suite.database)).toBe(true);
  expect(await readEstimate()).toBe(100);
  await importTexts(1);
  expect(await makeFirstStatistics(suite.database)).toBe(true);
  expect(await readEstimate()).toBe(100);
});
