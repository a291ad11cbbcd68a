/** Runs transactions by Dredd. Its hooks plan each request, and check the answer where Dredd cannot. */
import { join } from 'node:path';
import Dredd, { type DreddHooks, type DreddStats, type DreddTransaction } from 'dredd';
import reporterOutput from 'dredd/build/reporters/reporterOutputLogger.js';
import type { PlannedRequest } from '../../src/contract-check/planning/planned-request.ts';
import { type Answer, parseJson } from '../../src/contract-check/requests/exchange.ts';
import {
  endTransaction,
  messageOf,
  type Run,
  type Started,
  startTransaction,
} from '../../src/contract-check/runner/transaction-run.ts';
import { expectedStatus, type Transaction } from '../../src/contract-check/runner/transactions.ts';
import { ROUTES } from '../../src/contract-check/spec/routes.ts';
import { describeTransactions } from './description.ts';
import { findGaps } from './find-gaps.ts';

/** The run that the hooks belong to. Dredd loads them without arguments, so there is one run at a time. */
let current: Run | undefined;

/** Time-out of each request, in milliseconds. */
const TIMEOUT_MS = 30_000;

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
function redirect(dredd: DreddTransaction, { sent, address }: PlannedRequest, { context }: Run): void {
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

/** The transactions that Dredd has begun. */
const begun = new WeakMap<DreddTransaction, Started>();

/** Before the request. */
async function begin(run: Run, dredd: DreddTransaction): Promise<void> {
  const started = await startTransaction(run, findTransaction(run, dredd));
  if (started === undefined) {
    dredd.skip = true;
    return;
  }
  begun.set(dredd, started);
  if (started.planned === undefined) dredd.fail = started.problem;
  else redirect(dredd, started.planned, run);
}

/** After the answer, and after Dredd's own check. */
async function end(run: Run, dredd: DreddTransaction): Promise<void> {
  const started = begun.get(dredd);
  if (started === undefined) return;
  const { test, real } = dredd;
  const mismatch = test?.valid === false ? test.message.trim() : undefined;
  const answer = real === undefined ? new Error(mismatch ?? 'no answer came') : toAnswer(real);
  const problem = await endTransaction(run, started, answer);
  if (problem !== undefined) dredd.fail = problem;
  const outcome = run.outcomes.at(-1);
  // Dredd's words only where it alone has found something.
  if (outcome?.transaction === started.transaction) outcome.problem ??= mismatch;
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

/** Dredd's error and its counts. */
function runHooked({ context, transactions }: Run): Promise<{ error?: Error; stats: DreddStats }> {
  reporterOutput.default.transports.console.silent = true; // it ignores `loglevel`
  const dredd = new Dredd({
    endpoint: context.target.address,
    http: { timeout: TIMEOUT_MS },
    path: [],
    apiDescriptions: [{ location: 'spec/openapi.yaml', content: describeTransactions(transactions) }],
    hookfiles: [join(import.meta.dirname, 'hooks.cjs')],
    loglevel: 'silent',
    color: false,
  });
  return new Promise((resolve) => {
    dredd.run((error, stats) => resolve(error ? { error, stats } : { stats }));
  });
}

/**
 * Runs the transactions until the run is stopped, and prints nothing.
 * @throws when Dredd has failed or left transactions out, or while another run is in progress
 */
export async function runDredd(run: Run): Promise<void> {
  if (current !== undefined) throw new Error('a run has not ended yet');
  current = run;
  const { error, stats } = await runHooked(run).finally(() => {
    current = undefined;
  });
  if (error !== undefined) throw new Error(`Dredd failed: ${error.message}`);
  if (run.stop.signal.aborted) return;
  const gaps = findGaps(stats, run);
  if (gaps.length > 0) throw new Error(`the run is incomplete: ${gaps.join('; ')}`);
}
