/** Prometheus's text format, with what its description allows; and what is none of it. */
import { expect, test } from 'vitest';
import { ExpositionError, parseExposition } from './exposition.ts';

test('reads values, labels and times, and skips comments', () => {
  const text = `# HELP a Something.
# TYPE a counter
a 1
a{} 2

a{b="c",d=""} 3.5e-1 1395066363000
 \t
a{ b = "x" , } 4
`;
  expect(parseExposition(text)).toEqual([
    { name: 'a', labels: {}, value: 1 },
    { name: 'a', labels: {}, value: 2 },
    { name: 'a', labels: { b: 'c', d: '' }, value: 0.35 },
    { name: 'a', labels: { b: 'x' }, value: 4 },
  ]);
});

test('reads escapes, and braces, commas and quotes in values', () => {
  const line = String.raw`a{path="C:\\DIR\n\"{x=\"y\"}, }",le="1"} 7`;
  const [sample] = parseExposition(`${line}\n`);
  expect(sample).toEqual({ name: 'a', labels: { path: 'C:\\DIR\n"{x="y"}, }', le: '1' }, value: 7 });
});

test.each([
  ['+Inf', Number.POSITIVE_INFINITY],
  ['-Inf', Number.NEGATIVE_INFINITY],
  ['NaN', Number.NaN],
  ['-3', -3],
  ['1e+06', 1_000_000],
])('reads the value %s', (written, value) => {
  expect(parseExposition(`a ${written}\n`)[0]?.value).toBe(value);
});

test.each([
  ['a page', '<!doctype html>\n<p>Hello</p>\n'],
  ['JSON', '{"success":true}\n'],
  ['a value that is none', 'a one\n'],
  ['a sample without a value', 'a{b="c"}\n'],
  ['labels that are none', 'a{b} 1\n'],
  ['an open label', 'a{b="c 1\n'],
  ['an open list of labels', 'a{b="c" 1\n'],
  ['a long line', `a ${'1'.repeat(5_000)}\n`],
  ['a text that was cut off', 'a 1\nb{c="d"} 12'],
])('refuses %s', (_what, text) => {
  expect(() => parseExposition(text)).toThrow(ExpositionError);
});
