/**
 * Bounds the memory that the large bodies of requests take. What counts is what has arrived: who announces much and sends
 * little keeps nobody waiting. Where memory is short a body is read no further until there is some.
 */
import { createWaitingLine, type Patience } from './waiting-line.ts';

/** What has arrived of a body, and goes on to count until it is released. */
export type HeldBody = {
  /**
   * Counts bytes that have arrived, once there is memory for them.
   * @throws what ends a wait: see `WaitingLine`
   */
  hold(bytes: number): Promise<void>;
  release(): void;
};

export type BodyMemory = {
  /** A body of the owner's begins to arrive. */
  begin(owner: string, patience: Patience): HeldBody;
  /** Ends every wait by this error. */
  refuseAll(error: () => Error): void;
};

type Body = { owner: string; bytes: number };

/**
 * Half of the memory is for the eldest body of each owner alone: bodies that have arrived in part, and wait for one
 * another's memory, would wait for ever. All others share the other half; while several owners have bodies, those of one
 * take no more than half of that.
 */
export function createBodyMemory(totalBytes: number): BodyMemory {
  /** In the order in which they began. */
  const bodies = new Set<Body>();
  const line = createWaitingLine<{ body: Body; bytes: number }>();
  const half = totalBytes / 2;

  const isRoomFor = ({ body, bytes }: { body: Body; bytes: number }): boolean => {
    const eldest = new Map<string, Body>();
    let [usedBytes, youngerBytes, ownBytes] = [bytes, bytes, bytes];
    for (const each of bodies) {
      usedBytes += each.bytes;
      if (!eldest.has(each.owner)) eldest.set(each.owner, each);
      else {
        youngerBytes += each.bytes;
        if (each.owner === body.owner) ownBytes += each.bytes;
      }
    }
    if (eldest.get(body.owner) === body) return usedBytes <= totalBytes;
    return youngerBytes <= half && ownBytes <= (eldest.size > 1 ? half / 2 : half);
  };
  return {
    begin(owner, patience) {
      const body: Body = { owner, bytes: 0 };
      bodies.add(body);
      return {
        async hold(bytes) {
          if (!isRoomFor({ body, bytes })) await line.join({ body, bytes }, patience);
          else body.bytes += bytes;
        },
        release() {
          if (!bodies.delete(body)) return;
          line.serveWhere((wanted) => {
            const isServed = isRoomFor(wanted);
            if (isServed) wanted.body.bytes += wanted.bytes;
            return isServed;
          });
        },
      };
    },
    refuseAll: line.refuseAll,
  };
}
