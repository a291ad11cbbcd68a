/** The pools survive the loss of connections, and give each statement its time-out. */
import { sql } from 'kysely';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { isUnavailable } from '../../terms/errors.ts';
import { isCitus } from '../testing/new-database.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { createDatabase, createMaintenancePool, createPool } from './database.ts';

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
