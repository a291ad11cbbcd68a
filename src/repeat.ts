/** What a process does again and again beside its requests. */

/**
 * Does `act`, which never throws, now and again and again, each time so many milliseconds behind the last as that gave;
 * the process may end meanwhile. Gives the function that stops it, and waits for what runs.
 */
export function repeat(act: () => Promise<number>): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const goOn = async (): Promise<void> => {
    const intervalMs = await act();
    if (isStopped) return;
    timer = setTimeout(() => {
      running = goOn();
    }, intervalMs).unref();
  };
  let running = goOn();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
