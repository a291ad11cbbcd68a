/** Reads of the shards of all servers that requests about one knowledge base can do without: one may be away. */
import { ServiceError } from '../errors.ts';
import { withinBounds } from './bounded-statements.ts';
import { isServerOfShardsAway } from './distribution.ts';

/** A server that does not answer in this time hangs. The reads take milliseconds. */
const READ_TIME_MAX_MS = 2_000;
/** For this long after a server was away, nothing waits for it again. */
const LEFT_OUT_MS = 10_000;

/** The time until which this process leaves such reads out, as of `performance.now()`. */
let leftOutUntilMs = 0;

const unbounded = new AbortController();

/** Returns the result of `read`; undefined while a server is away or hangs. */
export async function unlessAway<T>(read: () => Promise<T>): Promise<T | undefined> {
  if (performance.now() < leftOutUntilMs) return undefined;
  try {
    return await withinBounds({ timeMaxMs: READ_TIME_MAX_MS, signal: () => unbounded.signal }, read);
  } catch (error) {
    const isTooSlow = error instanceof ServiceError;
    if (!isTooSlow && !isServerOfShardsAway(error)) throw error;
    leftOutUntilMs = performance.now() + LEFT_OUT_MS;
    return undefined;
  }
}
