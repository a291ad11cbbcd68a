/** Turns by name: work of one name is done one after the other, that of different names side by side. */
import { createWaitingLine, type Patience, type WaitingLine } from './waiting-line.ts';

export type Turns = {
  /** Whether work of this name is under way. */
  isTaken(name: string): boolean;
  /**
   * Resolves when it is the turn of this name's next work.
   * @throws what ends a wait: see `WaitingLine`
   */
  take(name: string, patience: Patience): Promise<void>;
  /** Ends the work that has the turn. */
  leave(name: string): void;
  /** Ends every wait by this error. */
  refuseAll(error: () => Error): void;
};

export function createTurns(): Turns {
  /** Those who wait, for each name of which work is under way. */
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
