/** Living connections that look dead; contract-tests/slow-and-faults/links.test.ts tests dead ones. */
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { from as copyFrom } from 'pg-copy-streams';
import { expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase } from '../../testing/test-database.ts';
import { createDatabase } from '../database.ts';
import { createPool } from '../pool.ts';

/** Longer than the silence after which a statement is checked, and the time until the result counts. */
const LONG_SECONDS = 4;

test('a long statement, and one that waits for a lock, are answered', async () => {
  const { database, close } = await createTestDatabase();
  const held = database.transaction().execute(async (holder) => {
    await sql`SELECT pg_advisory_xact_lock(1)`.execute(holder);
    const waiting = sql`SELECT pg_advisory_xact_lock(1)`.execute(database);
    await sql`SELECT pg_sleep(${LONG_SECONDS}::float8)`.execute(holder);
    return { waiting };
  });
  await expect(held.then(({ waiting }) => waiting)).resolves.toBeDefined();
  await close();
});

test('a statement that computes without a pause is answered', async () => {
  const { database, close } = await createTestDatabase();
  // A pure computation: PostgreSQL sees no wait event meanwhile, not even of a timer.
  const working =
    sql.raw(`DO $$ DECLARE until timestamptz := clock_timestamp() + interval '${LONG_SECONDS} s';
    BEGIN
      WHILE clock_timestamp() < until LOOP PERFORM sqrt(generate_series) FROM generate_series(1, 10000); END LOOP;
    END $$`);
  await expect(working.execute(database)).resolves.toBeDefined();
  await close();
});

test('a COPY takes rows that arrive slowly, as those of a backup do between its files', async () => {
  const { connection, drop } = await createEmptyDatabase();
  // One connection, so that both statements use the same one.
  const pool = createPool(connection, 1, () => {});
  const database = createDatabase(pool);
  await sql`CREATE TABLE rows (value integer)`.execute(database);
  const client = await pool.connect();
  const copy = client.query(copyFrom('COPY rows FROM STDIN'));
  copy.write('1\n');
  // PostgreSQL waits for rows meanwhile, as it does for a statement whose connection is dead.
  await delay(1000 * LONG_SECONDS);
  copy.end('2\n');
  await finished(copy);
  expect(copy.rowCount).toBe(2);
  client.release();
  await database.destroy();
  await drop();
});
