/**
 * Foresees how long a large text waits for its turn, by the time that earlier ones have taken. A request that would
 * wait in vain is refused when that shows, and not after its longest wait: its client would have given up by then, and
 * sent it again.
 */
import { overloaded } from '../terms/errors.ts';

/**
 * Share of the last duration in the mean. A text of a million characters takes one to twenty seconds, by its script.
 */
const NEW_SHARE = 0.3;
/**
 * A waiting request is looked at again after this time, since the texts before it may take longer than those before.
 */
const LOOK_INTERVAL_MS = 4_000;

/** `ahead`: the requests of the account that wait already. `parallel`: how many texts of the account run at a time. */
type Place = { ahead: number; parallel: number; waitMaxMs: number };

export type ExpectedWait = {
  /** Counts a text from its start. Call the result when it has ended. */
  begin(accountId: string): () => void;
  /**
   * Looks at a wait now and then. `signal` aborts with SERVICE_UNAVAILABLE once the wait is going to be too long.
   * Call `end` when it is over.
   * @throws SERVICE_UNAVAILABLE where that is foreseeable now
   */
  watch(accountId: string, place: Place): { signal: AbortSignal; end(): void };
};

/** What is known of an account: the mean duration of its texts, and when those that run have begun. */
type Known = { meanMs: number; begunAtMs: Set<number>; ended: number };

/** Creates the expectation, which forgets an account without texts after the next text of another one. */
export function createExpectedWait(nowMs = () => performance.now()): ExpectedWait {
  const accounts = new Map<string, Known>();
  const knownOf = (accountId: string): Known => {
    const known = accounts.get(accountId) ?? { meanMs: 0, begunAtMs: new Set(), ended: 0 };
    accounts.set(accountId, known);
    return known;
  };
  /** The duration of a text: the mean, or the age of the oldest that runs, if it takes longer. */
  const durationMs = ({ meanMs, begunAtMs }: Known): number =>
    Math.max(meanMs, ...[...begunAtMs].map((at) => nowMs() - at));
  return {
    begin(accountId) {
      for (const [other, { begunAtMs }] of accounts)
        if (other !== accountId && begunAtMs.size === 0) accounts.delete(other);
      const known = knownOf(accountId);
      const atMs = nowMs();
      known.begunAtMs.add(atMs);
      return () => {
        known.begunAtMs.delete(atMs);
        known.ended++;
        const share = known.meanMs === 0 ? 1 : NEW_SHARE;
        known.meanMs += share * (nowMs() - atMs - known.meanMs);
      };
    },
    watch(accountId, { ahead, parallel, waitMaxMs }) {
      const known = knownOf(accountId);
      const endsAtMs = nowMs() + waitMaxMs;
      const endedBefore = known.ended;
      const controller = new AbortController();
      const look = () => {
        const left = ahead + known.begunAtMs.size - (known.ended - endedBefore);
        if (nowMs() + (left * durationMs(known)) / parallel > endsAtMs) controller.abort(overloaded());
      };
      look();
      controller.signal.throwIfAborted();
      const timer = setInterval(look, LOOK_INTERVAL_MS);
      return { signal: controller.signal, end: () => clearInterval(timer) };
    },
  };
}
