/** Measures how long a request waits because its client wants it to. That time does not make the service slow. */

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
