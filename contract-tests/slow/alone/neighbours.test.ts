/** How one account's load affects another account: the short form of `npm run benchmark -- neighbours`. */
import { expect, test } from 'vitest';
import { measureSlowdown } from '../../harness/machine/machine-slowdown.ts';
import { percentile } from '../../harness/machine/percentile.ts';
import { ATTACKS } from '../../harness/neighbours/attacks.ts';
import { type Observed, observe, observeAttack, openAccounts } from '../../harness/neighbours/neighbour.ts';
import { keepService } from '../../harness/service/kept-service.ts';

const IDLE_SECONDS = 1;
const ATTACK_SECONDS = 2;
/** On Citus a search of all knowledge bases takes several times as long, and all its servers share this machine. */
const SLOWER = process.env.CITUS_URL ? 3 : 1;
/**
 * The targets of the benchmark, whose largest times are a fifth, a half and a sixth of them. Before the service shared
 * its capacity between accounts, the attacks delayed others for five seconds to minutes. On a slower machine the limit
 * is TIMES_IDLE times the time of an idle service. Other work on the machine during the attack prolongs both.
 */
const QUERY_MS = 500 * SLOWER;
const TEXT_MS = 2_000 * SLOWER;
const FILE_MS = 10_000 * SLOWER;
const TIMES_IDLE = 5;

const service = await keepService({ settings: { LOG_LEVEL: 'fatal', VALIDATE_RESPONSES: 'false' } });
const accounts = await openAccounts(service);
await observe(accounts.neighbour, 1);

type Times = { queries: number; texts: number; files: number };

/** What the limits bound, in milliseconds on a machine without other work. */
const timesOf = ({ queries, imports, files }: Observed, slowdown: number): Times => ({
  queries: percentile(queries, 0.95) / slowdown,
  texts: percentile(imports, 1) / slowdown,
  files: percentile(files, 1) / slowdown,
});

/** Observes the neighbour without an attack. */
async function observeIdle(): Promise<Times> {
  const slowdown = measureSlowdown();
  return timesOf(await observe(accounts.neighbour, IDLE_SECONDS), slowdown());
}

/** The shortest times before any attack so far: the service may still be busy with the attack before. */
let idle = await observeIdle();

test.each(Object.keys(ATTACKS))(
  '%s: queries, small texts and small files of another account are served in time, and none is refused',
  async (name) => {
    const before = await observeIdle();
    idle = {
      queries: Math.min(idle.queries, before.queries),
      texts: Math.min(idle.texts, before.texts),
      files: Math.min(idle.files, before.files),
    };
    const measured = measureSlowdown();
    const observed = await observeAttack(name, accounts, ATTACK_SECONDS);
    const slowdown = measured();
    const { queries, texts, files } = timesOf(observed, slowdown);
    process.stdout.write(
      `${name}: queries ${queries.toFixed(0)} ms (idle ${idle.queries.toFixed(0)}), texts ${texts.toFixed(0)} ms, ` +
        `files ${files.toFixed(0)} ms, without a slowdown of ${slowdown.toFixed(1)}\n`,
    );
    expect(observed.refused).toEqual([]);
    expect(queries).toBeLessThan(Math.max(QUERY_MS, TIMES_IDLE * idle.queries));
    expect(texts).toBeLessThan(Math.max(TEXT_MS, TIMES_IDLE * idle.texts));
    expect(files).toBeLessThan(Math.max(FILE_MS, TIMES_IDLE * idle.files));
  },
);
