/** What a process does again and again beside its requests. */

/**
 * Does `act`, which never throws, now and again and again, each time so many milliseconds behind the last as that gave;
 * the process may end meanwhile. Gives the function that stops it, and waits for what runs.
 */
export const repeat = (act: () => Promise<number>): (() => Promise<void>) => repeatOrWake(act).stop;

/** The same, where `wake` does it at once: after what runs, if something does. */
export function repeatOrWake(act: () => Promise<number>) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let [wasWoken, isStopped] = [false, false];
  const goOn = async (): Promise<void> => {
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
    running = goOn();
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
