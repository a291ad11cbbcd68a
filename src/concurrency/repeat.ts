/** Periodic work in the background. */

/**
 * Runs `act` at once, and then repeatedly. `act` never throws, and returns the milliseconds until its next run. The
 * timer does not keep the process alive. Returns a function that stops the repetition and waits for a running `act`.
 */
export const repeat = (act: () => Promise<number>): (() => Promise<void>) => repeatOrWake(act).stop;

/** As `repeat`, with a function `wake`: it runs `act` at once, or directly after the run in progress. */
export function repeatOrWake(act: () => Promise<number>) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let [wasWoken, isStopped] = [false, false];
  const run = async (): Promise<void> => {
    let intervalMs = 0;
    do {
      wasWoken = false;
      intervalMs = await act();
    } while (wasWoken && !isStopped);
    running = undefined;
    if (!isStopped) timer = setTimeout(wake, intervalMs).unref();
  };
  const wake = () => {
    wasWoken = true;
    if (isStopped || running !== undefined) return;
    clearTimeout(timer);
    running = run();
  };
  wake();
  return {
    wake,
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
