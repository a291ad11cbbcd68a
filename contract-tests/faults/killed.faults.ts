/**
 * The long form of `killed.test.ts`: a hundred kills at two servers of one database, with a full check after each ten.
 */
import { expect, test } from 'vitest';
import { crashRun } from './crash-model/crash-run.ts';

/** More kills, or another order: KILLS=1000 KILL_SEED=2 npm run test:faults */
const KILLS = Number(process.env.KILLS ?? 100);
const SEED = Number(process.env.KILL_SEED ?? 1);
const CHECK_EVERY = 10;

test(`${KILLS} SIGKILLs under 32 clients of two servers lose, double, half-index and stall nothing`, async () => {
  const run = await crashRun({ servers: 2, clients: 32, kills: KILLS, checkEvery: CHECK_EVERY, seed: SEED });
  process.stdout.write(`${JSON.stringify(run)}\n`);
  expect(run.violations).toEqual([]);
});
