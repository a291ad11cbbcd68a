/** One good request for each operation and each other route. The fuzzers mutate these and write them as raw bytes. */
import { VALID_INPUTS } from '../../../src/contract-check/planning/valid-inputs.ts';
import { SENT_BYTES } from '../../../src/contract-check/requests/calling.ts';
import type { Sent } from '../../../src/contract-check/requests/exchange.ts';
import { toQuery } from '../../../src/contract-check/requests/query-string.ts';
import { inputsOf, operationOf, type Schema } from '../../../src/contract-check/spec/read-spec.ts';
import { OPERATION_IDS, type OperationId, ROUTES } from '../../../src/contract-check/spec/routes.ts';

/**
 * The contract that an answer must keep: of an operation, of a page (/docs, /metrics), or of any other route
 * (undefined). 'any': a changed path may lead to any of them.
 */
export type Route = OperationId | 'page' | undefined | 'any';

export type Fields = Record<string, unknown>;

/** A good request. Its fields are in a JSON body (`isJson`), or in the query. A query may have a `body` as well. */
export type GoodRequest = {
  route: Route;
  method: string;
  path: string;
  fields: Fields;
  isJson: boolean;
  headers: Record<string, string>;
  body?: string;
  /** Values just within and just beyond a field's bounds, by its name. */
  bounds: Record<string, unknown[]>;
};

/** A request, and the contract that its answer must keep. */
export type RoutedRequest = { route: Route; sent: Sent };

export type Target = {
  apiKey: string;
  /** Path and query of an upload address, and a body that it accepts. */
  upload: { path: string; body: string };
  /** Real ids, so that requests get as far as possible. */
  realIds?: Partial<Record<OperationId, Fields>>;
};

/** Values around the bounds of texts, numbers and lists: the two shortest and the two longest. */
function valuesAtBounds({ type, minLength = 0, maxLength, minimum, maximum, maxItems }: Schema): unknown[] {
  if (type === 'string' && maxLength !== undefined)
    return [minLength - 1, minLength, maxLength, maxLength + 1]
      .filter((length) => length >= 0)
      .map((length) => '😀'.repeat(length));
  if (type === 'array' && maxItems !== undefined)
    return [[], ...[maxItems, maxItems + 1].map((length) => Array(length).fill('x'.repeat(36)))];
  return [minimum, maximum].flatMap((bound) => (bound === undefined ? [] : [bound - 1, bound, bound + 1]));
}

const BOUNDS = new Map(
  OPERATION_IDS.map((operationId) => [
    operationId,
    Object.fromEntries(
      Object.entries(inputsOf(operationOf(operationId))).map(([name, schema]) => [
        name,
        valuesAtBounds(schema),
      ]),
    ),
  ]),
);

/** Routes whose successful answer is not an envelope. */
const PAGES = ['/docs', '/docs/page.mjs', '/docs/swagger-ui-bundle.js', '/openapi.json', '/metrics'];
const OTHERS = ['/', '/livez', '/readyz', '/v1', '/v1/nothing', '/uploads', '/downloads', '/favicon.ico'];

const get = (route: Route, path: string): GoodRequest => ({
  route,
  method: 'GET',
  path,
  fields: {},
  isJson: false,
  headers: {},
  bounds: {},
});

function toOperation(operationId: OperationId, { apiKey, realIds = {} }: Target): GoodRequest {
  const { method, path, body: kind } = ROUTES[operationId];
  const mediaType = kind === 'json' ? 'application/json' : 'application/octet-stream';
  return {
    route: operationId,
    method,
    path,
    fields: { ...VALID_INPUTS[operationId], ...realIds[operationId] },
    isJson: kind === 'json',
    headers: { 'x-api-key': apiKey, ...(kind !== undefined && { 'content-type': mediaType }) },
    ...(kind === 'bytes' && { body: SENT_BYTES }),
    bounds: BOUNDS.get(operationId) ?? {},
  };
}

function toUpload({ upload }: Target): GoodRequest {
  const [path = '', query] = upload.path.split('?');
  const fields = Object.fromEntries(new URLSearchParams(query));
  return { ...get(undefined, path), method: 'PUT', fields, body: upload.body };
}

/** One good request for each operation, and one for the upload address. */
export const goodRequests = (target: Target): GoodRequest[] => [
  ...OPERATION_IDS.map((operationId) => toOperation(operationId, target)),
  toUpload(target),
];

/** Good requests for the routes that only the service has, and the mock lacks. */
export const otherRequests: GoodRequest[] = [
  ...PAGES.map((path) => get('page', path)),
  ...OTHERS.map((path) => get(undefined, path)),
];

/** The request with these fields, and the path and query that match them. */
export function toSent({ method, path, isJson, headers, body }: GoodRequest, fields: Fields): Sent {
  if (isJson) return { method, path, headers, body: JSON.stringify(fields) };
  const query = toQuery(fields);
  return { method, path: query === '' ? path : `${path}?${query}`, headers, body };
}
