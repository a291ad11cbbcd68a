/** pg's statements have the parts that the service uses beyond its documentation. */
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { hasPrepared, queryAfter, queryNamed, sendWithLast } from './pg-query-insides.ts';

let client: pg.Client;

beforeEach(async () => {
  client = new pg.Client(inject('connection'));
  client.on('error', () => {});
  await client.connect();
});
afterEach(() => client.end());

test('the columns of a prepared statement are described once to a connection', async () => {
  const { connection } = client as unknown as { connection: { describe: (portal: unknown) => void } };
  const describe = vi.spyOn(connection, 'describe');
  const reason = 'pg no longer reads rows by what `Query.handleRowDescription` keeps in `_result`';
  const ask = (number: number) =>
    queryNamed(client, {
      name: 'squares',
      text: 'SELECT $1::integer AS root, $1 * $1 AS square',
      values: [number],
    });
  for (const root of [2, 3, 4]) {
    const { rows, fields } = await ask(root);
    expect({ rows, names: fields.map(({ name }) => name) }, reason).toEqual({
      rows: [{ root, square: root ** 2 }],
      names: ['root', 'square'],
    });
  }
  expect(describe, reason).toHaveBeenCalledOnce();
  await expect(ask(100_000)).rejects.toMatchObject({ code: '22003' });
  const { rows } = await client.query("SELECT 'others' AS described");
  expect(rows, reason).toEqual([{ described: 'others' }]);
  expect((await ask(5)).rows, reason).toEqual([{ root: 5, square: 25 }]);
});

test.each([
  [['plain', 'two words', 'a,b', '{c}', 'NULL', '', 'ä\u{1f600}']],
  [['a "quote"', 'a \\ backslash', 'two\nlines', 'a\ttab', '\u0001']],
  [['a', null]],
  [[]],
])('an array of texts arrives as it is: %j', async (texts) => {
  const { rows } = await queryNamed(client, { text: 'SELECT $1::text[] AS texts', values: [texts] });
  expect(rows).toEqual([{ texts }]);
});

test('an array of numbers arrives as it is', async () => {
  const numbers = [0, -1.5, 1e21, 5e-324, Number.NaN, Number.POSITIVE_INFINITY];
  for (const values of [numbers, numbers.slice(0, 4)]) {
    const { rows } = await queryNamed(client, { text: 'SELECT $1::float8[] AS numbers', values: [values] });
    expect(rows).toEqual([{ numbers: values }]);
  }
});

const SETTINGS = { name: '', text: "SELECT set_config('work_mem', '123kB', true)" };
const ASK = "SELECT current_setting('work_mem') AS memory, $1::integer AS number";

test.each([
  ['whose settings are not prepared', SETTINGS, { text: ASK, values: [7] }],
  ['that is prepared itself', SETTINGS, { name: 'asked', text: ASK, values: [7] }],
  ['whose settings are prepared', { ...SETTINGS, name: 'settings' }, { text: ASK, values: [7] }],
])('a statement %s runs with them, and leaves none behind', async (_, settings, statement) => {
  if (settings.name !== '') await client.query(settings);
  const reason = 'pg no longer sends the messages of `Query.prepare`, or handles results by other methods';
  for (let i = 0; i < 2; i++) {
    const { rows, rowCount } = await queryAfter(client, settings, statement);
    expect({ rows, rowCount }, reason).toEqual({ rows: [{ memory: '123kB', number: 7 }], rowCount: 1 });
  }
  const { rows } = await client.query(ASK, [7]);
  expect(rows[0].memory).not.toBe('123kB');
});

test('the error of a statement with settings is its own, and the connection goes on', async () => {
  await expect(
    queryAfter(client, SETTINGS, { text: 'SELECT 1 / $1::integer', values: [0] }),
  ).rejects.toMatchObject({
    code: '22012',
  });
  await expect(queryAfter(client, SETTINGS, { text: ASK, values: [7] })).resolves.toMatchObject({
    rowCount: 1,
  });
});

test('a statement that cannot be prepared after a BEGIN is prepared the next time', async () => {
  const statement = { name: 'read_later', text: 'SELECT number FROM made_later' };
  const begin = { name: '', text: 'BEGIN' };
  await expect(queryAfter(client, begin, statement)).rejects.toMatchObject({ code: '42P01' });
  await client.query('ROLLBACK');
  await client.query('CREATE TEMPORARY TABLE made_later (number integer)');
  const reason = 'pg takes another way to remember in `connection.parsedStatements` what it has prepared';
  for (let i = 0; i < 2; i++) {
    await expect(queryAfter(client, begin, statement), reason).resolves.toMatchObject({ rows: [] });
    await client.query('COMMIT');
  }
});

test('a statement and a last one are one transaction: each has its rows, and both fail together', async () => {
  const last = { name: 'add', text: 'INSERT INTO added VALUES ($1::integer) RETURNING number', values: [0] };
  await client.query('CREATE TEMPORARY TABLE added (number integer CHECK (number < 9))');
  expect(hasPrepared(client, last)).toBe(false);
  await client.query(last);
  const reason = 'pg no longer ends its messages by `Query._getRows`, or keeps `connection.parsedStatements`';
  expect(hasPrepared(client, last), reason).toBe(true);
  const send = (by: number, number: number) =>
    sendWithLast(
      client,
      { text: 'SELECT 6 / $1::integer AS is', values: [by] },
      { ...last, values: [number] },
    );
  expect(await send(2, 7), reason).toMatchObject([{ rows: [{ is: 3 }] }, { rows: [{ number: 7 }] }]);
  await expect(send(0, 8)).rejects.toMatchObject({ code: '22012' });
  await expect(send(2, 9)).rejects.toMatchObject({ code: '23514' });
  const { rows } = await client.query('SELECT number FROM added ORDER BY number');
  expect(rows).toEqual([{ number: 0 }, { number: 7 }]);
});
