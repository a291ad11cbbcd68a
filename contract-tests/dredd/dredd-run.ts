/** Runs Dredd over transactions. Hooks plan each request, and check the answer where Dredd cannot. */
import { join } from 'node:path';
import { inspect } from 'node:util';
import Dredd, { type DreddHooks, type DreddStats, type DreddTransaction } from 'dredd';
import reporterOutput from 'dredd/build/reporters/reporterOutputLogger.js';
import { ROUTES, requireContract } from '../harness/contract-check.ts';
import { type Answer, parseJson } from '../harness/exchange.ts';
import { describeTransactions } from './description.ts';
import type { PlannedRequest, RunContext } from './planned-request.ts';
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

/** The run that the hooks belong to. Dredd loads them without arguments, so there is one run at a time. */
let current: Run | undefined;
type Run = Pick<DreddReport, 'ran' | 'failures'> & { context: RunContext; transactions: Transaction[] };

/** Time-out of each request, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** The maximum length of a request body in a report. */
const SHOWN_CHARACTERS = 2_000;

/** The value of `x-request-id`, which a client may choose. Each transaction has its own. */
const requestIdOf = ({ operationId, status }: Transaction) => `contract-${operationId}-${status}`;

function findTransaction({ transactions }: Run, { origin, expected }: DreddTransaction): Transaction {
  const found = transactions.find(
    (transaction) =>
      ROUTES[transaction.operationId].path === origin.resourceName &&
      expectedStatus(transaction) === expected.statusCode,
  );
  if (found === undefined)
    throw new Error(`Dredd made an unplanned transaction: ${origin.resourceName} ${expected.statusCode}`);
  return found;
}

/** Replaces the request that Dredd has built from the examples with the planned one. */
function redirect(dredd: DreddTransaction, { sent, address }: PlannedRequest, context: RunContext): void {
  const { protocol, hostname, port, pathname } = new URL(address ?? context.target.address);
  const { method, path, headers, body } = sent;
  Object.assign(dredd, { protocol, host: hostname, port, fullPath: pathname.replace(/\/$/, '') + path });
  dredd.request = { method, headers: { ...headers }, body: body === undefined ? body : String(body) };
  // Dredd checks the status, the media type and the names of the headers. It would demand each key of the example in
  // the body, but the example is only one case of the schema. So the hooks check the body.
  dredd.expected.headers['Content-Type'] = 'application/json; charset=utf-8';
  delete dredd.expected.body;
}

const toAnswer = ({ statusCode, headers, body = '' }: NonNullable<DreddTransaction['real']>): Answer => ({
  status: statusCode,
  headers,
  text: body,
  body: parseJson(body),
});

/** Plans the request that gets the transaction's status. @throws when no plan is known for it */
async function plan(context: RunContext, { operationId, status }: Transaction): Promise<PlannedRequest> {
  if (status === '200') return await SUCCESSES[operationId](context);
  const refuse = REFUSALS[status];
  if (refuse === undefined) throw new Error(`no planned request gets a ${status}`);
  return await refuse(context, operationId);
}

/** The message of a thrown error, or of a thrown body: the generated client throws bodies. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : `refused: ${inspect(thrown, { breakLength: Infinity })}`;

/** The planned request of each transaction, or the reason why there is none. */
const plannedRequests = new WeakMap<DreddTransaction, PlannedRequest | { problem: string }>();

/** Before the request. */
async function begin(run: Run, dredd: DreddTransaction): Promise<void> {
  const transaction = findTransaction(run, dredd);
  try {
    const planned = await plan(run.context, transaction);
    plannedRequests.set(dredd, planned);
    redirect(dredd, planned, run.context);
    dredd.id = `${ROUTES[transaction.operationId].method} (${transaction.status}) ${dredd.origin.resourceName}`;
    dredd.request.headers['x-request-id'] = requestIdOf(transaction);
  } catch (thrown) {
    const problem = `not planned: ${messageOf(thrown)}`;
    plannedRequests.set(dredd, { problem });
    dredd.fail = problem;
  }
}

/** The problem of the transaction's answer. undefined: no problem. */
async function findProblem(run: Run, dredd: DreddTransaction): Promise<string | undefined> {
  const transaction = findTransaction(run, dredd);
  const planned = plannedRequests.get(dredd);
  if (planned === undefined || 'problem' in planned) return planned?.problem ?? 'not planned';
  try {
    if (dredd.real === undefined) return 'no answer came';
    const answer = toAnswer(dredd.real);
    requireContract(transaction.operationId, answer);
    await planned.check?.(answer);
    const requestId = answer.headers['x-request-id'];
    return requestId === requestIdOf(transaction)
      ? undefined
      : `x-request-id ${requestId} is not the client's own`;
  } catch (thrown) {
    return messageOf(thrown);
  } finally {
    planned.end?.();
  }
}

/** After the answer, and after Dredd's own check. */
async function end(run: Run, dredd: DreddTransaction): Promise<void> {
  const problem = await findProblem(run, dredd);
  const mismatch = dredd.test?.valid === false ? dredd.test.message.trim() : undefined;
  if (problem !== undefined) dredd.fail = problem;
  // Dredd shows the request of a failure, and its log may be public.
  delete dredd.request.headers['x-api-key'];
  dredd.request.body = dredd.request.body?.slice(0, SHOWN_CHARACTERS);
  const transaction = findTransaction(run, dredd);
  run.ran.push(transaction);
  const message = [mismatch, problem].filter((text) => text !== undefined).join('; ');
  if (message !== '') run.failures.push({ transaction, message });
}

/** Adapts `hook` to Dredd: for the current run, with a callback. */
const hookOf =
  (hook: (run: Run, dredd: DreddTransaction) => Promise<void>) =>
  async (dredd: DreddTransaction, done: () => void) => {
    const run = current;
    if (run === undefined) throw new Error('no run has begun');
    await hook(run, dredd).catch((thrown: unknown) => {
      dredd.fail = messageOf(thrown);
    });
    done();
  };

export function registerHooks(hooks: DreddHooks): void {
  hooks.beforeEach(hookOf(begin));
  hooks.afterEach(hookOf(end));
}

/** Runs the transactions. `quiet`: Dredd prints nothing. @throws while another run is in progress */
export async function runDredd(
  context: RunContext,
  transactions: Transaction[],
  { quiet = false }: { quiet?: boolean } = {},
): Promise<DreddReport> {
  if (current !== undefined) throw new Error('a run has not ended yet');
  const run: Run = { context, transactions, ran: [], failures: [] };
  current = run;
  reporterOutput.default.transports.console.silent = quiet; // it ignores `loglevel`
  const dredd = new Dredd({
    endpoint: context.target.address,
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
