/**
 * The lanes in which requests wait for a place: imports wait for long, others are refused when the lane is slow. A lane
 * for each account would be one more line here, and a bound on the places that it may hold.
 */
import { createWaitingLine, type WaitingLine } from './waiting-line.ts';

/** A client that would wait longer for a search has better odds elsewhere or later: Retry-After says a second as well. */
const SOON_MS = 1_000;
/** How long it takes to see how many requests a second a lane can serve, and how long that holds without a queue. */
const SAMPLE_MS = 200;
const SAMPLE_KEPT_MS = 10_000;
/** This many may wait in any case: a burst is served, however slowly the lane moves, as after a start. */
const BURST = 32;
/** No request of a burst waits longer. */
const WAIT_MAX_MS = 5_000;
/** Below a minute, after which most clients and proxies give up. */
const IMPORT_WAIT_MAX_MS = 50_000;
/** A request that waits holds a connection and what has come of its body, 64 KiB at the most. */
const WAITING_MAX = 1_000;

/** Requests of one lane wait in one line; the lanes take turns. */
export type LaneName = 'imports' | 'others';

/** What brings a document in, from its ticket to the end of its import. */
const IMPORT_PATHS: ReadonlySet<string> = new Set([
  '/v1/presignUploadUrl',
  '/v1/importFile',
  '/v1/importTextContent',
  '/v1/getDocumentStatus',
]);

export const laneOf = (path: string): LaneName => (IMPORT_PATHS.has(path) ? 'imports' : 'others');

/** How fast a lane moves, by its last sample; infinitely fast while nothing is known. */
function createPace() {
  let [sinceMs, steps, perMs, lastMs] = [0, 0, Number.POSITIVE_INFINITY, 0];
  return {
    perMs: () => perMs,
    /** A request joins. After a while without a queue nothing is known. */
    begin(): void {
      const nowMs = performance.now();
      if (nowMs - lastMs > SAMPLE_KEPT_MS) perMs = Number.POSITIVE_INFINITY;
      if (nowMs - lastMs > SAMPLE_MS) [sinceMs, steps] = [nowMs, 0];
      lastMs = nowMs;
    },
    /** A request has its turn. */
    step(): void {
      steps++;
      lastMs = performance.now();
      if (lastMs - sinceMs < SAMPLE_MS) return;
      [sinceMs, steps, perMs] = [lastMs, 0, steps / (lastMs - sinceMs)];
    },
  };
}

/** `held`: how many places its requests have. Those that come back to their place stand before those that are new. */
export type Lane = {
  placesMax: number;
  held: number;
  waiting: WaitingLine<void>;
  returning: WaitingLine<void>;
  pace: ReturnType<typeof createPace>;
  waitMaxMs: number;
  isFull(): boolean;
};

/** `isPatient`: its requests wait, however slowly they are served. */
type LaneRules = { placesMax: number; isPatient: boolean };

export function createLane({ placesMax, isPatient }: LaneRules): Lane {
  const waiting = createWaitingLine<void>();
  const pace = createPace();
  const isSlow = (): boolean => {
    const first = waiting.first();
    if (first === undefined || waiting.length() < BURST) return false;
    return waiting.length() >= pace.perMs() * SOON_MS || performance.now() - first.sinceMs > SOON_MS;
  };
  const isFull = () => waiting.length() >= WAITING_MAX || (!isPatient && isSlow());
  const waitMaxMs = isPatient ? IMPORT_WAIT_MAX_MS : WAIT_MAX_MS;
  return { placesMax, held: 0, waiting, returning: createWaitingLine(), pace, waitMaxMs, isFull };
}
