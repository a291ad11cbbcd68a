/** Groups of synonyms are read from the lines that are written of them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSynonyms, parseSynonyms } from './synonym-lines.ts';

test('lines, with comments and blank ones', () => {
  const text = '# leave\nPTO, paid time off\r\n\n  laptop, notebook =>ThinkPad,MacBook,  \n';
  const groups = [
    { terms: ['PTO', 'paid time off'] },
    { terms: ['laptop', 'notebook'], finds: ['ThinkPad', 'MacBook'] },
  ];
  expect(parseSynonyms(text)).toEqual(groups);
  expect(formatSynonyms(groups)).toBe('PTO, paid time off\nlaptop, notebook => ThinkPad, MacBook');
});

test('every group is read as it was written', () => {
  const term = fc
    .stringMatching(/^[\\,=>#ab é]{1,12}$/)
    .map((text) => text.trim())
    .filter((text) => text !== '');
  const terms = fc.array(term, { minLength: 2, maxLength: 4 });
  const group = fc.oneof(fc.record({ terms }), fc.record({ terms, finds: terms }));
  fc.assert(
    fc.property(fc.array(group), (groups) => {
      expect(parseSynonyms(formatSynonyms(groups))).toEqual(groups);
    }),
  );
});

test.each([
  ['PTO', 'Line 1 has one term only: write PTO, paid time off; or laptop => ThinkPad.'],
  ['\na, b\na => b => c', 'Line 3 has two arrows (=>).'],
  ['a =>', 'Line 1 has no terms on a side of its arrow (=>).'],
  ['=> a', 'Line 1 has no terms on a side of its arrow (=>).'],
])('%j is refused: %s', (text, message) => {
  expect(() => parseSynonyms(text)).toThrow(message);
});
