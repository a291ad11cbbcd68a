/**
 * What the service uses of pg beyond its documentation, as of pg 8.23: see docs/private-insides.md.
 *
 * - `processID` and `secretKey` of a client tell a pooler from PostgreSQL, and cancel a statement. Instead:
 *   `pg_backend_pid()` and `pg_cancel_backend`, which needs another connection and is of no use behind a pooler.
 * - `connection.stream` tells whether bytes arrive, and closes a connection without a goodbye. Instead: a socket of our
 *   own, by the setting `stream`.
 * - `Query`, its `prepare`, `handleDataRow` and `handleCommandComplete`, and its option `queryMode` send two statements
 *   in one transaction and one round trip. Instead: BEGIN and COMMIT around each statement, for two more round trips.
 * - A subclass of `Client` gets each connection of a pool another address. Instead: a pool for each host.
 * - `pipeline`, an option of a whole connection, is set for some of its statements. Instead: each of them waits for the
 *   one before, or connections outside of the pool.
 */
import type { Socket } from 'node:net';
import pg from 'pg';

type Insides = {
  connection: { stream: Socket };
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

/**
 * The messages of the protocol (PostgreSQL manual, 55.2.3) that a statement consists of. The driver's types omit them.
 */
type ProtocolConnection = {
  parse(statement: { name: string; text: string }): void;
  bind(bound: { statement: string; values: unknown[] }): void;
  execute(portal: object): void;
};
type ProtocolQuery = pg.Submittable & {
  prepare(connection: ProtocolConnection): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: ProtocolConnection): void;
};
type Callback = (error: Error | null | undefined, result: pg.QueryResult) => void;
const ProtocolQuery = pg.Query as unknown as new (
  statement: pg.QueryConfig & { queryMode: 'extended' },
  values: undefined,
  callback: Callback,
) => ProtocolQuery;

/** The statement that applies the settings to the current transaction. Named if the connection has prepared it. */
type LocalSettings = { name: string; text: string };

/** A statement that is sent together with its settings: in one transaction, and without a further round trip. */
export class QueryWithSettings extends ProtocolQuery {
  readonly #settings: LocalSettings;
  #areSet = false;

  constructor(settings: LocalSettings, statement: pg.QueryConfig, callback: Callback) {
    super({ ...statement, queryMode: 'extended' }, undefined, callback);
    this.#settings = settings;
  }

  override prepare(connection: ProtocolConnection): void {
    const { name, text } = this.#settings;
    if (name === '') connection.parse({ name, text });
    connection.bind({ statement: name, values: [] });
    connection.execute({});
    super.prepare(connection);
  }

  // The results of the first statement are the settings' own values.
  override handleDataRow(message: unknown): void {
    if (this.#areSet) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: ProtocolConnection): void {
    if (this.#areSet) super.handleCommandComplete(message, connection);
    this.#areSet = true;
  }
}

/**
 * A class for a pool's `Client` that connects by the address of the moment. `onCreate` hears which one a client has.
 */
export const clientClass = (
  addressNow: () => string,
  onCreate: (client: pg.ClientBase, address: string) => void,
): (new () => pg.ClientBase) =>
  class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      const connectionString = addressNow();
      super({ ...config, connectionString });
      onCreate(this, connectionString);
    }
  };
