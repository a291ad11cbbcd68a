/** The transactions of the spec: every operation with every status that it documents. */
import type { OperationId } from '../harness/contract-check.ts';
import { responses } from '../harness/read-spec.ts';
import { OPERATORS_STATUSES, type Target } from './target.ts';

/** `status` as the spec has it: a number, or `default`. */
export type Transaction = { operationId: OperationId; status: string };

/** All of them, in the spec's order. */
export const TRANSACTIONS: Transaction[] = responses.map(({ operation, status }) => ({
  operationId: operation.operationId as OperationId, // spec.test.ts holds the names against the client
  status,
}));

/**
 * The status that stands for `default`: the one that it documents and any request can provoke, by another method.
 * That it stands for crashes too is shown by src/http/error-boundary.test.ts.
 */
const STATUS_OF_DEFAULT = '405';

/** The status that a transaction's answer has to have. */
export const expectedStatus = ({ status }: Transaction): string =>
  status === 'default' ? STATUS_OF_DEFAULT : status;

/** A transaction in words, as `query 404`. */
export const nameOf = ({ operationId, status }: Transaction): string => `${operationId} ${status}`;

/** Whether anybody can provoke it there. */
export const isProvokable = ({ operator }: Target, { status }: Transaction): boolean =>
  operator !== undefined || !OPERATORS_STATUSES.includes(status);
