/** The target of a run: an address and a key, and the servers that only an operator can start. */

/**
 * Servers with narrow limits on the target's database and data directory. Without them, the run leaves out
 * `OPERATOR_STATUSES`.
 */
export type Operator = {
  /**
   * A server that allows no knowledge base, no webhook and one byte of storage. A query costs more than any balance,
   * and upload tickets expire after a second. Only an empty account has room for that byte. Its database can be cut
   * off.
   */
  limitedAddress: string;
  /** A server that allows each key one request a minute. */
  rateLimitedAddress: string;
  /** A key of the same database that may only search and read, and carries a filter. */
  searchKey: string;
  /** Cuts the limited server off from its database. */
  cutDatabase(): void;
  /** Ends the cut. */
  restoreDatabase(): void;
};

/** `address`: without a trailing slash. No other program may use the key's account during a run. */
export type Target = { address: string; apiKey: string; operator?: Operator | undefined };

/**
 * Statuses that need an operator: no credits, no storage or a key that may only search, an expired ticket, too many
 * requests, no database.
 */
export const OPERATOR_STATUSES = ['402', '403', '410', '429', '503'];
