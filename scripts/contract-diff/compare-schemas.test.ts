/** Checks the comparison against a validator: if a change passes, the receiver accepts every value that is sent. */
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareSchemas, type Schema, type Side } from './compare-schemas.ts';

const ajv = new Ajv({ strict: false });

const bound = fc.option(fc.nat(4), { nil: undefined });
const withoutUndefined = (schema: Record<string, unknown>): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));

const NAMES = ['a', 'b'] as const;
const names = fc.subarray([...NAMES]);

/** Small schemas, so that two of them are often alike. */
const { schema: schemas } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    fc.record({ type: fc.constantFrom('string'), minLength: bound, maxLength: bound }).map(withoutUndefined),
    fc
      .record({ type: fc.constantFrom('integer', 'number'), minimum: bound, maximum: bound })
      .map(withoutUndefined),
    fc
      .record({ type: fc.constant('string'), nullable: fc.constantFrom(true, undefined) })
      .map(withoutUndefined),
    fc
      .subarray([0, 1, 'a', 'bb'])
      .filter((list) => list.length > 0)
      .map((list) => ({ enum: list })),
    fc.record({ type: fc.constant('array'), items: tie('schema'), maxItems: bound }).map(withoutUndefined),
    fc.tuple(tie('schema'), tie('schema')).map((oneOf) => ({ anyOf: oneOf })),
    fc
      .record({ properties: fc.dictionary(fc.constantFrom(...NAMES), tie('schema')), required: names })
      .map((object) => ({ type: 'object', additionalProperties: false, ...object })),
  ),
}));

const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.nat(5),
    fc.constantFrom(0.5, 'a', 'bb', '', 'abcde', null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 2 }),
  ),
}));

test.each<Side>(['request', 'response'])(
  'a %s that passes has no value that the receiver refuses',
  (side) => {
    let passed = 0;
    fc.assert(
      fc.property(schemas, schemas, fc.array(values, { minLength: 20 }), (released, current, tried) => {
        if (compareSchemas(side, 'it', { released, current }).length > 0) return;
        passed++;
        const [sent, accepted] = side === 'request' ? [released, current] : [current, released];
        const isSent = ajv.compile(sent);
        const isAccepted = ajv.compile(accepted);
        expect(tried.filter((value) => isSent(value) && !isAccepted(value))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
    expect(passed).toBeGreaterThan(50);
  },
);

test.each<Side>(['request', 'response'])('an unchanged %s breaks nothing', (side) => {
  fc.assert(
    fc.property(schemas, (schema) => {
      expect(compareSchemas(side, 'it', { released: schema, current: schema })).toEqual([]);
    }),
  );
});
