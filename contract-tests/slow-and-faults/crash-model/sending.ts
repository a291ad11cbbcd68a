/** Sends the requests of a crash run to a service that is often down. Returns what is known about each afterwards. */
import { setTimeout as delay } from 'node:timers/promises';
import { requireContract } from '../../../src/contract-check/requests/answer-contract.ts';
import { toSent } from '../../../src/contract-check/requests/calling.ts';
import {
  type Answer,
  exchange,
  isUnanswered,
  type Sent,
} from '../../../src/contract-check/requests/exchange.ts';
import type { OperationId } from '../../../src/contract-check/spec/routes.ts';
import type { RunningService } from '../../harness/service/service-process.ts';
import type { Span } from './lifetime.ts';
import type { Tally, World, Wrong } from './world.ts';

/** `service`: where the next request goes. The address changes with each start of a server. */
export type Target = { world: World; service(): RunningService };

/** `answer` undefined: it was lost, or means "later". `isSent` false: no server received the request. */
type Attempt = Span & { answer: Answer | undefined; isSent: boolean };

/** `doubted`: an earlier attempt without an answer may have had its effect. `answer` undefined: the client gave up. */
export type Outcome = Span & { answer: Answer | undefined; doubted: boolean };

/** An operation, or (undefined) another route of the service. */
export type PlannedRequest = { operationId: OperationId | undefined; sent: Sent };

/** Pause between two attempts while something is down. */
const RETRY_PAUSE_MS = 200;

/** The statuses by which the contract says "later". */
const LATER = [503, 429];

export function complain({ violations }: World, wrong: Wrong, what: string): void {
  violations.push({ wrong, what });
}

export function planRequest(
  operationId: OperationId,
  input: object,
  headers: Record<string, string> = {},
): PlannedRequest {
  const sent = toSent(operationId, input);
  return { operationId, sent: { ...sent, headers: { ...sent.headers, ...headers } } };
}

/** A killed server closes its sockets. So it is a fault if `exchange` waits until its time-out. */
function judgeSilence(world: World, { sent }: PlannedRequest, error: unknown): void {
  if (isUnanswered(error)) {
    complain(world, 'fault', `${sent.method} ${sent.path} was not answered at all`);
  }
}

function judgeAnswer(world: World, { operationId, sent }: PlannedRequest, answer: Answer): void {
  try {
    requireContract(operationId, answer);
  } catch (error) {
    complain(world, 'fault', String(error));
  }
  if (answer.status >= 500 && answer.status !== 503)
    complain(world, 'fault', `${sent.method} ${sent.path} answered ${answer.status} ${answer.text}`);
}

function count({ tallies }: World, { operationId }: PlannedRequest, outcome: keyof Tally): void {
  const name = operationId ?? 'upload';
  const tally = tallies.get(name) ?? { acknowledged: 0, refused: 0, inDoubt: 0 };
  tally[outcome]++;
  tallies.set(name, tally);
}

/** Sends the request once, and counts its result. */
export async function attempt(target: Target, request: PlannedRequest): Promise<Attempt> {
  const tried = await send(target, request);
  const { answer, isSent } = tried;
  if (answer !== undefined) count(target.world, request, answer.status === 200 ? 'acknowledged' : 'refused');
  else if (isSent) count(target.world, request, 'inDoubt');
  return tried;
}

async function send({ world, service }: Target, request: PlannedRequest): Promise<Attempt> {
  const { address, apiKey } = service();
  const { sent, operationId } = request;
  const key = operationId === undefined ? {} : { 'x-api-key': apiKey };
  const sentAt = world.clock();
  try {
    const answer = await exchange(address, { ...sent, headers: { ...sent.headers, ...key } });
    const answeredAt = world.clock();
    judgeAnswer(world, request, answer);
    return { sentAt, answeredAt, answer: LATER.includes(answer.status) ? undefined : answer, isSent: true };
  } catch (error) {
    judgeSilence(world, request, error);
    const { code } = error as NodeJS.ErrnoException; // Node's network errors have one
    return { sentAt, answeredAt: world.clock(), answer: undefined, isSent: code !== 'ECONNREFUSED' };
  }
}

/**
 * Retries until an answer other than "later", as a client does with repeatable requests.
 * With `givesUp` it retries only until a server may have received the request.
 */
export async function sendUntilAnswered(
  target: Target,
  request: PlannedRequest,
  { givesUp = false } = {},
): Promise<Outcome> {
  let doubted = false;
  let sentAt: number | undefined;
  for (;;) {
    const { answer, isSent, ...span } = await attempt(target, request);
    sentAt ??= span.sentAt;
    if (answer !== undefined || (isSent && givesUp)) {
      return { answer, sentAt, answeredAt: span.answeredAt, doubted };
    }
    doubted ||= isSent;
    await delay(RETRY_PAUSE_MS);
  }
}

/** The payload of an answer, which has been checked against the contract. */
export const dataOf = <Data>({ body }: Answer): Data => (body as { data: Data }).data;
