/** Where the tables of a statement are: on one server, or distributed over several by Citus. */
import { type RawBuilder, sql } from 'kysely';
import type { DistributedStatement } from '../../database/connection/prepared.ts';

export type Distribution = { isDistributed: boolean };

export const ON_ONE_SERVER: Distribution = { isDistributed: false };

/**
 * The last arguments of `prepare` for a statement that `build` makes for each distribution. `ids`: see
 * `DistributedStatement`.
 */
export const inEachDistribution = <Value extends string, Row>(
  build: (values: Record<Value, RawBuilder<unknown>>, distribution: Distribution) => RawBuilder<Row>,
  ids: NoInfer<Value>,
): [(values: Record<Value, RawBuilder<unknown>>) => RawBuilder<Row>, DistributedStatement<Value, Row>] => [
  (values) => build(values, ON_ONE_SERVER),
  { build: (values) => build(values, { isDistributed: true }), ids },
];

/**
 * SQL in a sub-select that PostgreSQL is not to merge with the statement around it: a last column, or the end. Citus
 * sends no sub-select with OFFSET to several servers, but one that has a window in each knowledge base. PostgreSQL does
 * not compute the column, because nothing reads it.
 */
export const fence = {
  column: ({ isDistributed }: Distribution) =>
    isDistributed ? sql`, row_number() OVER (PARTITION BY knowledge_base_id) AS fence` : sql``,
  end: ({ isDistributed }: Distribution) => (isDistributed ? sql`` : sql` OFFSET 0`),
};
