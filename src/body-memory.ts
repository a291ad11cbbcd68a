/** Bounds the memory that the bodies of requests take: a request waits until there is some for its body. */
import { overloaded } from './errors.ts';
import { createWaitingLine, type Patience } from './waiting-line.ts';

/** As many requests as this may wait. */
const WAITING_MAX = 1_000;

/** Memory that is given out in the order of coming. */
export function createBodyMemory(totalBytes: number) {
  const line = createWaitingLine<number>();
  let usedBytes = 0;
  return {
    line,
    async take(bytes: number, patience: Patience): Promise<void> {
      if (line.length() >= WAITING_MAX) throw overloaded();
      if (line.length() > 0 || usedBytes + bytes > totalBytes) return await line.join(bytes, patience);
      usedBytes += bytes;
    },
    release(bytes: number): void {
      usedBytes -= bytes;
      for (let next = line.first(); next && usedBytes + next.wanted <= totalBytes; next = line.first()) {
        usedBytes += next.wanted;
        line.serveFirst();
      }
    },
  };
}
