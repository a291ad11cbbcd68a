/** pg's connections have the parts that the service uses beyond its documentation. */
import { connect, Socket } from 'node:net';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import {
  cancelRequestOf,
  clientClass,
  hasPrepared,
  processIdOf,
  queryAfter,
  queryNamed,
  sendTogether,
  sendWithLast,
  socketOf,
} from './pg-insides.ts';

let client: pg.Client;

beforeEach(async () => {
  client = new pg.Client(inject('connection'));
  client.on('error', () => {});
  await client.connect();
});
afterEach(() => client.end());

test('the id of a connection’s server process is known', async () => {
  const { rows } = await client.query('SELECT pg_backend_pid() AS id');
  expect(processIdOf(client), 'pg no longer keeps the id of the server process as `client.processID`').toBe(
    rows[0].id,
  );
});

test('a statement is cancelled by the key of its connection', async () => {
  const sleeping = client.query('SELECT pg_sleep(30)');
  const { host, port } = client;
  const address = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  // A request that arrives before the statement has begun has no effect, hence the repetition.
  const cancelling = setInterval(() => connect(address).resume().write(cancelRequestOf(client)), 200);
  await expect(
    sleeping,
    'pg no longer keeps the numbers for a CancelRequest as `client.processID` and `client.secretKey`',
  ).rejects.toMatchObject({ code: '57014' });
  clearInterval(cancelling);
});

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

test('a connection’s socket counts its bytes, and closes the connection at once', async () => {
  const socket = socketOf(client);
  expect(socket, 'pg no longer keeps its socket as `client.connection.stream`').toBeInstanceOf(Socket);
  const { bytesRead, bytesWritten } = socket;
  await client.query("SELECT repeat('a', 1000)");
  expect(socket.bytesRead - bytesRead).toBeGreaterThan(1000);
  expect(socket.bytesWritten - bytesWritten).toBeGreaterThan(20);
  const sleeping = client.query('SELECT pg_sleep(30)');
  socket.destroy();
  await expect(sleeping, 'pg no longer ends a statement whose socket is destroyed').rejects.toThrow(
    'Connection terminated',
  );
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

test('each connection of a pool gets the address of the moment', async () => {
  const opened: string[] = [];
  const Client = clientClass(
    pg.Client,
    () => `postgres://own@127.0.0.1:1/number${opened.length}`,
    (_, address) => void opened.push(address),
  );
  const pool = new pg.Pool({ Client });
  for (let i = 0; i < 2; i++) await expect(pool.connect()).rejects.toThrow('ECONNREFUSED');
  expect(opened, 'pg-pool no longer makes its connections by the class of its option `Client`').toEqual([
    'postgres://own@127.0.0.1:1/number0',
    'postgres://own@127.0.0.1:1/number1',
  ]);
  const named = new Client() as pg.Client;
  expect(named.database, 'pg no longer takes the address of `connectionString`').toBe('number2');
  await pool.end();
});

test('statements that are sent together take one write, and each has its own error', async () => {
  const socket = socketOf(client);
  let writes = 0;
  const { _writev: writeMany } = socket as unknown as { _writev: (...given: unknown[]) => void };
  Object.assign(socket, {
    _writev(...given: unknown[]) {
      writes++;
      writeMany.apply(socket, given);
    },
  });
  const results = await sendTogether(client, () =>
    [1, 0, 3].map((by) =>
      client.query({ name: 'divide', text: 'SELECT 6 / $1::integer AS is', values: [by] }),
    ),
  );
  const reason =
    'pg no longer sends statements before the answer to the first where `client.pipeline` is set';
  expect(results, reason).toMatchObject([
    { value: { rows: [{ is: 6 }] } },
    { reason: { code: '22012' } },
    { value: { rows: [{ is: 2 }] } },
  ]);
  expect(writes, reason).toBe(1);
  await expect(client.query('BEGIN; COMMIT')).resolves.toHaveLength(2);
});
