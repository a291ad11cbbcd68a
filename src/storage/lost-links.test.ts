/** What looks from here like a lost link and is none; real ones stand in contract-tests/links.test.ts. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/test-database.ts';

/** Longer than a statement may be silent before it is asked after, and the news of it believed. */
const LONG_SECONDS = 4;

test('a statement that takes long and one that waits for a lock have their answers', async () => {
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

test('a statement that works all the time has its answer', async () => {
  const { database, close } = await createTestDatabase();
  // For PostgreSQL it waits for nothing meanwhile, not even for a clock.
  const working =
    sql.raw(`DO $$ DECLARE until timestamptz := clock_timestamp() + interval '${LONG_SECONDS} s';
    BEGIN WHILE clock_timestamp() < until LOOP PERFORM sqrt(generate_series) FROM generate_series(1, 10000); END LOOP; END $$`);
  await expect(working.execute(database)).resolves.toBeDefined();
  await close();
});
