/** Where the tables of a statement are: on one server, or distributed over several by Citus. */
import { type RawBuilder, sql } from 'kysely';

export type Layout = { isDistributed: boolean };

/** The functions that build a statement for tables on one server, and for distributed ones. */
export const inEachLayout = <Values, Row>(build: (values: Values, layout: Layout) => RawBuilder<Row>) =>
  [false, true].map((isDistributed) => (values: Values) => build(values, { isDistributed })) as [
    (values: Values) => RawBuilder<Row>,
    (values: Values) => RawBuilder<Row>,
  ];

/**
 * SQL in a sub-select that PostgreSQL is not to merge with the statement around it: a last column, or the end. Citus
 * sends no sub-select with OFFSET to several servers, but one that has a window in each knowledge base. PostgreSQL does
 * not compute the column, because nothing reads it.
 */
export const fence = {
  column: ({ isDistributed }: Layout) =>
    isDistributed ? sql`, row_number() OVER (PARTITION BY knowledge_base_id) AS fence` : sql``,
  end: ({ isDistributed }: Layout) => (isDistributed ? sql`` : sql` OFFSET 0`),
};
