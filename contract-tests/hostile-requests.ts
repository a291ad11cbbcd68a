/** Bends good requests in every way we can think of, always the same ways for a seed. */
import fc from 'fast-check';
import type { OperationId } from './contract-check.ts';
import type { Sent } from './exchange.ts';
import { headerJunk, hostileText, hostileValue, queryJunk } from './hostile-values.ts';

type Fields = Record<string, unknown>;
type FieldChange = (fields: Fields) => Fields;

/** A good request: its fields stand in a JSON body (`isJson`) or in the query, beside which `body` is sent. */
export type GoodRequest = {
  /** undefined: an upload address. */
  operationId: OperationId | undefined;
  method: string;
  path: string;
  fields: Fields;
  isJson: boolean;
  headers: Record<string, string>;
  body?: string;
};

/** `operationId`: whose contract the answer has to keep; undefined: that of any other route. */
export type BentRequest = { operationId: OperationId | undefined; sent: Sent };

/** One change of the fields: one goes, one gets another value, or one more comes. */
const fieldChange: fc.Arbitrary<FieldChange> = fc.oneof(
  fc.nat(20).map((pick) => (fields: Fields) => {
    const names = Object.keys(fields);
    return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== names[pick % names.length]));
  }),
  {
    weight: 6,
    arbitrary: fc.tuple(fc.nat(20), hostileValue).map(([pick, value]) => (fields: Fields) => {
      const names = Object.keys(fields);
      return { ...fields, [names[pick % names.length] ?? 'query']: value };
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
  fc.constant((text: string) =>
    text.replace(/[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  ),
);

/** Present in `share` of a hundred. */
const sometimes = <T>(share: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: share, arbitrary }, { weight: 100 - share, arbitrary: fc.constant(undefined) });

const bends = fc.record({
  /** Which of the good requests; more than there are of them. */
  pick: fc.nat(1_000_000),
  fields: fc.oneof(
    { weight: 3, arbitrary: fc.array(fieldChange, { minLength: 1, maxLength: 3 }) },
    fc.constant<FieldChange[]>([]),
  ),
  text: sometimes(20, textChange),
  query: sometimes(20, queryJunk),
  headers: sometimes(20, headerJunk),
  method: sometimes(3, fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS')),
  path: sometimes(3, fc.constantFrom<string[]>('/%00', '/..', '%', '/x', ';a=b', '\\', '%2f')),
});

type Bends = typeof bends extends fc.Arbitrary<infer Value> ? Value : never;

/** Parameters are text; what is no text becomes JSON, and lone surrogates U+FFFD. */
const toQuery = (fields: Fields): string =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString();

function bend(
  good: GoodRequest,
  { fields: changes, text, query, headers, method, path = '' }: Bends,
): BentRequest {
  const fields = changes.reduce((changed, change) => change(changed), good.fields);
  const parts = [good.isJson ? '' : toQuery(fields), query ?? ''].filter((part) => part !== '');
  const body = good.isJson ? JSON.stringify(fields) : good.body;
  const hasBody = good.isJson || good.body !== undefined;
  const isSameRoute = path === '' && (method === undefined || method === good.method);
  return {
    operationId: isSameRoute ? good.operationId : undefined,
    sent: {
      method: method ?? good.method,
      path: `${good.path}${path}?${parts.join('&')}`,
      headers: { ...good.headers, ...headers },
      ...(hasBody && { body: text?.(body ?? '') ?? body }),
    },
  };
}

/** `count` bent requests, each made of one of the good ones; the same for the same seed. */
export function bendRequests(
  goods: GoodRequest[],
  { count, seed }: { count: number; seed: number },
): BentRequest[] {
  return fc.sample(bends, { numRuns: count, seed }).map((each) => {
    const good = goods[each.pick % goods.length];
    if (good === undefined) throw new Error('there is no good request to bend');
    return bend(good, each);
  });
}
