/**
 * What the service uses of pg's connections beyond its documentation, as of pg 8.23: see docs/private-insides.md.
 * pg-query-insides.ts has the statements.
 *
 * - `processID` and `secretKey` of a client tell a pooler from PostgreSQL, and cancel a statement. Instead:
 *   `pg_backend_pid()` and `pg_cancel_backend`, which needs another connection and is of no use behind a pooler.
 * - `connection.stream` tells whether bytes arrive, and closes a connection without a goodbye. Instead: a socket of our
 *   own, by the setting `stream`.
 * - A subclass of `Client` gets each connection of a pool another address. Instead: a pool for each host.
 * - The messages of a login, which `connection` emits, tell whether it was bound to the TLS channel. Instead: nothing,
 *   since the driver's `enableChannelBinding` also takes a login that is not.
 * - `pipeline`, an option of a whole connection, is set for some of its statements. Instead: each of them waits for the
 *   one before, or connections outside of the pool.
 */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';

type Insides = {
  connection: EventEmitter & { stream: Socket };
  processID: number;
  secretKey: number;
  pipeline: boolean;
};
const insidesOf = (client: pg.ClientBase): Insides => client as unknown as Insides; // the driver's types omit them

/** The id of the server process, as PostgreSQL told it to the driver on connecting. A pooler has ids of its own. */
export const processIdOf = (client: pg.ClientBase): number => insidesOf(client).processID;

/** The socket of a connection. */
export const socketOf = (client: pg.ClientBase): Socket => insidesOf(client).connection.stream;

/**
 * Sends the statements of `send` by one write, before the first has its answer. The connection must be idle. Each
 * statement is a transaction of its own: the error of one leaves the others alone.
 */
export async function sendTogether<T>(
  client: pg.ClientBase,
  send: () => Promise<T>[],
): Promise<PromiseSettledResult<T>[]> {
  const insides = insidesOf(client);
  const { stream } = insides.connection;
  insides.pipeline = true;
  stream.cork();
  try {
    const answers = Promise.allSettled(send());
    stream.uncork();
    return await answers;
  } finally {
    insides.pipeline = false;
  }
}

/** CancelRequest of PostgreSQL's protocol (manual, 54.7): its length, its code, and the connection's two numbers. */
const CANCEL_REQUEST = { bytes: 16, code: 80_877_102 };

/** The message that asks PostgreSQL to cancel the statement that runs on the connection of `client`. */
export function cancelRequestOf(client: pg.ClientBase): Buffer {
  const { processID, secretKey } = insidesOf(client);
  const request = Buffer.alloc(CANCEL_REQUEST.bytes);
  [CANCEL_REQUEST.bytes, CANCEL_REQUEST.code, processID, secretKey].forEach((value, i) => {
    request.writeInt32BE(value, 4 * i);
  });
  return request;
}

/** Logins that prove nothing about the TLS channel. */
const UNBOUND_LOGINS = ['authenticationCleartextPassword', 'authenticationMD5Password'];

/** Ends a connection whose login is not bound to its TLS channel, as libpq does with `channel_binding=require`. */
function requireBoundLogin(client: pg.ClientBase): void {
  const { connection } = insidesOf(client);
  const refuse = () => void connection.stream.destroy(new Error('the login has no channel binding'));
  let isOffered = false;
  let isProven = false;
  for (const login of UNBOUND_LOGINS) connection.on(login, refuse);
  connection.on('authenticationSASL', ({ mechanisms }: { mechanisms: string[] }) => {
    isOffered = mechanisms.includes('SCRAM-SHA-256-PLUS');
    if (!isOffered) refuse();
  });
  // The driver itself verifies the server's signature in this message.
  connection.on('authenticationSASLFinal', () => {
    isProven = isOffered;
  });
  connection.on('authenticationOk', () => {
    if (!isProven) refuse();
  });
}

/** A `Client` that accepts only logins that are bound to the TLS channel. */
export class BoundClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, enableChannelBinding: true });
    requireBoundLogin(this);
  }
}

/**
 * A class for a pool's `Client` that connects by the address of the moment. `onCreate` hears which one a client has.
 */
export const clientClass = (
  Base: typeof pg.Client,
  addressNow: () => string,
  onCreate: (client: pg.ClientBase, address: string) => void,
): (new () => pg.ClientBase) =>
  class extends Base {
    constructor(config?: pg.ClientConfig) {
      const connectionString = addressNow();
      super({ ...config, connectionString });
      onCreate(this, connectionString);
    }
  };
