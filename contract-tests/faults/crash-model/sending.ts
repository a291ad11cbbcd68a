/** Sends the requests of a crash run to a service that comes and goes, and says what is known of each afterwards. */
import { setTimeout as delay } from 'node:timers/promises';
import { toSent } from '../../harness/calling.ts';
import { type OperationId, requireContract } from '../../harness/contract-check.ts';
import { type Answer, exchange, isUnanswered, type Sent } from '../../harness/exchange.ts';
import type { RunningService } from '../../harness/service-process.ts';
import type { Span } from './lifetime.ts';
import type { Tally, World, Wrong } from './world.ts';

/** `service`: where the next request goes; another address after each start of a server. */
export type Target = { world: World; service(): RunningService };

/** Undefined as an answer: lost, or one that only says "later". `isSent` false: nobody was there to hear it. */
type Attempt = Span & { answer: Answer | undefined; isSent: boolean };

/** `doubted`: an attempt before the answered one may have had its effect. No answer: given up in doubt. */
export type Outcome = Span & { answer: Answer | undefined; doubted: boolean };

/** An operation, or with `undefined` another route of the service. */
export type PlannedRequest = { operationId: OperationId | undefined; sent: Sent };

/** What a client tries in vain while something is dead. */
const RETRY_PAUSE_MS = 200;

/** What the contract allows to say "later". */
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

/** Closed sockets are what a killed server looks like; an answer that `exchange` has waited for in vain is a fault. */
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

/** One try. */
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
 * Tries until there is an answer, as a client does that knows its request may be repeated; with `givesUp` only until
 * somebody may have heard it.
 */
export async function persist(
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

/** The payload of an answer. */
export const dataOf = <Data>({ body }: Answer): Data => (body as { data: Data }).data; // held against the contract before
