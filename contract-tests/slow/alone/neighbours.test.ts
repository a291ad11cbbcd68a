/** How one account's load affects another account: the short form of `npm run benchmark -- neighbours`. */
import { expect, test } from 'vitest';
import { percentile } from '../../harness/machine/percentile.ts';
import { ATTACKS } from '../../harness/neighbours/attacks.ts';
import { observe, observeAttack, openAccounts } from '../../harness/neighbours/neighbour.ts';
import { keepService } from '../../harness/service/kept-service.ts';

const IDLE_SECONDS = 3;
const ATTACK_SECONDS = 2;
/** On Citus a search of all knowledge bases takes several times as long, and all its servers share this machine. */
const SLOWER = process.env.CITUS_URL ? 3 : 1;
/**
 * The targets of the benchmark, whose largest times are a fifth, a half and a sixth of them. Before the service shared
 * its capacity between accounts, the attacks delayed others for five seconds to minutes. On a slower machine the limit
 * is TIMES_IDLE times the time of an idle service.
 */
const QUERY_MS = 500 * SLOWER;
const TEXT_MS = 2_000 * SLOWER;
const FILE_MS = 10_000 * SLOWER;
const TIMES_IDLE = 5;

const service = await keepService({ settings: { LOG_LEVEL: 'fatal', VALIDATE_RESPONSES: 'false' } });
const accounts = await openAccounts(service);
await observe(accounts.neighbour, 1);
const idle = await observe(accounts.neighbour, IDLE_SECONDS);

const p95 = (milliseconds: number[]) => percentile(milliseconds, 0.95);
const longest = (milliseconds: number[]) => percentile(milliseconds, 1);

test.each(Object.keys(ATTACKS))(
  '%s: queries, small texts and small files of another account are served in time, and none is refused',
  async (name) => {
    const { queries, imports, files, refused } = await observeAttack(name, accounts, ATTACK_SECONDS);
    process.stdout.write(
      `${name}: queries ${p95(queries).toFixed(0)} ms (idle ${p95(idle.queries).toFixed(0)}), ` +
        `texts ${longest(imports).toFixed(0)} ms, files ${longest(files).toFixed(0)} ms\n`,
    );
    expect(refused).toEqual([]);
    expect(p95(queries)).toBeLessThan(Math.max(QUERY_MS, TIMES_IDLE * p95(idle.queries)));
    expect(longest(imports)).toBeLessThan(Math.max(TEXT_MS, TIMES_IDLE * longest(idle.imports)));
    expect(longest(files)).toBeLessThan(Math.max(FILE_MS, TIMES_IDLE * longest(idle.files)));
  },
);
