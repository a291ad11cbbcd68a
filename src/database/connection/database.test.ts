/** The pools survive the loss of connections, and give each statement its time-out. */
import { sql } from 'kysely';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { isUnavailable, toServiceError } from '../../terms/errors.ts';
import { isCitus } from '../testing/new-database.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { createDatabase } from './database.ts';
import { createMaintenancePool, createPool } from './pool.ts';

test('a connection that breaks inside a transaction fails the transaction, not the process', async () => {
  const { database, close } = await createTestDatabase();
  const transaction = database.transaction().execute(async (broken) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(broken);
    await sql`SELECT pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(database);
    // The FATAL message arrives while no statement runs.
    await new Promise((resolve) => setImmediate(resolve));
    await sql`SELECT 1`.execute(broken);
  });
  await expect(transaction).rejects.toThrow(/terminat|queryable/i);
  await sql`SELECT 1`.execute(database);
  await close();
});

test('a statement of a request has a time-out, one of maintenance has none', async () => {
  const { connection, close } = await createTestDatabase();
  const timeoutOf = async (pool: pg.Pool) => {
    const { rows } = await pool.query('SHOW statement_timeout').finally(() => pool.end());
    return rows[0].statement_timeout;
  };
  expect(await timeoutOf(createPool(connection, 1, () => {}))).toBe(isCitus ? '20s' : '1min');
  expect(await timeoutOf(createMaintenancePool(connection, () => {}))).toBe('0');
  await close();
});

test('a connection that turns out to be read-only makes its request repeatable, and is replaced', async () => {
  const { connection, database, close } = await createTestDatabase();
  const { rows } = await sql<{ name: string }>`SELECT current_database() AS name`.execute(database);
  const setReadOnly = (change: string) =>
    sql`ALTER DATABASE ${sql.id(rows[0]?.name ?? '')} ${sql.raw(change)}`.execute(database);
  await setReadOnly('SET default_transaction_read_only = on');
  const led = createDatabase(createPool(connection, 1, () => {}));
  await sql`SELECT 1`.execute(led);
  await setReadOnly('RESET default_transaction_read_only');
  const write = () => sql`CREATE TABLE written ()`.execute(led);
  const refusal = await write().catch((error) => error);
  expect([refusal.code, isUnavailable(refusal)]).toEqual(['25006', true]);
  await write();
  await led.destroy();
  await close();
});

test.skipIf(isCitus)(
  'a COMMIT that fails by no fault of its transaction makes the request repeatable',
  async () => {
    const { database, close } = await createTestDatabase();
    await sql`CREATE TABLE written (code text)`.execute(database);
    await sql`
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'a server of shards has ended' USING ERRCODE = NEW.code; END $$`.execute(database);
    await sql`
    CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON written DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION fail()`.execute(database);
    const commitWith = async (code: string) => {
      const transaction = database
        .transaction()
        .execute((writing) => sql`INSERT INTO written VALUES (${code})`.execute(writing));
      return await transaction.then(
        () => undefined,
        (error: unknown) => toServiceError(error).status === 503,
      );
    };
    for (const code of ['XX000', '58030', 'P0001'])
      expect([code, await commitWith(code)]).toEqual([code, true]);
    expect(await commitWith('23505')).toBe(false);
    await close();
  },
);
