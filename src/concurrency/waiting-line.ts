/** A line in which requests wait for something that is scarce: a place to work in, or memory for a body. */
import { brokenOff, overloaded } from '../errors.ts';

/** The part of a ServerResponse that tells when the client has hung up. */
export type Client = {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
};

/** `sinceMs`: when it joined, by `performance.now()`. `wanted`: what it waits for. */
export type Waiting<Wanted> = { sinceMs: number; wanted: Wanted };

type Joined<Wanted> = Waiting<Wanted> & { serve(): void; refuse(error: Error): void };

export type WaitingLine<Wanted> = {
  length(): number;
  first(): Waiting<Wanted> | undefined;
  /**
   * Waits at the end of the line until it is served.
   * @throws SERVICE_UNAVAILABLE after `waitMaxMs`, or when the budget is spent; MALFORMED_REQUEST, for the log only, when the client hangs up; the
   * signal's reason when that aborts
   */
  join(wanted: Wanted, patience: Patience): Promise<void>;
  /** Ends the wait of the first. */
  serveFirst(): void;
  /** Ends the waits of those whose wish is granted, asked in their order. */
  serveWhere(isGranted: (wanted: Wanted) => boolean): void;
  /** Ends every wait by this error. */
  refuseAll(error: () => Error): void;
};

/** What all waits of one request together may still take; each takes from it what it took. */
export type WaitBudget = { leftMs: number };

/** Whose request waits, and for how long at most: for ever where nothing says otherwise. */
export type Patience = {
  client?: Client;
  signal?: AbortSignal;
  waitMaxMs?: number;
  budget?: WaitBudget | undefined;
};

/** An empty line. A client that hangs up leaves it, and counts no more. */
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
