/** Migrations run once, also when many servers start, and lead to the schema in schema.sql. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DocumentType } from '../../../generated/types.gen.ts';
import { readSpec, type Spec } from '../../http/contract/spec.ts';
import { createDatabase, type Database } from '../connection/database.ts';
import { createPool } from '../connection/pool.ts';
import { findLiveApiKeys } from '../rows/api-keys.ts';
import { describeSchema } from '../testing/describe-schema.ts';
import { createEmptyDatabase } from '../testing/test-database.ts';
import { migrateOver, migrateToLatest, migrateUpTo } from './migrate.ts';

const { components } = readSpec() as Spec & {
  components: { schemas: { DocumentType: { enum: DocumentType[] } } };
};
const typesOfContract = components.schemas.DocumentType.enum;

let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
let servers: Database[];

beforeAll(async () => {
  empty = await createEmptyDatabase();
  servers = Array.from({ length: 5 }, () => createDatabase(createPool(empty.connection, 2, () => {})));
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.destroy()));
  await empty.drop();
});

test('five servers that start at once migrate once, and a later start finds nothing to do', async () => {
  const ran = await Promise.all(servers.map(() => migrateOver(empty.connection, () => {})));
  expect(ran.flat()).toEqual([
    '0001-initial',
    '0002-first-answers',
    '0003-request-counts',
    '0004-room-for-counts',
    '0005-document-types',
    '0006-reserved-until',
    '0007-processing-since',
    '0008-distinct-lexemes',
    '0009-field-names',
    '0010-attributes',
    '0011-documents-not-processed',
    '0012-lexeme-endings',
    '0013-key-scopes',
    '0014-queued-at',
    '0015-webhooks',
    '0016-external-ids',
    '0017-leased-requests',
    '0018-account-frequencies',
    '0019-jobs',
    '0020-warnings-with-codes',
    '0021-passage-times',
    '0022-synonyms',
    '0023-later-starts',
    '0024-passage-vectors',
    '0025-vector-generations',
    '0026-document-addresses',
    '0027-recognised-pages',
    '0028-small-jobs',
    '0029-index-upkeep',
    '0030-ended-sessions',
    '0031-kept-queries',
    '0032-key-filters',
  ]);
  expect(await Promise.all(servers.map(migrateToLatest))).toEqual([[], [], [], [], []]);
});

test('a database that a newer version has changed is refused, with the name of the migration', async () => {
  const [server] = servers;
  if (server === undefined) throw new Error('no server');
  await sql`INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-newer', '')`.execute(server);
  await expect(migrateToLatest(server)).rejects.toThrow(
    'newer version has changed the database (9999-newer)',
  );
  await sql`DELETE FROM kysely_migration WHERE name = '9999-newer'`.execute(server);
});

// Review a changed schema, then accept it with: `npx vitest run --config scripts/suites/vitest.config.ts
// src/database/migrations/migrate.test.ts --update`
test('the migrations lead to the committed schema', async () => {
  const [server] = servers;
  if (server === undefined) throw new Error('no server');
  await expect(await describeSchema(server)).toMatchFileSnapshot('../schema/schema.sql');
});

test('the keys of an earlier version may do everything, in all knowledge bases', async () => {
  const { connection, drop } = await createEmptyDatabase();
  const database = createDatabase(createPool(connection, 1, () => {}));
  await migrateUpTo(database, '0012-lexeme-endings');
  await sql`
    WITH account AS (
      INSERT INTO accounts VALUES (gen_random_uuid(), 'a', NULL, NULL, now()) RETURNING id)
    INSERT INTO api_keys (id, account_id, name, secret_hash, created_at)
    SELECT 'old', id, 'old', '', now() FROM account`.execute(database);
  await migrateToLatest(database);
  const stored = await findLiveApiKeys(database, ['old']);
  expect(stored.get('old')).toMatchObject({ scope: 'write', knowledgeBaseIds: null, isUsedToday: false });
  await database.destroy();
  await drop();
});

test('documents have the types of the contract; another one, from an earlier version, becomes unknown', async () => {
  const { connection, drop } = await createEmptyDatabase();
  const database = createDatabase(createPool(connection, 1, () => {}));
  await migrateUpTo(database, '0004-room-for-counts');
  await sql`
    WITH account AS (
      INSERT INTO accounts VALUES (gen_random_uuid(), 'a', NULL, NULL, now()) RETURNING id),
    knowledge_base AS (
      INSERT INTO knowledge_bases SELECT gen_random_uuid(), id, 'k', '', now(), now() FROM account
      RETURNING knowledge_base_id, account_id)
    INSERT INTO documents (knowledge_base_id, id, account_id, title, source, type, size_bytes, status, created_at,
      updated_at)
    SELECT knowledge_base_id, gen_random_uuid(), account_id, 't', 's', type, 1, 'processed', now(), now()
    FROM knowledge_base, unnest(ARRAY['pdf', 'function Object() { [native code] }']) AS type`.execute(
    database,
  );
  await migrateToLatest(database);
  const stored = await database.selectFrom('documents').select('type').orderBy('type').execute();
  expect(stored.map(({ type }) => type)).toEqual(['pdf', 'unknown']);
  for (const type of typesOfContract) await database.updateTable('documents').set({ type }).execute();
  await expect(sql`UPDATE documents SET type = '{}'`.execute(database)).rejects.toThrow(
    'documents_type_check',
  );
  await database.destroy();
  await drop();
});

test('sentences about pages, of an earlier version, become warnings with a code, also in waiting events', async () => {
  const { connection, drop } = await createEmptyDatabase();
  const database = createDatabase(createPool(connection, 1, () => {}));
  await migrateUpTo(database, '0019-jobs');
  const [empty, damaged] = ['Page 2: without text, perhaps scanned.', 'Pages 4, 6–8: damaged and not read.'];
  await sql`
    WITH account AS (
      INSERT INTO accounts VALUES (gen_random_uuid(), 'a', NULL, NULL, now()) RETURNING id),
    knowledge_base AS (
      INSERT INTO knowledge_bases SELECT gen_random_uuid(), id, 'k', '', now(), now() FROM account
      RETURNING knowledge_base_id, account_id),
    webhook AS (
      INSERT INTO webhooks (id, account_id, url, secret, created_at, retry_at)
      SELECT gen_random_uuid(), id, 'https://example.com', '', now(), now() FROM account RETURNING id, account_id),
    event AS (
      INSERT INTO webhook_events (webhook_id, account_id, id, type, knowledge_base_id, data, created_at, due_at)
      SELECT id, account_id, gen_random_uuid(), 'document.processed', gen_random_uuid(),
        json_build_object('id', 'x', 'warnings', ${JSON.stringify([empty])}::json), now(), now()
      FROM webhook)
    INSERT INTO documents (knowledge_base_id, id, account_id, title, source, type, size_bytes, status, warnings,
      created_at, updated_at)
    SELECT knowledge_base_id, gen_random_uuid(), account_id, 't', 's', 'pdf', size, 'processed', warnings, now(), now()
    FROM knowledge_base, unnest(ARRAY[1, 2], ARRAY['[]', ${JSON.stringify([empty, damaged])}]::jsonb[])
      AS document (size, warnings)`.execute(database);
  await migrateToLatest(database);
  const documents = await database.selectFrom('documents').select('warnings').orderBy('size_bytes').execute();
  const converted = { code: 'PAGES_WITHOUT_TEXT', message: empty };
  expect(documents.map(({ warnings }) => warnings)).toEqual([
    [],
    [converted, { code: 'PAGES_NOT_READ', message: damaged }],
  ]);
  const events = await database.selectFrom('webhook_events').select('data').execute();
  expect(events.map(({ data }) => data)).toEqual([{ id: 'x', warnings: [converted] }]);
  await database.destroy();
  await drop();
});
