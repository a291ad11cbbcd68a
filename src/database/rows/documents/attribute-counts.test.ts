/** Attributes are counted in a bounded number of documents, the newest ones, and only in those that fit a filter. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Filter } from '../../../../generated/types.gen.ts';
import { createTestDatabase } from '../../testing/test-database.ts';
import { createAccount } from '../accounts.ts';
import type { OwnedKnowledgeBase } from '../knowledge-bases.ts';
import { summariseAttributes } from './attribute-counts.ts';
import { toDocumentFilter } from './document-filter.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
let owned: OwnedKnowledgeBase;

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

beforeEach(async () => {
  const accountId = await createAccount(suite.database, `account ${uuidv7()}`, 0);
  owned = { accountId, knowledgeBaseId: uuidv7() };
  await sql`INSERT INTO knowledge_bases (knowledge_base_id, account_id, name, description, created_at, updated_at)
    VALUES (${owned.knowledgeBaseId}, ${accountId}, 'Test', '', now(), now())`.execute(suite.database);
});

/** Inserts documents, the last one the newest. `attributes`: SQL with `number`, from 1. */
async function insert(count: number, attributes: string, status = 'processed'): Promise<void> {
  await sql`INSERT INTO documents (knowledge_base_id, id, account_id, title, source, type, size_bytes, status,
      created_at, updated_at, attributes)
    SELECT ${owned.knowledgeBaseId}, gen_random_uuid(), ${owned.accountId}, 'Note', 'Note', 'text', 1, ${status},
      time, time, ${sql.raw(attributes)}
    FROM generate_series(1, ${count}::integer) AS number, LATERAL (
      SELECT clock_timestamp() + number * interval '1 ms' AS time) AS times`.execute(suite.database);
}

const summarise = (filter?: Filter) =>
  summariseAttributes(suite.database, owned, filter && toDocumentFilter(filter));

test('of more than 10,000 documents only the newest count', async () => {
  await insert(1, `'{"old": true}'`);
  await insert(10_000, `jsonb_build_object('number', number, 'parity', number % 2)`);
  const { attributes, ...counted } = await summarise();
  expect(counted).toEqual({ countedDocuments: 10_000, isComplete: false });
  expect(
    attributes.map(({ name, documentCount, types: [of] }) => [name, documentCount, of?.valueCount]),
  ).toEqual([
    ['number', 10_000, 10_000],
    ['parity', 10_000, 2],
  ]);
  expect(attributes[0]?.types[0]).toMatchObject({ minimum: 1, maximum: 10_000 });
});

test('of attributes with much text, those up to 16 MiB count', async () => {
  await insert(2_000, `jsonb_build_object('text', repeat('x', 16000))`);
  const { countedDocuments, isComplete } = await summarise();
  expect([countedDocuments, isComplete]).toEqual([Math.ceil((16 * 1024 ** 2) / 16_012), false]);
});

test('of more than 100 names, the most frequent ones come', async () => {
  await insert(50, `(SELECT jsonb_object_agg('n' || number || '-' || i, i) FROM generate_series(1, 3) AS i)`);
  await insert(2, `'{"frequent": 1}'`);
  const { attributes, isComplete } = await summarise();
  expect([attributes.length, attributes[0]?.name, isComplete]).toEqual([100, 'frequent', false]);
});

test('documents that cannot be found, or do not fit a filter, do not count', async () => {
  await insert(2, `'{"team": "sales"}'`);
  await insert(1, `'{"team": "legal", "secret": 1}'`);
  await insert(3, `'{"team": "sales", "unread": true}'`, 'pending');
  const { attributes, countedDocuments } = await summarise({ type: 'eq', key: 'team', value: 'sales' });
  expect(countedDocuments).toBe(2);
  expect(attributes.map(({ name, documentCount }) => [name, documentCount])).toEqual([['team', 2]]);
});
