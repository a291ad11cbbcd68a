/** Filters of documents without any SQL, and random ones, for tests that compare both. */
import fc from 'fast-check';
import type { Attributes, Filter } from '../../../generated/types.gen.ts';

type Value = string | number | boolean;
/** The attributes of a document and its own fields; `$createdAt` in milliseconds since 1970. */
export type Fields = Record<string, Value | string[] | undefined>;

/** Whether a document fits a filter, in the contract's words. */
export function fits(fields: Fields, filter: Filter): boolean {
  if ('filters' in filter) {
    const { type, filters } = filter;
    if (type === 'and') return filters.every((part) => fits(fields, part));
    return filters.some((part) => fits(fields, part)) === (type === 'or');
  }
  const own = fields[filter.key];
  if (filter.type === 'exists') return own !== undefined;
  const owned = own === undefined ? [] : [own].flat();
  const isTime = filter.key === '$createdAt';
  const read = (value: Value): Value => (isTime ? Date.parse(String(value)) : value);
  const isSame = (value: Value) => owned.some((each) => each === read(value));
  const compares = (does: (order: number) => boolean, value: Value) =>
    owned.some((each) => {
      const wanted = read(value);
      if (typeof each === 'number' && typeof wanted === 'number') return does(each - wanted);
      if (typeof each !== 'string' || typeof wanted !== 'string') return false;
      return does(Buffer.compare(Buffer.from(each), Buffer.from(wanted)));
    });
  switch (filter.type) {
    case 'eq':
      return isSame(filter.value);
    case 'ne':
      return !isSame(filter.value);
    case 'in':
      return filter.value.some(isSame);
    case 'nin':
      return !filter.value.some(isSame);
    case 'contains':
      return typeof own === 'string' || Array.isArray(own) ? own.includes(filter.value) : false;
    case 'gt':
      return compares((order) => order > 0, filter.value);
    case 'gte':
      return compares((order) => order >= 0, filter.value);
    case 'lt':
      return compares((order) => order < 0, filter.value);
    case 'lte':
      return compares((order) => order <= 0, filter.value);
  }
}

/** Texts for values, also those that SQL, JSON or a path language would have to quote. */
export const TEXTS = [
  '',
  'a',
  'ab',
  'b',
  'B',
  'ä',
  'Straße',
  '\uffff',
  '😀',
  '%_',
  '"\\',
  "it's",
  '$x',
  'a\nb',
  '.*',
];
const NUMBERS = [-5e22, -1.5, 0, 1e-7, 1, 2, 10, 9_007_199_254_740_991, 1.5e300];
const KEYS = ['a', 'b.c', '-'];

const text = fc.constantFrom(...TEXTS);
const number = fc.constantFrom(...NUMBERS);
const value = fc.oneof(text, number, fc.boolean());
export const arbitraryAttributes: fc.Arbitrary<Attributes> = fc.dictionary(
  fc.constantFrom(...KEYS),
  fc.oneof(value, fc.array(text, { maxLength: 3 })),
  { noNullPrototype: true },
);

/** Filters on these attributes and on the fields of documents. `times`: values for `$createdAt`. */
export function arbitraryFilter(times: string[]): fc.Arbitrary<Filter> {
  const time = fc.constantFrom(...times, '2026-01-02', '2026-01-02T04:04:05.678+01:00');
  const key = fc.constantFrom(...KEYS, 'missing', '$title', '$sourceUrl', '$type');
  const comparison: fc.Arbitrary<Filter> = fc.oneof(
    fc.record({ type: fc.constantFrom('eq', 'ne'), key, value }),
    fc.record({ type: fc.constantFrom('gt', 'gte', 'lt', 'lte'), key, value: fc.oneof(text, number) }),
    fc.record({ type: fc.constantFrom('in', 'nin'), key, value: fc.array(value, { maxLength: 4 }) }),
    fc.record({ type: fc.constant('contains' as const), key, value: text }),
    fc.record({ type: fc.constant('exists' as const), key }),
    fc.record({
      type: fc.constantFrom('eq', 'gt', 'gte', 'lt', 'lte', 'ne'),
      key: fc.constant('$createdAt'),
      value: time,
    }),
  ) as fc.Arbitrary<Filter>; // the types of fast-check lose the pairs of type and value
  return fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 4 },
      comparison,
      fc.record({
        type: fc.constantFrom('and', 'or', 'not'),
        filters: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
      }) as fc.Arbitrary<Filter>,
    ),
  })).filter;
}
