/** What the contract is run against: an address and a key, and what only its operator can bring about. */

/**
 * Servers of the target's own database and data directory that are out of something. Where there are none, the
 * statuses of `OPERATORS_STATUSES` can not be provoked.
 */
export type Operator = {
  /**
   * A server that gives no knowledge base, one byte of storage, queries at a price above any balance, and upload
   * tickets that expire after a second. The account has to be empty for that one byte. Its database can be taken away.
   */
  spentAddress: string;
  /** A server that takes one request a minute of each key. */
  hurriedAddress: string;
  /** Takes the spent server's database away. */
  cutDatabase(): void;
  /** Gives it back. */
  joinDatabase(): void;
};

/** `address` without a trailing slash; nobody else may use the key's account during a run. */
export type Target = { address: string; apiKey: string; operator?: Operator | undefined };

/** The documented statuses that take an operator: no credits, no storage, an expired ticket, a rate, no database. */
export const OPERATORS_STATUSES = ['402', '403', '410', '429', '503'];
