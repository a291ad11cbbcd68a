/** Where reads run: on the replica, or on the primary. Reports only what lasts: a busy replica is late for moments. */

/** How long reads have run on the primary, or on the replica again, before that is reported. */
export const LASTING_MS = 3_000;

/**
 * - `used`: reads run on the replica. In the other states they run on the primary.
 * - `behind`: the replica is late.
 * - `failed`: it cannot be read. `reason` completes a sentence about it.
 */
export type ReplicaUse = { state: 'used' } | { state: 'behind' } | { state: 'failed'; reason: string };

/** Within one absence of the replica, only a higher rank is news. */
const RANK = { used: 0, behind: 1, failed: 2 };

/** Creates the switch, which begins with `used`. It calls `onChange` once for each state that lasts. */
export function createSwitch(onChange: (use: ReplicaUse) => void) {
  let use: ReplicaUse = { state: 'used' };
  let reported: ReplicaUse = use;
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    timer = undefined;
    const isNews = use.state === 'used' ? reported.state !== 'used' : RANK[use.state] > RANK[reported.state];
    if (!isNews) return;
    reported = use;
    onChange(use);
  };
  return {
    isOn: () => use.state === 'used',
    set(next: ReplicaUse): void {
      if ((next.state === 'used') !== (use.state === 'used')) {
        clearTimeout(timer);
        timer = undefined;
      }
      use = next;
      timer ??= setTimeout(report, LASTING_MS).unref();
    },
    /** Nothing is reported any more. */
    close: () => clearTimeout(timer),
  };
}
