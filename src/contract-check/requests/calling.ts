/** Two ways to call the service, both checked against the spec: the generated client, and raw requests. */
import type { OutgoingHttpHeaders } from 'node:http';
import { createClient } from '../../../generated/client/index.ts';
import { OPERATION_IDS, type OperationId, ROUTES } from '../spec/routes.ts';
import { requireContract, selectsFields } from './answer-contract.ts';
import { createApi } from './api.ts';
import { type Answer, exchange, parseJson, type Sent } from './exchange.ts';
import { toQuery } from './query-string.ts';

/** @throws an Error when the answer to a request of the generated client violates the contract */
export async function requireResponse(
  request: Pick<Request, 'url'>,
  response: Response,
  isSelection = false,
): Promise<void> {
  const { pathname } = new URL(request.url);
  const operationId = OPERATION_IDS.find((id) => pathname.endsWith(ROUTES[id].path));
  const { status } = response;
  const text = await response.clone().text();
  const headers = Object.fromEntries(response.headers);
  requireContract(operationId, { status, headers, text, body: parseJson(text) }, isSelection);
}

/** Time-out of a request, in milliseconds: the longest wait of an operation (30 s), and time for its answer. */
const TIMEOUT_MS = 45_000;

/** fetch for the generated client; rejects an answer that violates the contract, or does not come in time. */
export async function fetchChecked(request: Request): Promise<Response> {
  const isSelection = selectsFields(await request.clone().text());
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(request, { signal });
  await requireResponse(request, response, isSelection);
  return response;
}

/** Fields of any kind: a body in JSON, or query parameters. Text and bytes are sent as they are. */
export type Input = object | string | Uint8Array | null | undefined;

/** Sends any input to an operation. These headers replace the usual ones (undefined removes one). */
export type RequestOperation = (
  operationId: OperationId,
  input?: Input,
  headers?: OutgoingHttpHeaders,
) => Promise<Answer>;

const isVerbatim = (input: Input): input is string | Uint8Array | undefined =>
  input === undefined || typeof input === 'string' || input instanceof Uint8Array;

/** The file that an operation gets which takes one. */
export const SENT_BYTES = 'The gauge of the quayside crane is read at dawn.';

/** The request of an operation with this input, without a key. */
export function toSent(operationId: OperationId, input: Input): Sent {
  const { method, path, body: kind } = ROUTES[operationId];
  if (kind === 'json') {
    const body = isVerbatim(input) ? input : JSON.stringify(input);
    return { method, path, headers: { 'content-type': 'application/json' }, body };
  }
  const query = isVerbatim(input) ? (input ?? '') : toQuery(input ?? {});
  const sent = { method, path: `${path}?${query}` };
  if (kind === undefined) return sent;
  return { ...sent, headers: { 'content-type': 'application/octet-stream' }, body: SENT_BYTES };
}

const withoutUndefined = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));

/** Both ways to call one service with one key. */
export function createCaller({ address, apiKey }: { address: string; apiKey: string }) {
  const client = createClient({
    baseUrl: address,
    headers: { 'x-api-key': apiKey },
    querySerializer: toQuery,
    fetch: fetchChecked as typeof fetch, // the client calls it with a Request only
  });
  const request: RequestOperation = async (operationId, input, headers = {}) => {
    const sent = toSent(operationId, input);
    const all = withoutUndefined({ 'x-api-key': apiKey, ...sent.headers, ...headers });
    const answer = await exchange(address, { ...sent, headers: all });
    requireContract(operationId, answer, selectsFields(sent.body));
    return answer;
  };
  return { address, apiKey, api: createApi(client), request };
}

export type Caller = ReturnType<typeof createCaller>;
