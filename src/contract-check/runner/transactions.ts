/** The transactions of the spec: every operation with every status that it documents. */
import { OPERATOR_STATUSES, type Target } from '../planning/target.ts';
import { responses } from '../spec/read-spec.ts';
import type { OperationId } from '../spec/routes.ts';

/** `status` as the spec has it: a number, or `default`. */
export type Transaction = { operationId: OperationId; status: string };

/** All transactions, in the spec's order. */
export const TRANSACTIONS: Transaction[] = responses.map(({ operation, status }) => ({
  operationId: operation.operationId as OperationId, // spec.test.ts compares the names with the client's
  status,
}));

/**
 * The only status of `default` that a request can cause: it uses another method. `default` also documents crashes,
 * which src/http/error-boundary.test.ts tests.
 */
const STATUS_OF_DEFAULT = '405';

/** The expected status of a transaction's answer. */
export const expectedStatus = ({ status }: Transaction): string =>
  status === 'default' ? STATUS_OF_DEFAULT : status;

/** The name of a transaction: `query 404`. */
export const nameOf = ({ operationId, status }: Transaction): string => `${operationId} ${status}`;

/** Whether the transaction can run at the target. */
export const isRunnable = ({ operator }: Target, { status }: Transaction): boolean =>
  operator !== undefined || !OPERATOR_STATUSES.includes(status);
