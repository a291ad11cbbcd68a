/**
 * Bounds the memory that the large bodies of requests take. What counts is what has arrived: who announces much and sends
 * little keeps nobody waiting. Where memory is short a body is read no further until there is some.
 */

import { createWaitingLine, type Patience } from '../concurrency/waiting-line.ts';
import { overloaded } from '../errors.ts';

/** Large bodies that arrive at a time, of all owners together. */
const BODIES_MAX = 1_000;

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
  /**
   * A body of the owner's begins to be large.
   * @throws SERVICE_UNAVAILABLE when too many of its owner's do
   */
  begin(owner: string, patience: Patience): HeldBody;
  /** Ends every wait by this error. */
  refuseAll(error: () => Error): void;
};

type Body = { owner: Owner; bytes: number };

/** `bodies` in the order in which they began: the first is the eldest. `youngerBytes`: of all others. */
type Owner = { bodies: Set<Body>; youngerBytes: number };

const eldestOf = ({ bodies }: Owner): Body | undefined => bodies.values().next().value;

/**
 * Half of the memory is for the eldest body of each owner alone: bodies that have arrived in part, and wait for one
 * another's memory, would wait for ever. All others share the other half; while several owners have bodies, those of one
 * take no more than half of that.
 */
export function createBodyMemory(totalBytes: number): BodyMemory {
  const owners = new Map<string, Owner>();
  const line = createWaitingLine<{ body: Body; bytes: number }>();
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
  /** The next one is the eldest then. */
  const remove = (name: string, body: Body) => {
    const { owner } = body;
    const isEldest = eldestOf(owner) === body;
    if (!owner.bodies.delete(body)) return;
    usedBytes -= body.bytes;
    const noYounger = isEldest ? eldestOf(owner) : body;
    if (noYounger) countYounger(owner, -noYounger.bytes);
    if (owner.bodies.size === 0) owners.delete(name);
    line.serveWhere(tryHold);
  };

  return {
    begin(name, patience) {
      const owner = owners.get(name) ?? { bodies: new Set(), youngerBytes: 0 };
      owners.set(name, owner);
      if (owner.bodies.size >= BODIES_MAX / owners.size) throw overloaded();
      const body: Body = { owner, bytes: 0 };
      owner.bodies.add(body);
      return {
        async hold(bytes) {
          if (!tryHold({ body, bytes })) await line.join({ body, bytes }, patience);
        },
        release: () => remove(name, body),
      };
    },
    refuseAll: line.refuseAll,
  };
}
