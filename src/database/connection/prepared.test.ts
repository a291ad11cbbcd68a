/** Prepared statements on a real database. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isCitus } from '../testing/new-database.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { inOneRoundTrip, prepare } from './prepared.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

const double = prepare(
  'test_double',
  ['number', 'factor'],
  ({ number, factor }) =>
    sql<{ product: number }>`SELECT ${number}::integer * coalesce(${factor}::integer, 2) AS product`,
);

// With Citus each execution is planned for its values.
test.skipIf(isCitus)('a statement is prepared once, under its name, and planned for all values', async () => {
  await suite.database.connection().execute(async (connection) => {
    for (const number of [1, 2, 3])
      expect(await double(connection, { number, factor: number })).toEqual([{ product: number * number }]);
    const { rows } = await sql`
      SELECT generic_plans::integer AS generic, custom_plans::integer AS custom FROM pg_prepared_statements
      WHERE name = 'test_double'`.execute(connection);
    expect(rows).toEqual([{ generic: 3, custom: 0 }]);
  });
});

test('a value that is undefined is NULL', async () => {
  expect(await double(suite.database, { number: 4, factor: undefined })).toEqual([{ product: 8 }]);
});

test('a statement with a value in its text is refused', async () => {
  const fixed = prepare('test_fixed', [], () => sql`SELECT ${1}::integer`);
  await expect(fixed(suite.database, {})).rejects.toThrow('test_fixed has a value in its text');
});

test('a statement that returns all columns is refused, because a newer version may have more', async () => {
  const selecting = prepare('test_select_all', [], () => sql`SELECT * FROM accounts`);
  const returning = prepare('test_return_all', [], () => sql`DELETE FROM accounts WHERE false RETURNING *`);
  for (const open of [selecting, returning])
    await expect(open(suite.database, {})).rejects.toThrow('does not name the columns');
});

test('of one round trip, the first statement that fails says why, whatever is read after one before it', async () => {
  const divide = prepare(
    'test_divide',
    ['divisor'],
    ({ divisor }) => sql<{ quotient: number }>`SELECT 1 / ${divisor}::integer AS quotient`,
  );
  const dividing = suite.database
    .transaction()
    .execute((transaction) =>
      inOneRoundTrip(transaction, (together) => [
        double(together, { number: 1, factor: 1 }).then(() => double(transaction, { number: 2, factor: 2 })),
        divide(together, { divisor: 0 }),
      ]),
    );
  await expect(dividing).rejects.toThrow('division by zero');
});
