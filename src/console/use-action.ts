/** Runs what a button does: once at a time, with its error kept for the page. */
import { useState } from 'preact/hooks';

export type Action = { run(): Promise<void>; isRunning: boolean; error: unknown };

/** The state of `act`. A second click while it runs does nothing. */
export function useAction(act: () => Promise<void>): Action {
  const [state, setState] = useState<{ isRunning: boolean; error: unknown }>({
    isRunning: false,
    error: undefined,
  });
  const run = async () => {
    if (state.isRunning) return;
    setState({ isRunning: true, error: undefined });
    try {
      await act();
      setState({ isRunning: false, error: undefined });
    } catch (error) {
      setState({ isRunning: false, error });
    }
  };
  return { ...state, run };
}

/** Does something with each thing, with the others also after a failure. @throws the first failure */
export async function doForAll<Thing>(
  things: readonly Thing[],
  act: (thing: Thing) => Promise<void>,
): Promise<void> {
  const results = await Promise.allSettled(things.map(act));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
