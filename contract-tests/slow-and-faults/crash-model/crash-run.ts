/**
 * A crash run: clients import, delete and query while processes are killed. A model of the acknowledged writes judges
 * all answers.
 */
import { call, withDataDirectory } from '../../harness/service/service-process.ts';
import { openClients, runClient } from './clients.ts';
import { countDeaths, type Deployment, killVictims, startDeployment, stopDeployment } from './killer.ts';
import type { Target } from './sending.ts';
import { checkSettled, type Settled } from './settled-check.ts';
import { createWorld, type Tally, type Violation } from './world.ts';

/** `checkEvery`: the number of kills between two checks of all stored data. */
export type CrashRun = { servers: 1 | 2; clients: number; kills: number; checkEvery: number; seed: number };

/** `tallies`: requests by operation. `checks`: the results of each check. */
export type CrashResult = {
  violations: Violation[];
  deaths: Record<string, number>;
  tallies: Record<string, Tally>;
  checks: Settled[];
};

/** Lets the clients act during `count` kills, and then complete their requests. */
async function actAndKill(
  deployment: Deployment,
  act: (signal: AbortSignal) => Promise<unknown>,
  { count, seed }: { count: number; seed: number },
): Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  const acting = act(signal);
  try {
    await Promise.race([killVictims(deployment, { count, seed, signal }), acting]); // a client that fails ends the run
  } finally {
    ending.abort();
  }
  await acting;
}

/** Requests alternate between the servers: an acknowledged write must be visible at both. */
function serversInTurn(deployment: Deployment): Target['service'] {
  let turn = 0;
  return () => (turn++ % 2 === 0 ? undefined : deployment.second) ?? deployment.first;
}

/** Does a crash run on new servers. */
export async function crashRun({
  servers,
  clients: count,
  kills,
  checkEvery,
  seed,
}: CrashRun): Promise<CrashResult> {
  return await withDataDirectory(async (dataDirectory) => {
    const deployment = await startDeployment(dataDirectory, servers);
    const world = createWorld();
    const target: Target = { world, service: serversInTurn(deployment) };
    const { balance: credits } = await call<{ balance: number }>(deployment.first, 'getBalance');
    const clients = await openClients(target, { count, seed });
    const act = (signal: AbortSignal) =>
      Promise.all(clients.map((client) => runClient(target, client, signal)));
    const checks: Settled[] = [];
    for (let done = 0; done < kills; done += checkEvery) {
      await actAndKill(deployment, act, { count: Math.min(checkEvery, kills - done), seed: seed + done });
      checks.push(await checkSettled(target, deployment, credits));
    }
    await stopDeployment(deployment);
    const { violations, tallies } = world;
    return { violations, deaths: countDeaths(deployment), tallies: Object.fromEntries(tallies), checks };
  });
}
