/** The texts of values; pg-query-insides.test.ts has PostgreSQL read those of arrays. */
import { expect, test } from 'vitest';
import { arrayText, valueText } from './value-text.ts';

test.each([
  [undefined, null],
  [null, null],
  [false, 'false'],
  [7.5, '7.5'],
  ['a "word"', 'a "word"'],
  [{ of: ['an', 1] }, '{"of":["an",1]}'],
  [['a "word"', 2, null], '{"a \\"word\\"",2,null}'],
  [['two\nlines', 2, null], '{"two\nlines","2",NULL}'],
])('the text of %j', (value, text) => {
  expect(valueText(value)).toBe(text);
});

test('arrays within an array are texts there', () => {
  const inner = arrayText(['a "word"', 'two\nlines']);
  expect(arrayText([inner])).toBe('{"{\\"a \\\\\\"word\\\\\\"\\",\\"two\nlines\\"}"}');
});
