/** Mutates good requests in every way that we know. The same seed makes the same mutations. */
import type { OutgoingHttpHeaders } from 'node:http';
import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { toQuery } from '../../../src/contract-check/requests/query-string.ts';
import type { Fields, GoodRequest, RoutedRequest } from '../contract/good-requests.ts';
import { headerJunk, hostileText, hostileValue, pathJunk, queryJunk } from './hostile-values.ts';

/** Mutates the fields of a good request. */
type FieldChange = (fields: Fields, good: GoodRequest) => Fields;

/** The entry of the list at `pick`, modulo its length; undefined for an empty list. */
const pickFrom = <T>(list: T[], pick: number): T | undefined => list[pick % list.length];

/** One change of the fields: deletes one, replaces its value, or adds one. */
const fieldChange: fc.Arbitrary<FieldChange> = fc.oneof(
  fc.nat(20).map((pick) => (fields: Fields) => {
    const gone = pickFrom(Object.keys(fields), pick);
    return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== gone));
  }),
  {
    weight: 6,
    arbitrary: fc.tuple(fc.nat(20), hostileValue).map(([pick, value]) => (fields: Fields) => ({
      ...fields,
      [pickFrom(Object.keys(fields), pick) ?? 'query']: value,
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(20), fc.nat(20))
      .map(([pick, pickValue]) => (fields: Fields, { bounds }: GoodRequest) => {
        const name = pickFrom(Object.keys(bounds), pick);
        return name === undefined ? fields : { ...fields, [name]: pickFrom(bounds[name] ?? [], pickValue) };
      }),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(20), fc.oneof(hostileValue, fc.dictionary(hostileText, hostileValue, { maxKeys: 3 })))
      .map(([pick, value]) => (fields: Fields, { bounds }: GoodRequest) => {
        const name = pickFrom(Object.keys(bounds), pick);
        return name === undefined ? fields : { ...fields, [name]: value };
      }),
  },
  fc.tuple(hostileText, hostileValue).map(
    ([name, value]) =>
      (fields: Fields) =>
        Object.fromEntries([...Object.entries(fields), [name, value]]),
  ),
);

/** Breaks the text of a body, or its bytes. */
const textChange: fc.Arbitrary<(text: string) => string | Uint8Array> = fc.oneof(
  fc.nat(200).map((at) => (text: string) => text.slice(0, at)),
  fc.tuple(fc.nat(200), hostileText).map(
    ([at, junk]) =>
      (text: string) =>
        text.slice(0, at) + junk + text.slice(at),
  ),
  fc.tuple(fc.nat(200), fc.uint8Array({ maxLength: 8 })).map(([at, junk]) => (text: string) => {
    const bytes = Buffer.from(text);
    return Buffer.concat([bytes.subarray(0, at), junk, bytes.subarray(at)]);
  }),
  fc.nat(3000).map((depth) => (text: string) => '['.repeat(depth) + text + ']'.repeat(depth)),
  fc.constant((text: string) => JSON.stringify(text)),
  // Repeats the first field, with another value in front.
  hostileValue.map(
    (value) => (text: string) =>
      text.replace(/^\{("\w+"):/, (start, name) => `{${name}:${JSON.stringify(value)},${start.slice(1)}`),
  ),
  fc.constantFrom<(text: string) => string | Uint8Array>(
    (text) => Buffer.from(text, 'utf16le'),
    (text) => Buffer.from(text, 'latin1'),
    (text) => `\ufeff${text}`,
  ),
  fc.constant((text: string) =>
    text.replace(/[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  ),
);

/** The value in `percent` of all cases, otherwise undefined. */
const sometimes = <T>(percent: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: percent, arbitrary }, { weight: 100 - percent, arbitrary: fc.constant(undefined) });

/** A body in another encoding, with the header that declares it. */
const ENCODINGS: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  gzip: (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => bytes,
  identity: (bytes) => bytes,
};

const mutations = fc.record({
  /** The index of a good request, modulo their number. */
  pick: fc.nat(1_000_000),
  fields: fc.oneof(
    { weight: 3, arbitrary: fc.array(fieldChange, { minLength: 1, maxLength: 3 }) },
    fc.constant<FieldChange[]>([]),
  ),
  text: sometimes(20, textChange),
  query: sometimes(20, queryJunk),
  /** Repeats one parameter, with this value. */
  repeated: sometimes(5, fc.tuple(fc.nat(20), hostileText)),
  headers: sometimes(20, headerJunk),
  encoding: sometimes(3, fc.constantFrom(...Object.keys(ENCODINGS))),
  method: sometimes(
    3,
    fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'),
  ),
  path: sometimes(5, pathJunk),
});

type Mutation = typeof mutations extends fc.Arbitrary<infer Value> ? Value : never;

/** The query of a mutated request, without empty parts. */
function mutateQuery({ isJson }: GoodRequest, fields: Fields, { query = '', repeated }: Mutation): string {
  const [pick, value] = repeated ?? [0, ''];
  const name = pickFrom(Object.keys(fields), pick);
  const again = repeated === undefined || name === undefined ? {} : { [name]: value };
  return [isJson ? '' : toQuery(fields), toQuery(again), query].filter((part) => part !== '').join('&');
}

/** The body of a mutated request and its headers; none for a request without a body. */
function mutateBody(
  { isJson, body: goodBody }: GoodRequest,
  fields: Fields,
  { text, encoding }: Mutation,
): { body?: string | Uint8Array; headers?: OutgoingHttpHeaders } {
  const good = isJson ? JSON.stringify(fields) : goodBody;
  if (good === undefined) return {};
  const body = text?.(good) ?? good;
  const encode = encoding === undefined ? undefined : ENCODINGS[encoding];
  if (encode === undefined) return { body };
  return { body: encode(Buffer.from(body)), headers: { 'content-encoding': encoding } };
}

/** Node's client sets the Content-Length only for methods that usually have a body. */
const lengthOf = (
  body: string | Uint8Array | undefined,
  headers: OutgoingHttpHeaders,
): OutgoingHttpHeaders =>
  body === undefined || 'transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(body) };

function mutate(good: GoodRequest, mutation: Mutation): RoutedRequest {
  const { fields: changes, headers, method, path } = mutation;
  const fields = changes.reduce((changed, change) => change(changed, good), good.fields);
  const query = mutateQuery(good, fields, mutation);
  const { body, headers: bodyHeaders } = mutateBody(good, fields, mutation);
  const sentHeaders = { ...good.headers, ...bodyHeaders, ...headers };
  const isSameRoute = path === undefined && (method === undefined || method === good.method);
  return {
    route: isSameRoute ? good.route : 'any',
    sent: {
      method: method ?? good.method,
      path: `${path?.(good.path) ?? good.path}?${query}`,
      headers: { ...sentHeaders, ...lengthOf(body, sentHeaders) },
      body,
    },
  };
}

/** One of the good requests, mutated. `goods` is called each time. */
export const mutatedRequest = (goods: () => GoodRequest[]): fc.Arbitrary<RoutedRequest> =>
  mutations.map((each) => {
    const good = pickFrom(goods(), each.pick);
    if (good === undefined) throw new Error('there is no good request to mutate');
    return mutate(good, each);
  });
