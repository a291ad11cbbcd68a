/**
 * Bounds the memory for large request bodies. Only arrived bytes count, so a client that announces a large body and
 * sends nothing blocks no other client. While memory is short, bodies are not read further.
 */

import { createWaitQueue, type WaitLimits } from '../../concurrency/wait-queue.ts';
import { overloaded } from '../../terms/errors.ts';

/** The most large bodies that may arrive at once, of all owners together. */
const BODIES_MAX = 1_000;

/** The arrived part of a body. It counts until it is released. */
export type HeldBody = {
  /**
   * Counts this many more arrived bytes. Resolves when there is memory for them.
   * @throws the error that ends a wait: see `WaitQueue`
   */
  hold(bytes: number): Promise<void>;
  release(): void;
};

export type BodyMemory = {
  /**
   * Begins to count a large body of the owner.
   * @throws SERVICE_UNAVAILABLE when the owner has too many of them
   */
  begin(owner: string, limits: WaitLimits): HeldBody;
  /** Ends every wait with this error. */
  rejectAll(error: () => Error): void;
};

type Body = { owner: Owner; bytes: number };

/** `bodies`: the eldest first. `youngerBytes`: the bytes of all bodies but the eldest. */
type Owner = { bodies: Set<Body>; youngerBytes: number };

const eldestOf = ({ bodies }: Owner): Body | undefined => bodies.values().next().value;

/** The bytes that bodies hold. `tryHold` returns false where there is no room now. */
function createUse(totalBytes: number) {
  const owners = new Map<string, Owner>();
  const half = totalBytes / 2;
  let [usedBytes, youngerBytes] = [0, 0];
  const countYounger = (owner: Owner, bytes: number) => {
    owner.youngerBytes += bytes;
    youngerBytes += bytes;
  };
  return {
    owners,
    tryHold({ body, bytes }: { body: Body; bytes: number }): boolean {
      const { owner } = body;
      const isEldest = eldestOf(owner) === body;
      const ownMax = owners.size > 1 ? half / 2 : half;
      const isRoom = isEldest
        ? usedBytes + bytes <= totalBytes
        : youngerBytes + bytes <= half && owner.youngerBytes + bytes <= ownMax;
      if (!isRoom) return false;
      body.bytes += bytes;
      usedBytes += bytes;
      if (!isEldest) countYounger(owner, bytes);
      return true;
    },
    /** Removes a body; the owner's next body becomes the eldest. @returns whether it was there */
    remove(name: string, body: Body): boolean {
      const { owner } = body;
      const isEldest = eldestOf(owner) === body;
      if (!owner.bodies.delete(body)) return false;
      usedBytes -= body.bytes;
      const uncounted = isEldest ? eldestOf(owner) : body;
      if (uncounted) countYounger(owner, -uncounted.bytes);
      if (owner.bodies.size === 0) owners.delete(name);
      return true;
    },
  };
}

/**
 * The younger bodies of all owners share one half of the memory. The other half is left to the eldest body of each
 * owner: otherwise half-arrived bodies could wait for one another's memory for ever (deadlock). While several owners
 * have bodies, the younger bodies of one owner take at most a quarter of the memory.
 */
export function createBodyMemory(totalBytes: number): BodyMemory {
  const { owners, tryHold, remove } = createUse(totalBytes);
  const queue = createWaitQueue<{ body: Body; bytes: number }>();
  return {
    begin(name, limits) {
      const owner = owners.get(name) ?? { bodies: new Set(), youngerBytes: 0 };
      owners.set(name, owner);
      if (owner.bodies.size >= BODIES_MAX / owners.size) throw overloaded();
      const body: Body = { owner, bytes: 0 };
      owner.bodies.add(body);
      return {
        async hold(bytes) {
          if (!tryHold({ body, bytes })) await queue.wait({ body, bytes }, limits);
        },
        release() {
          if (remove(name, body)) queue.serveWhere(tryHold);
        },
      };
    },
    rejectAll: queue.rejectAll,
  };
}
