/** Seeds bugs one by one and tells which of them the contract run catches. */

import { type DreddReport, runDredd } from '../dredd/dredd-run.ts';
import { findGaps } from '../dredd/find-gaps.ts';
import { startWork } from '../dredd/provocation.ts';
import { layInStock, type Stock } from '../dredd/stock.ts';
import type { Operator, Target } from '../dredd/target.ts';
import { nameOf, TRANSACTIONS, type Transaction } from '../dredd/transactions.ts';
import { type Caller, createCaller } from '../harness/calling.ts';
import type { Bug } from './bug.ts';
import { type Front, openFront } from './front.ts';

/** `complaint`: the first of the contract run; undefined: it was not caught. `changed`: answers that it made others. */
export type Verdict = { name: string; complaint: string | undefined; changed: number };

/** A target of which everything goes through fronts, and a way past them. */
type Fronted = { target: Target; fronts: Front[]; past: Caller };

async function openFronts({ address, apiKey, operator }: Target & { operator: Operator }): Promise<Fronted> {
  const addresses = [address, operator.spentAddress, operator.hurriedAddress];
  const fronts = await Promise.all(addresses.map((upstream) => openFront(upstream, apiKey)));
  const [own = '', spentAddress = '', hurriedAddress = ''] = fronts.map((front) => front.address);
  const target = { address: own, apiKey, operator: { ...operator, spentAddress, hurriedAddress } };
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
async function clearAllBut({ knowledgeBaseId, otherKnowledgeBaseId }: Stock, { api }: Caller): Promise<void> {
  const { data } = await api.listKnowledgeBases();
  for (const { id } of data)
    if (![knowledgeBaseId, otherKnowledgeBaseId].includes(id)) await api.deleteKnowledgeBase(id);
}

/** Runs the transactions that meet the bug. */
async function seed(
  { name, at, begin }: Bug,
  { target, fronts, past }: Fronted,
  stock: Stock,
): Promise<Verdict> {
  const change = begin();
  for (const front of fronts) front.use(change);
  const report = await runDredd(startWork(target, stock), at, { quiet: true });
  const changed = fronts.reduce((sum, front) => sum + front.changed(), 0);
  await clearAllBut(stock, past);
  return { name, complaint: firstComplaint(report, at), changed };
}

/** No bug at all, and everything run: what is complained of here is no catch. */
const CONTROL: Bug = {
  name: 'no bug',
  at: TRANSACTIONS,
  begin:
    () =>
    ({ answer }) =>
      answer,
};

/** A bug that never changed an answer is none. */
function requireChange({ name, changed }: Verdict): void {
  if (changed === 0) throw new Error(`never happened: ${name}`);
}

function requireSilence({ name, complaint }: Verdict): void {
  if (complaint !== undefined) throw new Error(`complained of with ${name}: ${complaint}`);
}

/**
 * Seeds them one by one, `tell` hearing each verdict.
 * @throws when the run complains without a bug, before them or after, or of an `allowed` change; and when a bug or an
 * allowed change has never changed an answer.
 */
export async function hunt(
  target: Target & { operator: Operator },
  { bugs, allowed }: { bugs: readonly Bug[]; allowed: readonly Bug[] },
  tell: (verdict: Verdict) => void,
): Promise<Verdict[]> {
  const fronted = await openFronts(target);
  const stock = await layInStock(target);
  const verdicts: Verdict[] = [];
  try {
    requireSilence(await seed(CONTROL, fronted, stock));
    for (const one of allowed) {
      const verdict = await seed(one, fronted, stock);
      requireChange(verdict);
      requireSilence(verdict);
    }
    for (const one of bugs) {
      const verdict = await seed(one, fronted, stock);
      requireChange(verdict);
      verdicts.push(verdict);
      tell(verdict);
    }
    requireSilence(await seed(CONTROL, fronted, stock));
    return verdicts;
  } finally {
    await stock.clear();
    for (const front of fronted.fronts) front.close();
  }
}
