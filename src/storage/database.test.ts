/** The pool outlives its connections. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/test-database.ts';

test('a connection that breaks between two statements of a transaction fails the transaction, not the process', async () => {
  const { database, close } = await createTestDatabase();
  const transaction = database.transaction().execute(async (broken) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(broken);
    await sql`SELECT pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(database);
    // The FATAL message arrives while nothing is asked.
    await new Promise((resolve) => setImmediate(resolve));
    await sql`SELECT 1`.execute(broken);
  });
  await expect(transaction).rejects.toThrow(/terminat|queryable/i);
  await sql`SELECT 1`.execute(database);
  await close();
});
