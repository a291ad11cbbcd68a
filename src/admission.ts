/**
 * Lets so many requests work at once, some more wait for their turn, and refuses what cannot be answered soon: under a
 * load of many times what it can do, a service goes on to do that much, and nobody hears late what he could hear at once.
 */

/** Who would wait longer has better odds elsewhere or later: Retry-After says a second as well. */
const WAIT_MAX_MS = 1_000;
/** How long it takes to see how many a second a queue can serve, and how long that holds without one. */
const SAMPLE_MS = 200;
const SAMPLE_KEPT_MS = 10_000;
/** So many may wait in any case: a burst is served, however slowly the queue moves, as behind a start. */
const PATIENT = 32;
/** A request that waits holds a connection and what has come of its body, 64 KiB at the most. */
const WAITING_MAX = 1_000;

/** A request's place among those that work. */
export type Place = {
  /** Runs what takes time but no work of ours: a slow client's body, the end of an import. Others work meanwhile. */
  outside<T>(act: () => Promise<T>): Promise<T>;
  leave(): void;
};

export type Admission = {
  /** Whether too many wait already. */
  isFull(): boolean;
  /** Resolves when it is the request's turn; undefined: too many wait already. */
  enter(): Promise<Place> | undefined;
};

type Waiting = { sinceMs: number; begin(): void };

/** How fast a queue moves, by its last sample; as fast as can be while nothing is known. */
function createPace() {
  let [sinceMs, steps, perMs, lastMs] = [0, 0, Number.POSITIVE_INFINITY, 0];
  return {
    perMs: () => perMs,
    /** Somebody joins. After a while without a queue nothing is known. */
    begin(): void {
      const nowMs = performance.now();
      if (nowMs - lastMs > SAMPLE_KEPT_MS) perMs = Number.POSITIVE_INFINITY;
      if (nowMs - lastMs > SAMPLE_MS) [sinceMs, steps] = [nowMs, 0];
      lastMs = nowMs;
    },
    /** Somebody has a turn. */
    step(): void {
      steps++;
      lastMs = performance.now();
      if (lastMs - sinceMs < SAMPLE_MS) return;
      [sinceMs, steps, perMs] = [lastMs, 0, steps / (lastMs - sinceMs)];
    },
  };
}

/** So many `places`; who waits gets them in the order of coming, those first who come back to theirs. */
export function createAdmission(places: number): Admission {
  const waiting: Waiting[] = [];
  const returning: Waiting[] = [];
  let free = places;
  const pace = createPace();

  const isFull = (): boolean => {
    const [first] = waiting;
    if (first === undefined || waiting.length < PATIENT) return false;
    if (waiting.length >= Math.min(WAITING_MAX, pace.perMs() * WAIT_MAX_MS)) return true;
    return performance.now() - first.sinceMs > WAIT_MAX_MS;
  };
  const take = async (queue: Waiting[]): Promise<void> => {
    if (free > 0) return void free--;
    pace.begin();
    await new Promise<void>((begin) => queue.push({ sinceMs: performance.now(), begin }));
  };
  const leave = (): void => {
    const next = returning.shift() ?? waiting.shift();
    if (next === undefined) return void free++;
    pace.step();
    next.begin();
  };
  const place: Place = {
    leave,
    async outside(act) {
      leave();
      try {
        return await act();
      } finally {
        await take(returning);
      }
    },
  };
  return { isFull, enter: () => (isFull() ? undefined : take(waiting).then(() => place)) };
}
