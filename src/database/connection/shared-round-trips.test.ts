/** Short reads share round trips, and nothing else: each has its own result and its own error. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Read, shareRoundTrips } from '../../concurrency/shared-round-trips.ts';
import { isCitus } from '../testing/new-database.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { withinBounds } from './bounded-statements.ts';
import { createDatabase, type Database } from './database.ts';
import { socketOf } from './pg-insides.ts';
import { createPool } from './pool.ts';
import { inOneRoundTrip, prepare, prepareRead } from './prepared.ts';

const readOf = (text: string): Read => ({ text, values: [] });

test('reads of one iteration of the event loop go together, eight at a time', async () => {
  const sent: string[][] = [];
  const read = shareRoundTrips(async (reads) => {
    sent.push(reads.map(({ text }) => text));
    return reads.map(({ text }) => ({ status: 'fulfilled', value: [text] }));
  });
  const texts = [...'abcdefghi'];
  expect(await Promise.all(texts.map((text) => read(readOf(text))))).toEqual(texts.map((text) => [text]));
  await read(readOf('j'));
  expect(sent).toEqual([[...'abcdefgh'], ['i'], ['j']]);
});

test('without a connection each read fails', async () => {
  const read = shareRoundTrips(() => Promise.reject(new Error('no connection')));
  const results = await Promise.allSettled([read(readOf('a')), read(readOf('b'))]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

describe('at a database', () => {
  let suite: Awaited<ReturnType<typeof createTestDatabase>>;

  beforeAll(async () => {
    suite = await createTestDatabase();
    await sql`SELECT 1`.execute(suite.database); // opens a connection, which tells that it is direct
  });
  afterAll(() => suite.close());

  const divide = prepareRead(
    'divide_in_test',
    ['by'],
    ({ by }) => sql<{ quotient: number; process: number }>`
      SELECT 12 / ${by}::integer AS quotient, pg_backend_pid() AS process`,
  );
  const divideAll = (...divisors: number[]) =>
    Promise.allSettled(divisors.map((by) => divide(suite.database, { by })));

  test('they share a connection; the error of one leaves the others alone', async () => {
    const results = await divideAll(1, 0, 3);
    const rows = results.map((result) =>
      result.status === 'fulfilled' ? result.value[0] : result.reason.code,
    );
    expect(rows).toMatchObject([{ quotient: 12 }, '22012', { quotient: 4 }]);
    expect(rows[0].process).toBe(rows[2].process);
    expect(await divideAll(4)).toMatchObject([{ value: [{ quotient: 3 }] }]);
  });

  test('the connection then serves a transaction, whose reads stay within it', async () => {
    await divideAll(1, 2, 3);
    await suite.database.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ process: number }>`SELECT pg_backend_pid() AS process`.execute(
        transaction,
      );
      expect(await divide(transaction, { by: 2 })).toMatchObject(rows);
    });
  });

  test('a read with bounds of its own, and one that takes long, share nothing', async () => {
    const bounds = { timeMaxMs: 5_000, signal: () => new AbortController().signal };
    const [shared, bounded, alone] = await Promise.all([
      divide(suite.database, { by: 1 }),
      withinBounds(bounds, () => divide(suite.database, { by: 2 })),
      divide(suite.database, { by: 3 }, true),
    ]);
    const processes = [shared, bounded, alone].map(([row]) => row?.process);
    expect(new Set(processes).size).toBe(3);
  });

  const note = prepare(
    'note_in_test',
    ['by'],
    ({ by }) => sql<{ quotient: number }>`
      INSERT INTO noted SELECT 12 / ${by}::integer RETURNING quotient`,
  );
  const countNoted = prepare(
    'count_noted_in_test',
    [],
    () => sql<{ count: number }>`SELECT count(*) FROM noted`,
  );

  /** Runs `act` with a database of one connection. @returns its writes to that connection */
  async function countWrites(act: (database: Database) => Promise<void>): Promise<number> {
    let writes = 0;
    const pool = createPool(suite.connection, 1, () => {});
    pool.on('acquire', (client) => {
      const socket = socketOf(client) as unknown as Record<
        '_write' | '_writev',
        (...given: unknown[]) => void
      >;
      for (const name of ['_write', '_writev'] as const) {
        const write = socket[name];
        socket[name] = (...given) => {
          writes++;
          write.apply(socket, given);
        };
      }
    });
    const database = createDatabase(pool);
    await act(database).finally(() => database.destroy());
    return writes;
  }

  test.skipIf(isCitus)(
    'statements of a transaction go together with its BEGIN, one after the other',
    async () => {
      await sql`CREATE TABLE noted (quotient integer)`.execute(suite.database);
      const writes = await countWrites((database) =>
        database.transaction().execute(async (transaction) => {
          const results = await inOneRoundTrip(transaction, (together) => [
            note(together, { by: 2 }),
            countNoted(together, {}),
            inOneRoundTrip(together, (same) => [note(same, { by: 3 }), countNoted(same, {})]),
          ]);
          expect(results).toEqual([[{ quotient: 6 }], [{ count: 1 }], [[{ quotient: 4 }], [{ count: 2 }]]]);
        }),
      );
      expect(writes).toBe(3); // the statements, COMMIT, the goodbye
    },
  );

  test('the first error of statements that go together is thrown, and nothing is committed', async () => {
    await sql`CREATE TABLE IF NOT EXISTS noted (quotient integer)`.execute(suite.database);
    const before = await countNoted(suite.database, {});
    const failing = suite.database
      .transaction()
      .execute((transaction) =>
        inOneRoundTrip(transaction, (together) => [
          note(together, { by: 2 }),
          note(together, { by: 0 }),
          note(together, { by: 3 }),
        ]),
      );
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    expect(await countNoted(suite.database, {})).toEqual(before);
  });

  test('a transaction without statements, or whose first one fails, leaves the connection usable', async () => {
    const { database } = suite;
    await database.transaction().execute(async () => {});
    const failing = database.transaction().execute((transaction) => sql`SELECT 1 / 0`.execute(transaction));
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    const isolation = await database
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((transaction) =>
        sql`SELECT current_setting('transaction_isolation') AS level`.execute(transaction),
      );
    expect(isolation.rows).toEqual([{ level: 'repeatable read' }]);
  });
});
