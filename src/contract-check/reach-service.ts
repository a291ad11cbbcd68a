/** Checks before a run that a service is there, and that the key may do all that the run does. */
import type { Target } from './planning/target.ts';
import { toSent } from './requests/calling.ts';
import { type Answer, exchange, isUnanswered } from './requests/exchange.ts';
import { messageOf } from './runner/transaction-run.ts';
import type { OperationId } from './spec/routes.ts';

/** Why nothing can be checked: a sentence for people. */
export class CannotCheck extends Error {}

/** Explains why an address cannot be reached, in a sentence; undefined: nothing better is known than the error. */
export type ExplainUnreachable = (address: string, error: unknown) => Promise<string | undefined>;

const TIMEOUT_MS = 10_000;

async function ask(
  { address, apiKey }: Target,
  operationId: OperationId,
  explain: ExplainUnreachable = async () => undefined,
): Promise<Answer> {
  const { method, path } = toSent(operationId, {});
  const sent = { method, path, headers: { 'x-api-key': apiKey } };
  return await exchange(address, sent, TIMEOUT_MS).catch(async (thrown: unknown) => {
    const explained = await explain(address, thrown);
    if (explained !== undefined) throw new CannotCheck(explained);
    if (isUnanswered(thrown))
      throw new CannotCheck(
        `${address} takes connections, but did not answer within ${TIMEOUT_MS / 1000} seconds.`,
      );
    throw new CannotCheck(
      `Nothing answers at ${address} (${messageOf(thrown)}): start the service there, or give its address.`,
    );
  });
}

type Envelope = { errorCode?: string; message?: string };

/** The envelope that all answers of the service have; undefined: this answer has none. */
const envelopeOf = ({ body }: Answer): Envelope | undefined =>
  typeof body === 'object' && body !== null && 'success' in body && 'data' in body
    ? (body as Envelope)
    : undefined; // the spec has these two as text

function requireSuccess({ address }: Target, answer: Answer): void {
  const { status, headers } = answer;
  const envelope = envelopeOf(answer);
  if (envelope === undefined)
    throw new CannotCheck(
      `${address} is no knowledge retrieval service: it answered ${status} ` +
        `(${headers['content-type'] ?? 'without a media type'}) to GET /v1/getUsage. Give the service's address.`,
    );
  if (status === 401) throw new CannotCheck(`The service at ${address} refuses the key: give another one.`);
  if (status === 200) return;
  const { errorCode, message } = envelope;
  if (errorCode === 'KEY_NOT_PERMITTED')
    throw new CannotCheck(
      'The key may not do all that is checked: give one of the scope write, for all knowledge bases.',
    );
  throw new CannotCheck(`The service at ${address} answered ${status} (${errorCode}: ${message}).`);
}

/** The requests of a run, within seconds: 544 were counted. */
const NEEDED_REQUESTS = 600;

/** With a lower limit nearly all checks would fail, and the last ones could not delete what the first have created. */
function requireRate({ body }: Answer): void {
  // The envelope; its data is checked later.
  const { data } = body as { data?: { limits?: { requestsPerMinute?: number | null } } };
  const allowed = data?.limits?.requestsPerMinute;
  if (typeof allowed === 'number' && allowed < NEEDED_REQUESTS)
    throw new CannotCheck(
      `The service allows each key ${allowed} requests a minute, and the checks need ` +
        `${NEEDED_REQUESTS}. The limit is ` +
        'a setting of the server: have its operator raise RATE_LIMIT_PER_MINUTE there, ' +
        'or check another server of the ' +
        'same version.',
    );
}

/** Returns the lists of the account. @throws a CannotCheck */
export async function requireService(
  target: Target,
  explain?: ExplainUnreachable,
): Promise<{ webhooks: Answer; knowledgeBases: Answer }> {
  const usage = await ask(target, 'getUsage', explain);
  requireSuccess(target, usage);
  requireRate(usage);
  const webhooks = await ask(target, 'listWebhooks'); // for keys of the widest rights only
  requireSuccess(target, webhooks);
  return { webhooks, knowledgeBases: await ask(target, 'listKnowledgeBases') };
}
