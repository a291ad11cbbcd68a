/** Warnings stay within the bounds that the contract has for them. */
import { expect, test } from 'vitest';
import { readSpec, type Spec } from '../http/contract/spec.ts';
import { boundWarnings, type FileWarning } from './extracted-file.ts';

const { components } = readSpec() as Spec & {
  components: {
    schemas: {
      DocumentWarnings: { maxItems: number };
      DocumentWarning: { properties: { message: { maxLength: number } } };
    };
  };
};
const { maxItems } = components.schemas.DocumentWarnings;
const { maxLength } = components.schemas.DocumentWarning.properties.message;

const warning = (message: string): FileWarning => ({ code: 'PARTS_NOT_READ', message });
const many = (count: number) => Array.from({ length: count }, (_, i) => warning(`Part ${i} was not read.`));

test('as many warnings as the contract allows stay as they are', () => {
  expect(boundWarnings(many(maxItems))).toEqual(many(maxItems));
});

test('of more warnings, the last one says how many are missing', () => {
  const bounded = boundWarnings(many(maxItems + 9));
  expect(bounded).toEqual([
    ...many(maxItems - 1),
    { code: 'LIMIT_REACHED', message: 'There are 10 more warnings.' },
  ]);
});

test('a message is cut after as many code points as the contract allows', () => {
  expect(boundWarnings([warning('😀'.repeat(maxLength))])).toEqual([warning('😀'.repeat(maxLength))]);
  expect(boundWarnings([warning('😀'.repeat(5 * maxLength))])).toEqual([
    warning(`${'😀'.repeat(maxLength - 1)}…`),
  ]);
});

test('a message has no characters that the database refuses', () => {
  expect(boundWarnings([warning('“a\0b\ud800.doc” was not read.')])).toEqual([
    warning('“ab\ufffd.doc” was not read.'),
  ]);
});
