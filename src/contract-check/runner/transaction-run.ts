/** Runs single transactions for any client that sends their requests: plans a request, and judges its answer. */
import { AssertionError } from 'node:assert';
import { inspect } from 'node:util';
import type { PlannedRequest, RunContext } from '../planning/planned-request.ts';
import { requireContract } from '../requests/answer-contract.ts';
import { type Answer, exchange, isUnanswered, type Sent } from '../requests/exchange.ts';
import { REFUSALS } from './refusals.ts';
import { SUCCESSES } from './successes.ts';
import { expectedStatus, nameOf, type Transaction } from './transactions.ts';

/** `problem` undefined: the answer keeps the contract. `sent` undefined: no request could be prepared. */
export type Outcome = {
  transaction: Transaction;
  problem: string | undefined;
  durationMs: number;
  sent?: Sent | undefined;
  answer?: Answer | undefined;
};

/** `stop`: aborted with a sentence, it ends the run before the next transaction. */
export type Run = {
  context: RunContext;
  transactions: Transaction[];
  outcomes: Outcome[];
  stop: AbortController;
};

export const createRun = (
  context: RunContext,
  transactions: Transaction[],
  stop = new AbortController(),
): Run => ({ context, transactions, outcomes: [], stop });

/** A transaction under way: its request, or the reason why there is none. `startedAt` in milliseconds. */
export type Started = { transaction: Transaction; startedAt: number } & (
  | { planned: PlannedRequest; problem?: never }
  | { planned?: never; problem: string }
);

/** The value of `x-request-id`, which a client may choose. Each transaction has its own. */
const requestIdOf = ({ operationId, status }: Transaction) => `contract-${operationId}-${status}`;

/** The error code and the message of a refusal: `KNOWLEDGE_BASE_NOT_FOUND: There is no …`. */
function describeRefusal(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('errorCode' in body)) return undefined;
  return 'message' in body ? `${body.errorCode}: ${body.message}` : String(body.errorCode);
}

const show = (value: unknown): string => inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 4 });

/** What was thrown, for people. The generated client throws the bodies of refusals. */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `refused: ${describeRefusal(thrown) ?? show(thrown)}`;
  if (isUnanswered(thrown) || thrown.name === 'TimeoutError') return 'no answer came in time';
  if (thrown instanceof AssertionError && thrown.expected !== undefined)
    return `${thrown.message}\nexpected: ${show(thrown.expected)}\nreceived: ${show(thrown.actual)}`;
  return thrown.cause instanceof Error ? messageOf(thrown.cause) : thrown.message;
}

/** Settles as `work` does, or rejects as soon as the run is stopped. */
async function untilStopped<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const end = () => reject(new Error(String(signal.reason)));
  signal.addEventListener('abort', end);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Plans the request that gets the transaction's status. @throws when no plan is known for it */
async function plan(context: RunContext, { operationId, status }: Transaction): Promise<PlannedRequest> {
  if (status === '200') return await SUCCESSES[operationId](context);
  const refuse = REFUSALS[status];
  if (refuse === undefined) throw new Error(`no planned request gets a ${status}`);
  return await refuse(context, operationId);
}

/** Before the request. undefined: the run is stopped. */
export async function startTransaction(
  { context, stop: { signal } }: Run,
  transaction: Transaction,
): Promise<Started | undefined> {
  if (signal.aborted) return undefined;
  const startedAt = performance.now();
  try {
    const { sent, ...planned } = await untilStopped(signal, plan(context, transaction));
    const headers = { ...sent.headers, 'x-request-id': requestIdOf(transaction) };
    return { transaction, startedAt, planned: { ...planned, sent: { ...sent, headers } } };
  } catch (thrown) {
    if (signal.aborted) return undefined;
    return { transaction, startedAt, problem: `the request could not be prepared: ${messageOf(thrown)}` };
  }
}

/** Another status than the transaction's: with the error code and the message, or with the media type. */
function describeStatus(transaction: Transaction, { status, headers, body }: Answer): string {
  const what = describeRefusal(body) ?? headers['content-type'] ?? 'without a media type';
  return `answered ${status} instead of ${expectedStatus(transaction)} (${what})`;
}

/** The problem of the transaction's answer. undefined: none. */
async function findProblem({ transaction, planned, problem }: Started, answer: Answer | Error) {
  if (planned === undefined) return problem;
  if (answer instanceof Error) return `the request failed: ${messageOf(answer)}`;
  if (String(answer.status) !== expectedStatus(transaction)) return describeStatus(transaction, answer);
  try {
    requireContract(transaction.operationId, answer);
    await planned.check?.(answer);
  } catch (thrown) {
    return messageOf(thrown);
  }
  const requestId = answer.headers['x-request-id'];
  if (requestId === requestIdOf(transaction)) return undefined;
  return `x-request-id ${requestId} is not the client's own`;
}

/** Time-out of the question whether the service still answers, in milliseconds. */
const PROBE_TIMEOUT_MS = 5_000;

/** Stops the run when nothing answers any more: otherwise each further transaction would wait for its time-out. */
async function stopIfGone({ context, stop }: Run, transaction: Transaction): Promise<void> {
  const probe = { method: 'GET', path: '/livez' };
  await exchange(context.target.address, probe, PROBE_TIMEOUT_MS).catch((thrown: unknown) => {
    const reason = messageOf(thrown);
    stop.abort(`the service has not answered since the check ${nameOf(transaction)} (${reason})`);
  });
}

/**
 * After the answer, or after the error that came instead. Returns the problem. A transaction during which the run is
 * stopped has no outcome.
 */
export async function endTransaction(
  run: Run,
  started: Started,
  answer: Answer | Error,
): Promise<string | undefined> {
  const { signal } = run.stop;
  const { transaction, planned, startedAt } = started;
  const problem = await untilStopped(signal, findProblem(started, answer)).catch(messageOf);
  planned?.end?.();
  const durationMs = performance.now() - startedAt;
  if (problem !== undefined && !signal.aborted) await stopIfGone(run, transaction);
  if (signal.aborted) return undefined;
  const received = answer instanceof Error ? undefined : answer;
  run.outcomes.push({ transaction, problem, durationMs, sent: planned?.sent, answer: received });
  return problem;
}
