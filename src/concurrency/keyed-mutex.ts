/** Turns by name: work under one name runs in sequence, work under different names in parallel. */
import { createWaitingLine, type Patience, type WaitingLine } from './wait-queue.ts';

export type Turns = {
  /** Whether work under this name is running. */
  isTaken(name: string): boolean;
  /**
   * Resolves when the next work under this name may begin.
   * @throws the reason why a wait ended: see `WaitingLine`
   */
  take(name: string, patience: Patience): Promise<void>;
  /** Ends the work that has the turn. */
  leave(name: string): void;
  /** Rejects every wait with this error. */
  refuseAll(error: () => Error): void;
};

export function createTurns(): Turns {
  /** The waiting lines of names with running work. */
  const lines = new Map<string, WaitingLine<void>>();
  return {
    isTaken: (name) => lines.has(name),
    async take(name, patience) {
      const line = lines.get(name);
      if (line) await line.join(undefined, patience);
      else lines.set(name, createWaitingLine());
    },
    leave(name) {
      const line = lines.get(name);
      if (line?.first()) line.serveFirst();
      else lines.delete(name);
    },
    refuseAll(error) {
      for (const line of lines.values()) line.refuseAll(error);
    },
  };
}
