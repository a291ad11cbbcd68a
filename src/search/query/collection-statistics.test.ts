/** The statistics of a search of a whole account. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseNow } from '../../database/connection/clock.ts';
import type { Queryable } from '../../database/connection/database.ts';
import type { OwnedKnowledgeBase } from '../../database/rows/knowledge-bases.ts';
import { isCitus } from '../../database/testing/new-database.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { mergeFrequencyDeltas } from '../../indexing/postings/document-frequencies.ts';
import { importText, makeKnowledgeBase } from '../testing/imported-texts.ts';
import { createStatistics } from './collection-statistics.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
let accountId: string;
let kept: OwnedKnowledgeBase;
let deleted: OwnedKnowledgeBase;

beforeAll(async () => {
  suite = await createTestDatabase();
  kept = await makeKnowledgeBase(suite.database);
  ({ accountId } = kept);
  deleted = { accountId, knowledgeBaseId: uuidv7() };
  const owner = { knowledge_base_id: deleted.knowledgeBaseId, account_id: accountId };
  const row = { ...owner, name: 'a', description: '', created_at: databaseNow, updated_at: databaseNow };
  await suite.database.insertInto('knowledge_bases').values(row).execute();
  await suite.database.insertInto('knowledge_base_statistics').values(owner).execute();
  for (const owned of [kept, deleted])
    await importText(suite.database, owned, { title: 'Bridges', content: 'A bridge crosses a river.' });
  await mergeFrequencyDeltas(suite.database);
});
afterAll(() => suite.close());

const readStatistics = async (database: Queryable) =>
  await createStatistics()(
    database,
    { accountId, ids: undefined },
    { lexemes: ['bridg', 'river', 'ship'], prefixes: [''], toStem: [], isCountingStems: false },
  );

test('a deleted knowledge base does not count, whether its purge has begun or not', async () => {
  const counted = async () => {
    const { searched, frequencies } = await readStatistics(suite.database);
    return { ids: searched.ids.toSorted(), frequencies: Object.fromEntries(frequencies) };
  };
  const both = [kept.knowledgeBaseId, deleted.knowledgeBaseId];
  expect(await counted()).toEqual({ ids: both.toSorted(), frequencies: { bridg: 2, river: 2 } });
  const isDeleted = sql<boolean>`knowledge_base_id = ${deleted.knowledgeBaseId}`;
  await suite.database
    .updateTable('knowledge_bases')
    .set({ deleted_at: databaseNow })
    .where(isDeleted)
    .execute();
  const ofKept = { ids: [kept.knowledgeBaseId], frequencies: { bridg: 1, river: 1 } };
  expect(await counted()).toEqual(ofKept);
  // A purge deletes the counts in steps.
  const isPurged = sql<boolean>`${isDeleted} AND lexeme = 'river'`;
  await suite.database.deleteFrom('document_frequencies').where(isPurged).execute();
  expect(await counted()).toEqual(ofKept);
});

// On Citus each server reads the counts of its knowledge bases by their ids.
test.skipIf(isCitus)('the counts of an account are read from its index alone', async () => {
  // As autovacuum does. PostgreSQL 15 has another plan for a table of unknown size.
  await sql`VACUUM ANALYZE document_frequencies`.execute(suite.database);
  const plan = await suite.database.connection().execute(async (connection) => {
    await readStatistics(connection);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      EXPLAIN EXECUTE statistics_of_all(
        ${sql.lit(accountId)}, NULL, '{bridg}', '{""}', '{}', '{}', false, true)`.execute(connection);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toContain('Index Only Scan using document_frequencies_by_account');
});
