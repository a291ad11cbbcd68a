/** Returns a function that calls `act` at its first call only. */
export function onlyOnce(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
