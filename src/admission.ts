/**
 * Lets so many requests work at once. Imports wait for their turn; other requests are refused at once when they could
 * not be answered soon. So a service under many times the load that it can bear goes on to do as much as it can.
 */
import { createLane, type Lane, type LaneName } from './admission-lanes.ts';
import { createBodyMemory } from './body-memory.ts';
import { overloaded, serverEnding } from './errors.ts';
import type { Client, WaitingLine } from './waiting-line.ts';

/** An import may take seconds. The rest of the places is left to requests that take milliseconds. */
const IMPORT_SHARE = 3 / 4;
/** When the server is about to end: an answer has to reach its client before the connections close. */
const LAST_WAIT_MS = 2_000;
/** Bodies that are held in memory, four of the largest legal ones. What is made of a text takes several times as much. */
const BODIES_MAX_BYTES = 48 * 1024 ** 2;

/** A request's place among those that work. */
export type Place = {
  /** Runs what takes time but no work of ours: a slow client's body, the end of an import. Others work meanwhile. */
  outside<T>(act: () => Promise<T>): Promise<T>;
  /** Waits until memory for so many bytes is free, and holds it until `leave`. To be called outside of the place. */
  reserve(bytes: number): Promise<void>;
  leave(): void;
};

export type Admission = {
  /** Whether a further request of this lane would be refused. */
  isFull(lane: LaneName): boolean;
  /**
   * Resolves when it is the request's turn.
   * @throws SERVICE_UNAVAILABLE when too many wait, or it has waited too long
   */
  enter(lane: LaneName, client: Client): Promise<Place>;
  /** From now on no request waits for long. */
  hurry(): void;
};

/** Places of which each lane may hold its share; those that wait get them by turns of the lanes. */
function createPlaces(lanes: Lane[], count: number) {
  let free = count;
  let turns = lanes;

  const canRun = (lane: Lane) => free > 0 && lane.held < lane.placesMax;
  const hold = (lane: Lane) => {
    free--;
    lane.held++;
  };
  const serveNext = (): boolean => {
    const back = turns.find((lane) => lane.returning.length() > 0 && canRun(lane));
    const lane = back ?? turns.find((other) => other.waiting.length() > 0 && canRun(other));
    if (lane === undefined) return false;
    hold(lane);
    lane.pace.step();
    if (back === undefined) turns = [...turns.filter((other) => other !== lane), lane];
    (back ? lane.returning : lane.waiting).serveFirst();
    return true;
  };
  return {
    async take(lane: Lane, line: WaitingLine<void>, client: Client): Promise<void> {
      if (canRun(lane)) return hold(lane);
      lane.pace.begin();
      await line.join(undefined, { client, waitMaxMs: lane.waitMaxMs });
    },
    leave(lane: Lane): void {
      free++;
      lane.held--;
      while (serveNext());
    },
  };
}

type Means = { places: ReturnType<typeof createPlaces>; memory: ReturnType<typeof createBodyMemory> };

/** What a request holds: one of the places, and memory for its body. */
function createPlace({ places, memory }: Means, lane: Lane, client: Client): Place {
  let [isHeld, reservedBytes] = [true, 0];
  const giveUp = () => {
    if (isHeld) places.leave(lane);
    isHeld = false;
  };
  return {
    async outside(act) {
      giveUp();
      try {
        return await act();
      } finally {
        await places.take(lane, lane.returning, client);
        isHeld = true;
      }
    },
    async reserve(bytes) {
      await memory.take(bytes, { client, waitMaxMs: lane.waitMaxMs });
      reservedBytes += bytes;
    },
    leave() {
      giveUp();
      memory.release(reservedBytes);
      reservedBytes = 0;
    },
  };
}

/** `count` places, and memory for bodies. */
export function createAdmission(count: number): Admission {
  const importsMax = Math.max(1, Math.floor(count * IMPORT_SHARE));
  const lanes = {
    imports: createLane({ placesMax: importsMax, isPatient: true }),
    others: createLane({ placesMax: count, isPatient: false }),
  };
  const places = createPlaces([lanes.others, lanes.imports], count);
  const memory = createBodyMemory(BODIES_MAX_BYTES);

  return {
    isFull: (name) => lanes[name].isFull(),
    async enter(name, client) {
      const lane = lanes[name];
      if (lane.isFull()) throw overloaded();
      await places.take(lane, lane.waiting, client);
      return createPlace({ places, memory }, lane, client);
    },
    hurry() {
      const all = Object.values(lanes);
      for (const lane of all) lane.waitMaxMs = LAST_WAIT_MS;
      const lines = [memory.line, ...all.flatMap(({ waiting, returning }) => [waiting, returning])];
      const end = () => {
        for (const line of lines) line.refuseAll(serverEnding);
      };
      setTimeout(end, LAST_WAIT_MS).unref();
    },
  };
}
