/** Seeds bugs one by one and tells which of them the contract run catches. */

import { type DreddReport, runDredd } from '../dredd/dredd-run.ts';
import { findGaps } from '../dredd/find-gaps.ts';
import { createFixtures, type Fixtures } from '../dredd/fixtures.ts';
import { createRunContext } from '../dredd/planned-request.ts';
import type { Operator, Target } from '../dredd/target.ts';
import { nameOf, TRANSACTIONS, type Transaction } from '../dredd/transactions.ts';
import { type Caller, createCaller } from '../harness/calling.ts';
import type { Bug } from './bug.ts';
import { type Front, openFront } from './bug-proxy.ts';

/** `complaint`: the first of the contract run; undefined: it was not caught. `changed`: answers that it made others. */
export type Verdict = { name: string; complaint: string | undefined; changed: number };

/** A target of which everything goes through fronts, and a way past them. */
type Fronted = { target: Target; fronts: Front[]; past: Caller };

async function openFronts({ address, apiKey, operator }: Target & { operator: Operator }): Promise<Fronted> {
  const addresses = [address, operator.limitedAddress, operator.rateLimitedAddress];
  const fronts = await Promise.all(addresses.map((upstream) => openFront(upstream, apiKey)));
  const [own = '', limitedAddress = '', rateLimitedAddress = ''] = fronts.map((front) => front.address);
  const target = { address: own, apiKey, operator: { ...operator, limitedAddress, rateLimitedAddress } };
  return { target, fronts, past: createCaller({ address, apiKey }) };
}

/** @throws when the transactions have not been run. */
function firstComplaint(report: DreddReport, at: Transaction[]): string | undefined {
  const gaps = findGaps(report, at);
  if (report.error !== undefined || gaps.length > 0) throw report.error ?? new Error(gaps.join('; '));
  const [first] = report.failures;
  return first && `${nameOf(first.transaction)}: ${first.message}`;
}

/** Deletes what a run has left behind, past the fronts: a bug may have hidden it from the run itself. */
async function clearAllBut(
  { knowledgeBaseId, otherKnowledgeBaseId }: Fixtures,
  { api }: Caller,
): Promise<void> {
  const { data } = await api.listKnowledgeBases();
  for (const { id } of data)
    if (![knowledgeBaseId, otherKnowledgeBaseId].includes(id)) await api.deleteKnowledgeBase(id);
}

/** Runs the transactions of the bug. */
async function seed(
  { name, at, begin }: Bug,
  { target, fronts, past }: Fronted,
  fixtures: Fixtures,
): Promise<Verdict> {
  const change = begin();
  for (const front of fronts) front.use(change);
  const report = await runDredd(createRunContext(target, fixtures), at, { quiet: true });
  const changed = fronts.reduce((sum, front) => sum + front.changed(), 0);
  await clearAllBut(fixtures, past);
  return { name, complaint: firstComplaint(report, at), changed };
}

/** A run of all transactions without a bug: it must not complain. */
const CONTROL: Bug = {
  name: 'no bug',
  at: TRANSACTIONS,
  begin:
    () =>
    ({ answer }) =>
      answer,
};

/** @throws when a bug has changed no answer */
function requireChange({ name, changed }: Verdict): void {
  if (changed === 0) throw new Error(`never happened: ${name}`);
}

function requireSilence({ name, complaint }: Verdict): void {
  if (complaint !== undefined) throw new Error(`complained of with ${name}: ${complaint}`);
}

/**
 * Seeds the bugs one by one, and calls `onVerdict` with each verdict.
 * @throws when the run complains without a bug, before or after the bugs, or of an `allowed` change; and when a bug or
 * an allowed change has never changed an answer
 */
export async function hunt(
  target: Target & { operator: Operator },
  { bugs, allowed }: { bugs: readonly Bug[]; allowed: readonly Bug[] },
  onVerdict: (verdict: Verdict) => void,
): Promise<Verdict[]> {
  const fronted = await openFronts(target);
  const fixtures = await createFixtures(target);
  const verdicts: Verdict[] = [];
  try {
    requireSilence(await seed(CONTROL, fronted, fixtures));
    for (const one of allowed) {
      const verdict = await seed(one, fronted, fixtures);
      requireChange(verdict);
      requireSilence(verdict);
    }
    for (const one of bugs) {
      const verdict = await seed(one, fronted, fixtures);
      requireChange(verdict);
      verdicts.push(verdict);
      onVerdict(verdict);
    }
    requireSilence(await seed(CONTROL, fronted, fixtures));
    return verdicts;
  } finally {
    await fixtures.clear();
    for (const front of fronted.fronts) front.close();
  }
}
