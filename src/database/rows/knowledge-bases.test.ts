/** Which changes of a knowledge base wait for which, and how its documents are counted. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseNow } from '../connection/clock.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { createAccount } from './accounts.ts';
import {
  lockForDeletion,
  lockKnowledgeBase,
  type OwnedKnowledgeBase,
  selectKnowledgeBases,
} from './knowledge-bases.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
let owned: OwnedKnowledgeBase;

beforeAll(async () => {
  suite = await createTestDatabase();
  const accountId = await createAccount(suite.database, 'account', 0);
  owned = { accountId, knowledgeBaseId: uuidv7() };
  const owner = { knowledge_base_id: owned.knowledgeBaseId, account_id: accountId };
  const row = { ...owner, name: 'a', description: '', created_at: databaseNow, updated_at: databaseNow };
  await suite.database.insertInto('knowledge_bases').values(row).execute();
  await suite.database.insertInto('knowledge_base_statistics').values(owner).execute();
});
afterAll(() => suite.close());

test('an import holds up a deletion, but no new name', async () => {
  const { database } = suite;
  await database.transaction().execute(async (importing) => {
    await lockKnowledgeBase(importing, owned);
    await database.updateTable('knowledge_bases').set({ name: 'b' }).execute();
    const deleting = database.transaction().execute(async (transaction) => {
      await sql`SET LOCAL lock_timeout = '100ms'`.execute(transaction);
      await lockForDeletion(transaction, owned);
    });
    await expect(deleting).rejects.toThrow('lock timeout');
  });
});

test('an import finds nothing in a knowledge base that is deleted while it waits', async () => {
  const { database } = suite;
  const importing = await database.transaction().execute(async (deleting) => {
    await lockForDeletion(deleting, owned);
    const waiting = database.transaction().execute((transaction) => lockKnowledgeBase(transaction, owned));
    const refused = expect(waiting).rejects.toThrow('There is no knowledge base');
    await deleting.updateTable('knowledge_bases').set({ deleted_at: databaseNow }).execute();
    return { refused };
  });
  await importing.refused;
  await database.updateTable('knowledge_bases').set({ deleted_at: null }).execute();
});

test('documents are counted by status without a look at the processed ones', async () => {
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    EXPLAIN ${selectKnowledgeBases(sql`${owned.accountId}`, false, () => sql`true`)}`.execute(suite.database);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('documents_not_processed');
  expect(plan).not.toContain('documents_pkey');
});
