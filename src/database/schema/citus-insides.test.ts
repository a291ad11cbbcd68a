/**
 * Citus has the catalogs that the service reads. What requests do there is tested in serve/slow/distributed.test.ts.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isCitus } from '../testing/new-database.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import {
  ARE_TABLES_DISTRIBUTED,
  HAS_CITUS,
  IS_TABLE_DISTRIBUTED,
  NODE_NAME,
  NODES,
  TABLES_NEAR,
  WORKERS,
} from './citus-insides.ts';
import { CONTENT_TABLES, FIRST_TABLE } from './distributed-tables.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

/** All distributed tables. */
const TABLES = [...CONTENT_TABLES, 'shard_marks'].toSorted();

const CHANGED = 'Citus has other catalogs: see citus-insides.ts';

test('a database has Citus, or has not', async () => {
  const { rows } = await sql`SELECT ${sql.raw(HAS_CITUS)} AS has`.execute(suite.database);
  expect(rows, CHANGED).toEqual([{ has: isCitus }]);
});

test.runIf(isCitus)(
  'Citus knows its servers, its tables, and the shards that are near each other',
  async () => {
    const { database } = suite;
    const { rows: workers } = await WORKERS.execute(database);
    expect(workers.length, CHANGED).toBeGreaterThan(0);
    const { rows: nodes } = await sql`SELECT ${NODE_NAME} AS name FROM ${NODES}`.execute(database);
    expect(nodes, CHANGED).toContainEqual({ name: expect.stringMatching(/^.+:\d+$/) });
    const { rows: are } = await sql`SELECT ${sql.raw(ARE_TABLES_DISTRIBUTED)} AS are`.execute(database);
    expect(are, CHANGED).toEqual([{ are: true }]);
    const { rows: tables } = await sql<{ relname: string }>`
    SELECT relname FROM pg_class WHERE relkind = 'r' AND ${IS_TABLE_DISTRIBUTED}`.execute(database);
    expect(tables.map(({ relname }) => relname).toSorted(), CHANGED).toEqual(TABLES);
    const { rows: near } = await sql<{ table: string; shard: string }>`
    SELECT near.* FROM (SELECT '${sql.raw(FIRST_TABLE)}_' || min(shardid) AS name FROM pg_dist_shard) AS given,
      LATERAL (${sql.raw(TABLES_NEAR.replace('shard::regclass::text', 'given.name'))}) AS near`.execute(
      database,
    );
    expect(near.map(({ table }) => table).toSorted(), CHANGED).toEqual(TABLES);
    for (const { table, shard } of near) expect(shard, CHANGED).toMatch(new RegExp(`^${table}_\\d+$`));
  },
);
