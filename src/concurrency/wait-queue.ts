/** A line in which requests wait for a scarce resource: a permit, or memory for a body. */
import { brokenOff, overloaded } from '../errors.ts';

/** The part of a ServerResponse that shows when the client has hung up. */
export type Client = {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
};

/** `sinceMs`: when it joined, by `performance.now()`. `wanted`: the resource that it waits for. */
export type Waiting<Wanted> = { sinceMs: number; wanted: Wanted };

type Joined<Wanted> = Waiting<Wanted> & { serve(): void; refuse(error: Error): void };

export type WaitingLine<Wanted> = {
  length(): number;
  first(): Waiting<Wanted> | undefined;
  /**
   * Waits at the end of the line until it is served.
   * @throws SERVICE_UNAVAILABLE after `waitMaxMs`, or when the budget is spent; MALFORMED_REQUEST, for the log only,
   * when the client hangs up; the signal's reason when that aborts
   */
  join(wanted: Wanted, patience: Patience): Promise<void>;
  /** Ends the first one's wait. */
  serveFirst(): void;
  /** Ends the waits for which `isGranted` returns true, called in their order. */
  serveWhere(isGranted: (wanted: Wanted) => boolean): void;
  /** Rejects every wait with this error. */
  refuseAll(error: () => Error): void;
};

/** The time left for all waits of one request together; each wait subtracts its duration. */
export type WaitBudget = { leftMs: number };

/** The waiting request's client and limits; without a limit it waits for ever. */
export type Patience = {
  client?: Client;
  signal?: AbortSignal;
  waitMaxMs?: number;
  budget?: WaitBudget | undefined;
};

/** An empty line. A client that hangs up leaves it, and is not counted any more. */
export function createWaitingLine<Wanted>(): WaitingLine<Wanted> {
  const line: Joined<Wanted>[] = [];
  const join = async (wanted: Wanted, { client, signal, budget, ...patience }: Patience) => {
    const waitMaxMs = Math.min(patience.waitMaxMs ?? Infinity, budget?.leftMs ?? Infinity);
    if (client?.closed) throw brokenOff();
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        if (budget) budget.leftMs -= performance.now() - joined.sinceMs;
        client?.off('close', hangUp);
        signal?.removeEventListener('abort', abort);
        line.splice(line.indexOf(joined), 1);
      };
      const serve = () => {
        leave();
        resolve();
      };
      const refuse = (error: Error) => {
        leave();
        reject(error);
      };
      const hangUp = () => refuse(brokenOff());
      const abort = () => refuse(signal?.reason);
      const joined = { sinceMs: performance.now(), wanted, serve, refuse };
      const timer = waitMaxMs === Infinity ? undefined : setTimeout(() => refuse(overloaded()), waitMaxMs);
      client?.once('close', hangUp);
      signal?.addEventListener('abort', abort);
      line.push(joined);
    });
  };
  return {
    length: () => line.length,
    first: () => line[0],
    join,
    serveFirst: () => line[0]?.serve(),
    serveWhere(isGranted) {
      for (const { wanted, serve } of [...line]) if (isGranted(wanted)) serve();
    },
    refuseAll: (error) => {
      for (const { refuse } of [...line]) refuse(error());
    },
  };
}
