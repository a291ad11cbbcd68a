/** The time that a request waits because its client has asked for that: it says nothing of how fast the service is. */

export type RequestedWait = {
  /** Begins a wait. Returns the function that ends it; a stream's wait ends with its request. */
  begin(): () => void;
  /** All waits so far, one that goes on included, in milliseconds. A request has one wait at a time. */
  takenMs(): number;
};

export function createRequestedWait(): RequestedWait {
  let endedMs = 0;
  let begunAtMs: number | undefined;
  const takenMs = () => endedMs + (begunAtMs === undefined ? 0 : performance.now() - begunAtMs);
  return {
    begin() {
      begunAtMs = performance.now();
      return () => {
        endedMs = takenMs();
        begunAtMs = undefined;
      };
    },
    takenMs,
  };
}
