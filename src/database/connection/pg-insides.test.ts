/** pg's connections have the parts that the service uses beyond its documentation. */
import { connect, Socket } from 'node:net';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { cancelRequestOf, clientClass, processIdOf, sendTogether, socketOf } from './pg-insides.ts';

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
