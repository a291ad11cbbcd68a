/** Seeds bugs one at a time and reports which of them the contract run catches. */
import { createFixtures, type Fixtures } from '../../../src/contract-check/planning/fixtures.ts';
import { createRunContext } from '../../../src/contract-check/planning/planned-request.ts';
import type { Operator, Target } from '../../../src/contract-check/planning/target.ts';
import { type Caller, createCaller } from '../../../src/contract-check/requests/calling.ts';
import { createRun, type Run } from '../../../src/contract-check/runner/transaction-run.ts';
import { nameOf, TRANSACTIONS } from '../../../src/contract-check/runner/transactions.ts';
import { runDredd } from '../../dredd/dredd-run.ts';
import type { Bug } from './bug.ts';
import { type BugProxy, openBugProxy } from './bug-proxy.ts';

/** `complaint`: the first failure of the contract run; undefined: not caught. `changed`: how many answers changed. */
export type Verdict = { name: string; complaint: string | undefined; changed: number };

/** A target behind bug proxies. `direct`: calls the service without them. */
type ProxiedTarget = { target: Target; proxies: BugProxy[]; direct: Caller };

async function openProxies({
  address,
  apiKey,
  operator,
}: Target & { operator: Operator }): Promise<ProxiedTarget> {
  const addresses = [address, operator.limitedAddress, operator.rateLimitedAddress];
  const proxies = await Promise.all(addresses.map((upstream) => openBugProxy(upstream, apiKey)));
  const [own = '', limitedAddress = '', rateLimitedAddress = ''] = proxies.map((proxy) => proxy.address);
  const target = { address: own, apiKey, operator: { ...operator, limitedAddress, rateLimitedAddress } };
  return { target, proxies, direct: createCaller({ address, apiKey }) };
}

function firstComplaint({ outcomes }: Run): string | undefined {
  const first = outcomes.find(({ problem }) => problem !== undefined);
  return first && `${nameOf(first.transaction)}: ${first.problem}`;
}

/** Deletes the knowledge bases that a run has left. Calls the service directly: a bug may hide them from the run. */
async function deleteAllBut(
  { knowledgeBaseId, otherKnowledgeBaseId }: Fixtures,
  { api }: Caller,
): Promise<void> {
  const { data } = await api.listKnowledgeBases();
  for (const { id } of data)
    if (![knowledgeBaseId, otherKnowledgeBaseId].includes(id)) await api.deleteKnowledgeBase(id);
}

/** Runs the transactions of the bug. @throws when one was not run */
async function seed(
  { name, at, begin }: Bug,
  { target, proxies, direct }: ProxiedTarget,
  fixtures: Fixtures,
): Promise<Verdict> {
  const change = begin();
  for (const proxy of proxies) proxy.use(change);
  const run = createRun(createRunContext(target, fixtures), at);
  await runDredd(run);
  const changed = proxies.reduce((sum, proxy) => sum + proxy.changed(), 0);
  await deleteAllBut(fixtures, direct);
  return { name, complaint: firstComplaint(run), changed };
}

/** A run of all transactions without a bug. It must report nothing. */
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
  if (changed === 0) throw new Error(`changed no answer: ${name}`);
}

function requireSilence({ name, complaint }: Verdict): void {
  if (complaint !== undefined) throw new Error(`the run reports a failure for ${name}: ${complaint}`);
}

/**
 * Seeds the bugs one at a time, and calls `onVerdict` with each verdict.
 * @throws when a bug or an allowed change has changed no answer, or when the run reports a failure for an `allowed`
 * change or without any (it runs so before and after the bugs)
 */
export async function hunt(
  target: Target & { operator: Operator },
  { bugs, allowed }: { bugs: readonly Bug[]; allowed: readonly Bug[] },
  onVerdict: (verdict: Verdict) => void,
): Promise<Verdict[]> {
  const proxied = await openProxies(target);
  const fixtures = await createFixtures(target);
  const verdicts: Verdict[] = [];
  try {
    requireSilence(await seed(CONTROL, proxied, fixtures));
    for (const change of allowed) {
      const verdict = await seed(change, proxied, fixtures);
      requireChange(verdict);
      requireSilence(verdict);
    }
    for (const bug of bugs) {
      const verdict = await seed(bug, proxied, fixtures);
      requireChange(verdict);
      verdicts.push(verdict);
      onVerdict(verdict);
    }
    requireSilence(await seed(CONTROL, proxied, fixtures));
    return verdicts;
  } finally {
    await fixtures.clear();
    for (const proxy of proxied.proxies) proxy.close();
  }
}
