/** MCP over HTTP (streamable, without sessions): each message is answered alone, so that any server may answer it. */
import { REQUEST_WAIT_MAX_MS } from '../concurrency/wait-queue.ts';
import { createBodyMemory, type HeldBody } from '../http/capacity/body-memory.ts';
import type { McpMessage } from '../http/routes/routes.ts';
import { overloaded } from '../terms/errors.ts';
import type { createMessageHandler } from './message-handler.ts';

type Guards = {
  /** @throws UNAUTHORIZED */
  authenticate(key: string): Promise<{ keyId: string; accountId: string; scope: string }>;
  /** @throws RATE_LIMITED */
  limitRate(keyId: string): Promise<unknown>;
};

/**
 * Clients that listen for changes at the same time: of all accounts, and of one. There are no changes to tell, but they
 * may hold a connection.
 */
const LISTENERS_MAX = 1_024;
const OWN_LISTENERS_MAX = 32;
/**
 * Memory for messages that add texts: two of the largest for one account, four in all. It is apart from the memory of
 * other bodies: a message keeps its own until its tool's request, which needs that memory, has been answered.
 */
const BODIES_MAX_BYTES = 16 * 2 ** 20;

/** Whether a message, or one of a batch, opens a stream that lasts until its client hangs up. */
const isListening = (message: unknown): boolean =>
  [message].flat().some((each: unknown) => Object(each).method === 'subscriptions/listen');

/**
 * Counts the listeners of each account. Returns a function that throws SERVICE_UNAVAILABLE where there are too many.
 */
function createListenerLimit() {
  const counts = new Map<string, number>();
  const add = (accountId: string, change: number) => {
    const count = (counts.get(accountId) ?? 0) + change;
    if (count > 0) counts.set(accountId, count);
    else counts.delete(accountId);
  };
  return (accountId: string, client: McpMessage['client']): void => {
    if ((counts.get(accountId) ?? 0) >= OWN_LISTENERS_MAX) throw overloaded();
    add(accountId, 1);
    client.once('close', () => add(accountId, -1));
  };
}

/**
 * Creates the function that answers messages. Tools send their requests to this server over loopback, with the key of
 * the message: they pass through the same checks, limits and logs as all others. A call of handlers past those would
 * save about a millisecond.
 */
export function createMcpEndpoint({ authenticate, limitRate }: Guards, ending: AbortSignal) {
  let loaded: Promise<ReturnType<typeof createMessageHandler>> | undefined;
  const loadHandler = () => {
    loaded ??= import('./message-handler.ts').then((module) =>
      module.createMessageHandler(LISTENERS_MAX, ending),
    );
    return loaded;
  };
  const memory = createBodyMemory(BODIES_MAX_BYTES);
  const limitListeners = createListenerLimit();
  return async (message: McpMessage): Promise<Response> => {
    const { key, request, client, readBody, serviceAddress, publicAddress } = message;
    const { keyId, accountId, scope } = await authenticate(key);
    await limitRate(keyId);
    const authInfo = {
      token: key,
      clientId: keyId,
      scopes: [scope],
      extra: { serviceAddress, publicAddress },
    };
    const answer = await loadHandler();
    if (request.method !== 'POST') return await answer(request, { authInfo });
    let held: HeldBody | undefined;
    const body = () => {
      held ??= memory.begin(accountId, { client, waitMaxMs: REQUEST_WAIT_MAX_MS });
      return held;
    };
    // An answer may be a stream that goes on after it has begun.
    client.once('close', () => held?.release());
    const parsedBody = await readBody({ body, runHeavy: async (act) => act() });
    if (isListening(parsedBody)) {
      limitListeners(accountId, client);
      message.beginListening();
    }
    return await answer(request, { authInfo, parsedBody });
  };
}
