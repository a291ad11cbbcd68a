/**
 * Keeps the thread that makes the parts of a document in step with whoever stores them: it waits where it is far ahead,
 * and ends where nobody takes any more, so that a document deleted meanwhile does not keep others from their turn.
 * Shared memory, because a message for each part would make small documents slower, and the thread has nothing else to
 * do than to wait.
 */

/** Parts that may lie ready: half a second's work, 2 MB. */
const PARTS_AHEAD = 6;

/** Instead of the number of parts taken: nobody takes any more. */
const ENDED = -1;

/** A pace of which nothing has been taken yet. */
export const createPace = (): SharedArrayBuffer => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

/** Notes that one more part was taken. */
export function takeOne(pace: SharedArrayBuffer): void {
  const taken = new Int32Array(pace);
  if (Atomics.load(taken, 0) === ENDED) return;
  Atomics.add(taken, 0, 1);
  Atomics.notify(taken, 0);
}

/** Lets whoever waits go, in vain. */
export function endPace(pace: SharedArrayBuffer): void {
  const taken = new Int32Array(pace);
  Atomics.store(taken, 0, ENDED);
  Atomics.notify(taken, 0);
}

/** Whether the part behind `made` others may be handed over, once that is known; false: nobody wants it. Blocks. */
export function mayGoOn(pace: SharedArrayBuffer, made: number): boolean {
  const taken = new Int32Array(pace);
  for (;;) {
    const count = Atomics.load(taken, 0);
    if (count === ENDED) return false;
    if (made - count < PARTS_AHEAD) return true;
    Atomics.wait(taken, 0, count);
  }
}
