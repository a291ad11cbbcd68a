/** The operations of the spec by their names: method, path and kind of body. */
import type * as sdk from '../../../generated/sdk.gen.ts';
import { bodyKindOf, operations } from './read-spec.ts';

/** The name of an operation, as the spec and the generated client have it. */
export type OperationId = keyof typeof sdk;

/** Method, path and kind of body of every operation. spec.test.ts compares the names with the client's. */
export const ROUTES = Object.fromEntries(
  operations.map(({ operationId, method, path, ...operation }) => [
    operationId,
    { method: method.toUpperCase(), path, body: bodyKindOf(operation) },
  ]),
) as Record<OperationId, { method: 'GET' | 'POST'; path: string; body: ReturnType<typeof bodyKindOf> }>;

export const OPERATION_IDS = Object.keys(ROUTES) as OperationId[]; // its keys, by the line above
