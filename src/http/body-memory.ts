/**
 * Bounds the memory that the large bodies of requests take. Only bytes that have arrived count: a client that announces
 * much and sends little keeps no other client waiting. While memory is short, a body is not read further.
 */

import { createWaitQueue, type WaitLimits } from '../concurrency/wait-queue.ts';
import { overloaded } from '../errors.ts';

/** Large bodies that may arrive at once, of all owners together. */
const BODIES_MAX = 1_000;

/** The part of a body that has arrived. It counts until it is released. */
export type HeldBody = {
  /**
   * Counts bytes that have arrived. Resolves when there is memory for them.
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

/** `bodies` in the order in which they began, the eldest first. `youngerBytes`: bytes of all bodies but the eldest. */
type Owner = { bodies: Set<Body>; youngerBytes: number };

const eldestOf = ({ bodies }: Owner): Body | undefined => bodies.values().next().value;

/**
 * Half of the memory is reserved for the eldest body of each owner: otherwise bodies that have arrived in part would
 * wait for one another's memory for ever. All other bodies share the other half. While several owners have bodies,
 * those of one owner take at most half of that.
 */
export function createBodyMemory(totalBytes: number): BodyMemory {
  const owners = new Map<string, Owner>();
  const queue = createWaitQueue<{ body: Body; bytes: number }>();
  const half = totalBytes / 2;
  let [usedBytes, youngerBytes] = [0, 0];

  const countYounger = (owner: Owner, bytes: number) => {
    owner.youngerBytes += bytes;
    youngerBytes += bytes;
  };
  const tryHold = ({ body, bytes }: { body: Body; bytes: number }): boolean => {
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
  };
  /** Removes a body; the owner's next body becomes the eldest. */
  const remove = (name: string, body: Body) => {
    const { owner } = body;
    const isEldest = eldestOf(owner) === body;
    if (!owner.bodies.delete(body)) return;
    usedBytes -= body.bytes;
    const uncounted = isEldest ? eldestOf(owner) : body;
    if (uncounted) countYounger(owner, -uncounted.bytes);
    if (owner.bodies.size === 0) owners.delete(name);
    queue.serveWhere(tryHold);
  };

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
        release: () => remove(name, body),
      };
    },
    rejectAll: queue.rejectAll,
  };
}
