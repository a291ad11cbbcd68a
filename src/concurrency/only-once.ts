/** Runs `act` at the first call, and nothing at the others. */
export function onlyOnce(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
