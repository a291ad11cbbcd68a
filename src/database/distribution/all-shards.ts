/** Reads of the shards of all servers that requests about one knowledge base can do without: one may be unreachable. */
import { ServiceError } from '../../terms/errors.ts';
import { withStatementBound } from '../connection/bounded-statements.ts';
import { isServerOfShardsUnreachable } from './distribution.ts';

/** A server that does not answer a read in this time hangs. The reads take milliseconds. */
const READ_TIME_MAX_MS = 2_000;
/** For this long after a server was unreachable, nothing waits for it again. */
const LEFT_OUT_MS = 10_000;

/** Whether the last read of this process has met a server that was unreachable. */
let isAnyUnreachable = false;
/** The time until which this process leaves such reads out, as of `performance.now()`. */
let leftOutUntilMs = 0;

/** Returns the result of `read`; undefined while a server is unreachable or hangs. */
export async function unlessUnreachable<T>(read: () => Promise<T>): Promise<T | undefined> {
  if (performance.now() < leftOutUntilMs) return undefined;
  try {
    const result = await withStatementBound(READ_TIME_MAX_MS, read);
    isAnyUnreachable = false;
    return result;
  } catch (error) {
    const isTooSlow = error instanceof ServiceError;
    if (!isTooSlow && !isServerOfShardsUnreachable(error)) throw error;
    isAnyUnreachable = true;
    leftOutUntilMs = performance.now() + LEFT_OUT_MS;
    return undefined;
  }
}

/**
 * The same for a transaction that holds locks. It does not try again whether a server answers: if the server still
 * hangs, the coordinator keeps the locks even after the transaction has been given up.
 */
export const unlessKnownUnreachable = async <T>(read: () => Promise<T>): Promise<T | undefined> =>
  isAnyUnreachable ? undefined : await unlessUnreachable(read);
