/** The options with which the generated client calls an operation. */
import { createClient } from '../../../generated/client/index.ts';
import { invalidArgument, parseJson, toClientError, unexpectedAnswer } from '../errors.ts';
import { readText, send } from '../requests/send.ts';
import type { CallOptions, Context, CreateOptions } from '../settings.ts';

/** `waitMs`: how long the request may wait at the service; it is added to the time limits. The rest: see `send`. */
type OperationOptions = { waitMs?: number; isCharged?: boolean; onLostAnswer?: () => void };

/** Whether a body is a success of the service: each has an object or array in `data`. */
const hasPayload = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  'data' in body &&
  typeof body.data === 'object' &&
  body.data !== null;

/** Writes a query string. The service takes objects in JSON; the generated client would write each field by itself. */
export const writeQuery = (fields: Record<string, unknown>): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
      return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
    })
    .join('&');

/** Makes the options with which the generated client calls an operation: it fetches by `send`, in its turn. */
export function createRequestOptions({ baseUrl, apiKey, semaphores, ...context }: Context) {
  const client = createClient({
    baseUrl,
    headers: { 'x-api-key': apiKey },
    querySerializer: writeQuery,
  });
  // The generated client may throw before it makes a request, for example for a cyclic input.
  client.interceptors.error.use(toClientError);
  return (call: CallOptions, { waitMs = 0, ...manner }: OperationOptions = {}) => {
    const { signal, timeoutMs = context.timeoutMs, deadlineMs = context.deadlineMs } = call;
    const { retries = context.retries } = call;
    const limits = { timeoutMs: timeoutMs + waitMs, deadlineMs: deadlineMs + waitMs, retries };
    const { fetch, answeredOrigins } = context;
    const fetchBySend = async (request: Request): Promise<Response> => {
      const { url: address, method, headers } = request;
      const body = method === 'GET' ? undefined : await request.text();
      const outgoing = { address, method, headers, body, signal };
      const sendInTurn = () =>
        semaphores.requests.run(
          () => send(outgoing, { fetch, answeredOrigins, ...limits, ...manner }, readText),
          signal,
        );
      const { response, body: text } = await (waitMs > 0
        ? semaphores.longPolls.run(sendInTurn, signal)
        : sendInTurn());
      if (!hasPayload(parseJson(text))) throw unexpectedAnswer(response, text);
      return new Response(text, response);
    };
    // The generated client calls fetch with a Request only.
    return { client, throwOnError: true, parseAs: 'json', fetch: fetchBySend as typeof fetch } as const;
  };
}

export type RequestOptions = ReturnType<typeof createRequestOptions>;

/** Bytes of a key, as in a UUID. `crypto.randomUUID` itself exists only in web pages that came by https. */
const KEY_BYTES = 16;

/** The form of a key, as the service accepts it. */
const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The options of an operation that creates something: all attempts have the same Idempotency-Key. */
export const createIdempotentOptions = (options: RequestOptions) => {
  return ({ idempotencyKey = createKey(), ...call }: CreateOptions) => {
    if (!KEY_FORM.test(idempotencyKey))
      throw invalidArgument('idempotencyKey', 'idempotencyKey must be 1 to 255 visible ASCII characters.');
    return { headers: { 'Idempotency-Key': idempotencyKey }, ...options(call) };
  };
};
