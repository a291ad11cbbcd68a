/** A crash run: clients that import, delete and query while everything is killed, held against a model of what was acknowledged. */
import { call, withDataDirectory } from '../../scripts/service-process.ts';
import { openClients, runClient } from './clients.ts';
import { countDeaths, killVictims, type Pair, startPair, stopPair } from './killer.ts';
import type { Target } from './sending.ts';
import { checkSettled, type Settled } from './settled-check.ts';
import { createWorld, type Tally, type Violation } from './world.ts';

/** `checkEvery`: how many kills lie between two checks of all that is stored. */
export type CrashRun = { clients: number; kills: number; checkEvery: number; seed: number };

/** `tallies`: requests by operation. `checks`: what each check has found. */
export type CrashResult = {
  violations: Violation[];
  deaths: Record<string, number>;
  tallies: Record<string, Tally>;
  checks: Settled[];
};

/** Lets the clients act through `count` kills, and to the end of what they have begun. */
async function actAndKill(
  pair: Pair,
  act: (signal: AbortSignal) => Promise<unknown>,
  { count, seed }: { count: number; seed: number },
): Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const acting = act(signal);
  try {
    await Promise.race([killVictims(pair, { count, seed, signal }), acting]); // a client that fails ends the run
  } finally {
    ending.abort();
  }
  await acting;
}

/** Runs it on a service of its own. */
export async function crashRun({ clients: count, kills, checkEvery, seed }: CrashRun): Promise<CrashResult> {
  return await withDataDirectory(async (dataDirectory) => {
    const pair = await startPair(dataDirectory);
    const world = createWorld();
    const target: Target = { world, service: () => pair.service };
    const { balance: credits } = await call<{ balance: number }>(pair.service, 'getBalance');
    const clients = await openClients(target, { count, seed });
    const act = (signal: AbortSignal) =>
      Promise.all(clients.map((client) => runClient(target, client, signal)));
    const checks: Settled[] = [];
    for (let done = 0; done < kills; done += checkEvery) {
      await actAndKill(pair, act, { count: Math.min(checkEvery, kills - done), seed: seed + done });
      checks.push(await checkSettled(target, pair, credits));
    }
    await stopPair(pair);
    const { violations, tallies } = world;
    return { violations, deaths: countDeaths(pair), tallies: Object.fromEntries(tallies), checks };
  });
}
