/**
 * The settings of PostgreSQL that our statements count on. A role, a database, a server or the address of the database
 * may have others, for the sake of other programs: each session sets its own.
 *
 * Not among them:
 * - `default_transaction_read_only`: hosts turn it on when a disk is full. The service then refuses to start.
 * - `synchronous_commit`: what a crash may cost is the operator's decision. `doctor` names it where it is off.
 * - `default_tablespace`, `work_mem` and the costs of plans: they say what the machine has.
 * - what only a superuser may set, such as `lc_messages`: nothing here reads the text of an error.
 */

/** PostgreSQL's name of a setting → its value. */
export type Settings = Readonly<Record<string, string>>;

/** How values are read and written, and what a transaction sees: without these, answers would be wrong. */
export const FIXED_SETTINGS: Settings = {
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  standard_conforming_strings: 'on',
  backslash_quote: 'safe_encoding',
  array_nulls: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  default_text_search_config: 'pg_catalog.simple',
  row_security: 'on',
  // An index of all lexemes would return a random part of its rows.
  gin_fuzzy_search_limit: '0',
  default_table_access_method: 'heap',
  // An error would end the session instead of the statement.
  exit_on_error: 'off',
  client_min_messages: 'warning',
};

/** No time-outs but ours. */
const TIMEOUTS: Settings = {
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
};

/** The plans that PostgreSQL chooses from. */
const PLANS: Settings = {
  ...Object.fromEntries(
    [
      ...['bitmapscan', 'hashagg', 'hashjoin', 'incremental_sort', 'indexonlyscan', 'indexscan', 'material'],
      ...['memoize', 'mergejoin', 'nestloop', 'seqscan', 'sort', 'tidscan'],
    ].map((way) => [`enable_${way}`, 'on']),
  ),
  from_collapse_limit: '8',
  join_collapse_limit: '8',
  geqo: 'on',
  geqo_threshold: '12',
  jit: 'off',
};

/** Settings that only the options of the database's address may change. */
export const USUAL_SETTINGS: Settings = { ...TIMEOUTS, ...PLANS };

/** Settings that older versions lack: the first `server_version_num` that has them. */
export const SINCE: Readonly<Record<string, number>> = { transaction_timeout: 170_000 };
