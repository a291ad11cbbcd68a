/** The order of answers, which other work on the machine does not change as it changes times. */

/** Requests that are answered meanwhile: together far shorter than any wait that a client may ask for. */
const ACTS_MAX = 100;

/** Whether `awaited` settles before `act` has been done a hundred times, one after the other. Rejects as they do. */
export async function isAtOnce(awaited: Promise<unknown>, act: () => Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settled = awaited.then(() => {
    isSettled = true;
  });
  for (let acts = 0; acts < ACTS_MAX && !isSettled; acts++) await Promise.race([settled, act()]);
  return isSettled;
}
