/**
 * What the service uses of pg's statements beyond its documentation, as of pg 8.23: see docs/private-insides.md.
 *
 * - `Query`, its `prepare`, `handleDataRow` and `handleCommandComplete`, and its option `queryMode` send two statements
 *   in one round trip: settings and a statement, or BEGIN and the first statement of its transaction. Instead: one
 *   statement after the other, and BEGIN and COMMIT around settings, for one or two more round trips.
 * - `Query.handleRowDescription`, `_result`, `_accumulateRows` and `connection.describe` keep the columns of a prepared
 *   statement. Instead: PostgreSQL describes them at each execution, and the driver reads them again.
 * - `Query._getRows` and `connection.parsedStatements` send a change after a statement, in its transaction and round
 *   trip. Instead: a round trip for each, on two connections.
 */
import pg from 'pg';
import { arrayText, valueText } from '../values/value-text.ts';

/**
 * The messages of the protocol (PostgreSQL manual, 55.2.3) that a statement consists of. The driver's types omit them.
 */
type ProtocolConnection = {
  parsedStatements: Record<string, string>;
  parse(statement: { name: string; text: string }): void;
  bind(bound: { statement: string; values: unknown[] }): void;
  describe(portal: { type: 'P'; name: '' }): void;
  execute(portal: object): void;
  sync(): void;
};
/** The columns of a statement's rows, as a result of the driver has them, and what it makes of each row by them. */
type Columns = { fields: unknown; _parsers: unknown; _prebuiltEmptyResultObject: unknown };
type ProtocolQuery = pg.Submittable & {
  name?: string;
  _result: Columns;
  _accumulateRows: boolean;
  prepare(connection: ProtocolConnection): void;
  handleRowDescription(message: unknown): void;
  _getRows(connection: ProtocolConnection): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: ProtocolConnection): void;
};
type Callback<Result> = (error: Error | null | undefined, result: Result) => void;
const ProtocolQuery = pg.Query as unknown as new (
  text: string,
  values: unknown[] | undefined,
  callback: Callback<pg.QueryResult> | Callback<pg.QueryResult[]>,
) => ProtocolQuery;

type Statement = { name?: string | undefined; text: string; values?: unknown[] };

/** The columns of the statements that each connection has prepared, by name. */
const columnsByConnection = new WeakMap<ProtocolConnection, Map<string, Columns>>();

function columnsOn(connection: ProtocolConnection): Map<string, Columns> {
  const known = columnsByConnection.get(connection) ?? new Map<string, Columns>();
  columnsByConnection.set(connection, known);
  return known;
}

const isPlain = (value: unknown): boolean => typeof value === 'string' || Number.isFinite(value);

/** A value; an array of texts and numbers as its text, which the driver takes several times as long to make. */
const withArrayAsText = (value: unknown): unknown =>
  Array.isArray(value) && value.every(isPlain) ? arrayText(value) : value;

/**
 * A statement, under its name if it has one. The driver takes text and values as they are. PostgreSQL describes the
 * columns of a prepared statement once to a connection: they stay, or it refuses the statement.
 */
class NamedQuery<Result extends pg.QueryResult | pg.QueryResult[]> extends ProtocolQuery {
  readonly queryMode = 'extended';
  /** Where to keep the columns when they are described. */
  #undescribed: Map<string, Columns> | undefined;

  constructor({ name, text, values }: Statement, callback: Callback<Result>) {
    super(text, values?.map(withArrayAsText), callback as Callback<pg.QueryResult>); // a result for each statement
    if (name !== undefined) this.name = name;
  }

  override prepare(connection: ProtocolConnection): void {
    const known = this.name ? columnsOn(connection) : undefined;
    const columns = known?.get(this.name ?? '');
    const { describe } = connection;
    if (columns === undefined) this.#undescribed = known;
    else {
      Object.assign(this._result, columns);
      this._accumulateRows = true;
      // Leaves out this description alone: a last statement that is sent with it has one too.
      connection.describe = () => {
        connection.describe = describe;
      };
    }
    super.prepare(connection);
    connection.describe = describe;
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message);
    if (this.#undescribed === undefined || !this.name) return;
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    this.#undescribed.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
    this.#undescribed = undefined;
  }
}

