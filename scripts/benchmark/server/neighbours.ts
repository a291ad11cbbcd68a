/** Part `neighbours`: how one account's load affects another account. */
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../../contract-tests/harness/machine/percentile.ts';
import { readResidentBytes } from '../../../contract-tests/harness/machine/processes.ts';
import { ATTACKS } from '../../../contract-tests/harness/neighbours/attacks.ts';
import {
  type Observed,
  observe,
  observeAttack,
  openAccounts,
} from '../../../contract-tests/harness/neighbours/neighbour.ts';
import { withServiceDatabase } from '../../../contract-tests/harness/service/service-database.ts';
import { type RunningService, withService } from '../../../contract-tests/harness/service/service-process.ts';
import type { Report, Target } from '../measuring/figures.ts';

const WARM_UP_SECONDS = 3;
const IDLE_SECONDS = 10;
const ATTACK_SECONDS = 15;
/** Time for requests of an attack to end before the next attack. */
const PAUSE_MS = 3_000;

const TARGET_TIMES_IDLE = 5;
const TARGET_QUERY_MS = 500;
const TARGET_IMPORT_MS = 2_000;
const TARGET_FILE_MS = 10_000;

function addFigures(report: Report, name: string, observed: Observed, idleP95Ms?: number): void {
  const { queries, imports, files, refused } = observed;
  const add = (what: string, value: number, unit = 'ms', target?: Target) =>
    report.figure({ name: `${name}: ${what}`, value, unit, ...(target && { target }) });
  const bound = (atMost: number): Target | undefined => (idleP95Ms === undefined ? undefined : { atMost });
  const p95Ms = percentile(queries, 0.95);
  add('queries, median', percentile(queries, 0.5));
  add('queries, 95 %', p95Ms, 'ms', bound(TARGET_QUERY_MS));
  if (idleP95Ms !== undefined)
    add('queries, 95 %, times idle', p95Ms / idleP95Ms, '', bound(TARGET_TIMES_IDLE));
  add('queries, longest', percentile(queries, 1));
  add('small texts, longest', percentile(imports, 1), 'ms', bound(TARGET_IMPORT_MS));
  add('small files, longest', percentile(files, 1), 'ms', bound(TARGET_FILE_MS));
  add('refused', refused.length, '', bound(0));
  if (refused.length > 0) report.note(`${name}: ${[...new Set(refused)].slice(0, 3).join('; ')}`);
}

/**
 * Two large texts and a file are stored at a time, of which a statement adds up to 260 pages: see pending-entries.ts.
 */
const TARGET_PENDING_PAGES = 1_024;
const PENDING_INTERVAL_MS = 50;

/** Counts the pages of the list that every search reads, until the returned function is called: the most at a time. */
function watchPendingPages(service: RunningService): () => Promise<number> {
  let isOver = false;
  const watched = withServiceDatabase(service, async (client) => {
    await client.query('CREATE EXTENSION IF NOT EXISTS pgstattuple');
    let most = 0;
    while (!isOver) {
      const { rows } = await client.query<{ pages: number }>(
        `SELECT pending_pages AS pages FROM pgstatginindex('passage_lexemes_by_lexeme')`,
      );
      most = Math.max(most, rows[0]?.pages ?? 0);
      await delay(PENDING_INTERVAL_MS);
    }
    return most;
  });
  return async () => {
    isOver = true;
    return await watched;
  };
}

/** Runs the attacks in turn, all beside the same second account. */
export async function measureNeighbours(report: Report): Promise<void> {
  await withService(async (service) => {
    const accounts = await openAccounts(service);
    await observe(accounts.neighbour, WARM_UP_SECONDS);
    const idle = await observe(accounts.neighbour, IDLE_SECONDS);
    addFigures(report, 'idle', idle);
    for (const [name, { about, aftermathSeconds }] of Object.entries(ATTACKS)) {
      report.progress(about);
      const endWatch = watchPendingPages(service);
      const observed = await observeAttack(name, accounts, ATTACK_SECONDS);
      addFigures(report, name, observed, percentile(idle.queries, 0.95));
      if (aftermathSeconds !== undefined) {
        report.progress(`${aftermathSeconds} s after its end`);
        const afterwards = await observe(accounts.neighbour, aftermathSeconds);
        addFigures(report, `after ${name}`, afterwards, percentile(idle.queries, 0.95));
      }
      const target = { atMost: TARGET_PENDING_PAGES };
      report.figure({ name: `${name}: pending pages, most`, value: await endWatch(), unit: '', target });
      const mebibytes = readResidentBytes(service.pid) / 1024 ** 2;
      report.figure({ name: `${name}: memory of the server at its end`, value: mebibytes, unit: 'MiB' });
      await delay(PAUSE_MS);
    }
  });
  for (const [name, { about }] of Object.entries(ATTACKS)) report.note(`${name}: ${about}`);
  report.note('The attacks come from this machine, from a process of lower priority.');
}
