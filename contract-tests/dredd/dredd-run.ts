/** Runs Dredd over transactions, with hooks that provoke each answer and judge what Dredd can not. */
import { join } from 'node:path';
import { inspect } from 'node:util';
import Dredd, { type DreddHooks, type DreddStats, type DreddTransaction } from 'dredd';
import reporterOutput from 'dredd/build/reporters/reporterOutputLogger.js';
import { ROUTES, requireContract } from '../harness/contract-check.ts';
import { type Answer, parseJson } from '../harness/exchange.ts';
import { describeTransactions } from './description.ts';
import type { Provocation, Work } from './provocation.ts';
import { REFUSALS } from './refusals.ts';
import { SUCCESSES } from './successes.ts';
import { expectedStatus, type Transaction } from './transactions.ts';

/** `error`: of Dredd itself. `ran`: the transactions that Dredd sent, in its order. */
export type DreddReport = {
  error: Error | undefined;
  stats: DreddStats;
  ran: Transaction[];
  failures: { transaction: Transaction; message: string }[];
};

/** The run that the hooks belong to: Dredd loads them by itself and hands nothing over, so one run at a time. */
let current: Run | undefined;
type Run = Pick<DreddReport, 'ran' | 'failures'> & { work: Work; transactions: Transaction[] };

/** No answer of a transaction takes longer. */
const TIMEOUT_MS = 30_000;

/** What of a body a report shows. */
const SHOWN_CHARACTERS = 2_000;

/** The header that a client may set, so that its log and the service's meet; each transaction has its own. */
const requestIdOf = ({ operationId, status }: Transaction) => `contract-${operationId}-${status}`;

function findTransaction({ transactions }: Run, { origin, expected }: DreddTransaction): Transaction {
  const found = transactions.find(
    (transaction) =>
      ROUTES[transaction.operationId].path === origin.resourceName &&
      expectedStatus(transaction) === expected.statusCode,
  );
  if (found === undefined)
    throw new Error(`Dredd made a transaction of its own: ${origin.resourceName} ${expected.statusCode}`);
  return found;
}

/** Puts the provocation in place of the request that Dredd has read from the examples. */
function redirect(dredd: DreddTransaction, { sent, address }: Provocation, work: Work): void {
  const { protocol, hostname, port, pathname } = new URL(address ?? work.target.address);
  const { method, path, headers, body } = sent;
  Object.assign(dredd, { protocol, host: hostname, port, fullPath: pathname.replace(/\/$/, '') + path });
  dredd.request = { method, headers: { ...headers }, body: body === undefined ? body : String(body) };
  // Dredd's own check is that of status, media type and the names of the headers. Of the body it would ask for each
  // key of the example; what the body has to be is the schema's to say, of which the example is one case.
  dredd.expected.headers['Content-Type'] = 'application/json; charset=utf-8';
  delete dredd.expected.body;
}

const toAnswer = ({ statusCode, headers, body = '' }: NonNullable<DreddTransaction['real']>): Answer => ({
  status: statusCode,
  headers,
  text: body,
  body: parseJson(body),
});

/** How the answer of a transaction is provoked. @throws where nothing here can. */
async function provoke(work: Work, { operationId, status }: Transaction): Promise<Provocation> {
  if (status === '200') return await SUCCESSES[operationId](work);
  const refuse = REFUSALS[status];
  if (refuse === undefined) throw new Error(`nothing here provokes a ${status}`);
  return await refuse(work, operationId);
}

/** What was thrown in words; the generated client throws bodies. */
export const wordsOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : `refused: ${inspect(thrown, { breakLength: Infinity })}`;

/** What each transaction's answer is provoked by, or why nothing provokes it. */
const provocations = new WeakMap<DreddTransaction, Provocation | { problem: string }>();

/** Before the request. */
async function begin(run: Run, dredd: DreddTransaction): Promise<void> {
  const transaction = findTransaction(run, dredd);
  try {
    const provocation = await provoke(run.work, transaction);
    provocations.set(dredd, provocation);
    redirect(dredd, provocation, run.work);
    dredd.id = `${ROUTES[transaction.operationId].method} (${transaction.status}) ${dredd.origin.resourceName}`;
    dredd.request.headers['x-request-id'] = requestIdOf(transaction);
  } catch (thrown) {
    const problem = `not provoked: ${wordsOf(thrown)}`;
    provocations.set(dredd, { problem });
    dredd.fail = problem;
  }
}

/** What is wrong with the answer that came; undefined: nothing. */
async function findProblem(run: Run, dredd: DreddTransaction): Promise<string | undefined> {
  const transaction = findTransaction(run, dredd);
  const provocation = provocations.get(dredd);
  if (provocation === undefined || 'problem' in provocation) return provocation?.problem ?? 'not provoked';
  try {
    if (dredd.real === undefined) return 'no answer came';
    const answer = toAnswer(dredd.real);
    requireContract(transaction.operationId, answer);
    await provocation.check?.(answer);
    const requestId = answer.headers['x-request-id'];
    return requestId === requestIdOf(transaction)
      ? undefined
      : `x-request-id ${requestId} is not the client's own`;
  } catch (thrown) {
    return wordsOf(thrown);
  } finally {
    provocation.end?.();
  }
}

/** After the answer, and after Dredd's own look at it. */
async function end(run: Run, dredd: DreddTransaction): Promise<void> {
  const problem = await findProblem(run, dredd);
  const mismatch = dredd.test?.valid === false ? dredd.test.message.trim() : undefined;
  if (problem !== undefined) dredd.fail = problem;
  // Dredd shows the request of a failure, and its log may be anybody's to read.
  delete dredd.request.headers['x-api-key'];
  dredd.request.body = dredd.request.body?.slice(0, SHOWN_CHARACTERS);
  const transaction = findTransaction(run, dredd);
  run.ran.push(transaction);
  const message = [mismatch, problem].filter((text) => text !== undefined).join('; ');
  if (message !== '') run.failures.push({ transaction, message });
}

/** Calls `hook` for the current run, in the way of callbacks. */
const hookOf =
  (hook: (run: Run, dredd: DreddTransaction) => Promise<void>) =>
  async (dredd: DreddTransaction, done: () => void) => {
    const run = current;
    if (run === undefined) throw new Error('no run has begun');
    await hook(run, dredd).catch((thrown: unknown) => {
      dredd.fail = wordsOf(thrown);
    });
    done();
  };

export function registerHooks(hooks: DreddHooks): void {
  hooks.beforeEach(hookOf(begin));
  hooks.afterEach(hookOf(end));
}

/** One at a time. `quiet`: Dredd tells nothing; the report has it all. */
export async function runDredd(
  work: Work,
  transactions: Transaction[],
  { quiet = false }: { quiet?: boolean } = {},
): Promise<DreddReport> {
  if (current !== undefined) throw new Error('a run has not ended yet');
  const run: Run = { work, transactions, ran: [], failures: [] };
  current = run;
  reporterOutput.default.transports.console.silent = quiet; // loglevel is not asked for it
  const dredd = new Dredd({
    endpoint: work.target.address,
    http: { timeout: TIMEOUT_MS },
    path: [],
    apiDescriptions: [{ location: 'spec/openapi.yaml', content: describeTransactions(transactions) }],
    hookfiles: [join(import.meta.dirname, 'hooks.cjs')],
    loglevel: quiet ? 'silent' : 'warning',
    color: process.stdout.isTTY,
  });
  return await new Promise((resolve) => {
    dredd.run((error, stats) => {
      current = undefined;
      resolve({ error: error ?? undefined, stats, ran: run.ran, failures: run.failures });
    });
  });
}