/** Sends a statement under its name. */
export async function queryNamed(client: pg.ClientBase, statement: Statement): Promise<pg.QueryResult> {
  const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
  client.query(
    new NamedQuery<pg.QueryResult>(statement, (error, result) => (error ? reject(error) : resolve(result))),
  );
  try {
    return await promise;
  } catch (error) {
    // The driver does so too: else the stack would end in the socket that the message came from.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

/** A statement without values. Named if the connection has prepared it. */
type PlainStatement = { name: string; text: string };

/**
 * A statement that is sent together with a first one, without a further round trip: in one transaction, which may be
 * the first one's. If the first fails, PostgreSQL skips the second.
 */
class QueryAfter extends NamedQuery<pg.QueryResult> {
  readonly #first: PlainStatement;
  #isFirstDone = false;
  /** The name of the statement, where it is not prepared yet and the first one is parsed before it. */
  #unparsed: string | undefined;

  constructor(first: PlainStatement, statement: Statement, callback: Callback<pg.QueryResult>) {
    super(statement, callback);
    this.#first = first;
  }

  override prepare(connection: ProtocolConnection): void {
    const { name, text } = this.#first;
    if (name === '') {
      connection.parse({ name, text });
      if (this.name && connection.parsedStatements[this.name] === undefined) this.#unparsed = this.name;
    }
    connection.bind({ statement: name, values: [] });
    connection.execute({});
    super.prepare(connection);
  }

  override handleDataRow(message: unknown): void {
    if (this.#isFirstDone) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: ProtocolConnection): void {
    if (this.#isFirstDone) super.handleCommandComplete(message, connection);
    // The driver takes the first ParseComplete for the statement's, whose own Parse may fail yet.
    else if (this.#unparsed !== undefined) delete connection.parsedStatements[this.#unparsed];
    this.#isFirstDone = true;
  }
}

/** Sends a statement together with a first one (see `QueryAfter`). @returns the result of the statement */
export const queryAfter = (
  client: pg.ClientBase,
  first: PlainStatement,
  statement: Statement,
): Promise<pg.QueryResult> =>
  new Promise((resolve, reject) => {
    client.query(
      new QueryAfter(first, statement, (error, result) => (error ? reject(error) : resolve(result))),
    );
  });

/** A statement of this name that the connection has prepared. */
type PreparedStatement = { name: string; text: string; values: unknown[] };

export function hasPrepared(client: pg.ClientBase, { name, text }: PreparedStatement): boolean {
  const { connection } = client as unknown as { connection: ProtocolConnection }; // the driver's types omit it
  return connection.parsedStatements[name] === text;
}

/** A statement with a last one after it: in one transaction, and without a further round trip. */
class QueryWithLast extends NamedQuery<pg.QueryResult[]> {
  readonly #last: PreparedStatement;

  constructor(statement: Statement, last: PreparedStatement, callback: Callback<pg.QueryResult[]>) {
    super(statement, callback);
    this.#last = last;
  }

  // Without the Sync of the driver's own method, which would end the transaction before the last statement.
  override _getRows(connection: ProtocolConnection): void {
    const { name, values } = this.#last;
    connection.execute({});
    connection.bind({ statement: name, values: values.map(valueText) });
    connection.describe({ type: 'P', name: '' });
    connection.execute({});
    connection.sync();
  }
}

/** Sends both statements by one write, in a transaction of their own. Returns the result of each. */
export const sendWithLast = (
  client: pg.ClientBase,
  statement: Statement,
  last: PreparedStatement,
): Promise<[pg.QueryResult, pg.QueryResult]> =>
  new Promise((resolve, reject) => {
    client.query(
      new QueryWithLast(statement, last, (error, [first, second] = []) =>
        first && second ? resolve([first, second]) : reject(error),
      ),
    );
  });
