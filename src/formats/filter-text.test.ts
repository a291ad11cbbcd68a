/** Each form of a filter as text has one meaning in JSON; what is no filter is refused at its first wrong character. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FilterTextError, parseFilterText } from './filter-text.ts';
import { writeFilter } from './write-filter.ts';

const eq = (key: string, value: unknown) => ({ type: 'eq', key, value });
const a = eq('a', 1);
const b = eq('b', 2);
const c = eq('c', 3);

test.each<[string, object]>([
  ['year >= 2025', { type: 'gte', key: 'year', value: 2025 }],
  ['team = "sales"', eq('team', 'sales')],
  ["team == 'sales'", eq('team', 'sales')],
  ['team = sales', eq('team', 'sales')],
  ['team=销售', eq('team', '销售')],
  ['n > -1.5e-3', { type: 'gt', key: 'n', value: -0.0015 }],
  ['n ≤ 2', { type: 'lte', key: 'n', value: 2 }],
  ['n < 2', { type: 'lt', key: 'n', value: 2 }],
  ['n != 2', { type: 'ne', key: 'n', value: 2 }],
  ['n <> 2', { type: 'ne', key: 'n', value: 2 }],
  ['zip = 01234', eq('zip', '01234')],
  ['zip = "5"', eq('zip', '5')],
  ['public = true', eq('public', true)],
  ['public = "true"', eq('public', 'true')],
  ['$createdAt >= 2026-01-15', { type: 'gte', key: '$createdAt', value: '2026-01-15' }],
  [
    '$createdAt < 2026-01-15T09:28:41.903Z',
    { type: 'lt', key: '$createdAt', value: '2026-01-15T09:28:41.903Z' },
  ],
  ['release.date-1 = x', eq('release.date-1', 'x')],
  ['"and" = 1', eq('and', 1)],
  ['"team"="sales"', eq('team', 'sales')],
  ['title = "say \\"hi\\" \\u00e9 \\\\ \\n"', eq('title', 'say "hi" é \\ \n')],
  ['team = “sales”', eq('team', 'sales')],
  ['team = „say \\“hi\\““', eq('team', 'say “hi“')],
  ['team = »sales« and “a” = 1', { type: 'and', filters: [eq('team', 'sales'), a] }],
  ['team in («x y», 「販売」, ‘it’, ‚z‘)', { type: 'in', key: 'team', value: ['x y', '販売', 'it', 'z'] }],
  ['team = l’Oréal', eq('team', 'l’Oréal')],
  ['title contains 2025', { type: 'contains', key: 'title', value: '2025' }],
  ['title contains true', { type: 'contains', key: 'title', value: 'true' }],
  ['year in (2025, 2026)', { type: 'in', key: 'year', value: [2025, 2026] }],
  ['team in [sales, "human resources"]', { type: 'in', key: 'team', value: ['sales', 'human resources'] }],
  ['team not in ()', { type: 'nin', key: 'team', value: [] }],
  ['tags contains manual', { type: 'contains', key: 'tags', value: 'manual' }],
  ['tags not contains x', { type: 'not', filters: [{ type: 'contains', key: 'tags', value: 'x' }] }],
  ['year exists', { type: 'exists', key: 'year' }],
  ['year not exists', { type: 'not', filters: [{ type: 'exists', key: 'year' }] }],
  [
    'year between 2020 and 2025 and a = 1',
    {
      type: 'and',
      filters: [
        {
          type: 'and',
          filters: [
            { type: 'gte', key: 'year', value: 2020 },
            { type: 'lte', key: 'year', value: 2025 },
          ],
        },
        a,
      ],
    },
  ],
  ['a = 1 and b = 2 AND c = 3', { type: 'and', filters: [a, b, c] }],
  ['a = 1 && b = 2 || c = 3', { type: 'or', filters: [{ type: 'and', filters: [a, b] }, c] }],
  ['a = 1 and (b = 2 or c = 3)', { type: 'and', filters: [a, { type: 'or', filters: [b, c] }] }],
  ['not a = 1 or b = 2', { type: 'or', filters: [{ type: 'not', filters: [a] }, b] }],
  ['not (a = 1 or b = 2)', { type: 'not', filters: [{ type: 'or', filters: [a, b] }] }],
  ['  ((a=1))\n', a],
  ['{"type":"eq","key":"a","value":1}', a],
  ['"a = 1"', a],
])('%s', (text, filter) => {
  expect(parseFilterText(text)).toEqual(filter);
  expect(parseFilterText(writeFilter(filter as Parameters<typeof writeFilter>[0]))).toEqual(filter);
});

const NAME = 'the name of an attribute, or $type, $title, $sourceUrl or $createdAt';
const OPERATOR = '=, !=, <, <=, >, >=, in, not in, contains, exists or between';
const VALUE = 'a value, such as 2026, true or "sales"';

test.each([
  ['', 1, NAME, 'the end'],
  ['   ', 1, NAME, 'the end'],
  ['year', 5, OPERATOR, 'the end'],
  ['year 2025', 6, OPERATOR, '2025'],
  ['😀 = 1', 1, NAME, '😀'],
  ['"release date" = 1', 1, NAME, '"release date"'],
  ['a = "😀" and', 12, NAME, 'the end'],
  ['a = ', 4, VALUE, 'the end'],
  ['a = and', 5, VALUE, 'and'],
  ['a = "open', 10, 'a closing "', 'the end'],
  ['a = “open', 10, 'a closing ”', 'the end'],
  ['a > true', 5, 'a number or a text, such as 2026 or "b"', 'true'],
  ['a between 1 and false', 17, 'a number or a text, such as 2026 or "b"', 'false'],
  [`${'a = 1 or '.repeat(64)}b = 2`, 577, 'at most 64 conditions', 'b'],
  ['a in 5', 6, 'a list, such as (2025, 2026)', '5'],
  ['a in (1 2)', 9, 'a comma or )', '2'],
  ['a in (1, 2', 11, 'a comma or )', 'the end'],
  ['(a = 1', 7, 'and, or or )', 'the end'],
  ['a = 1)', 6, 'and, or or the end', ')'],
  ['a = 1 b = 2', 7, 'and, or or the end', 'b'],
  ['a between 1 or 2', 13, 'and', 'or'],
  ['a ! 1', 3, 'a name, a value or a comparison', '!'],
  ['{"type":', 1, 'valid JSON', '{'],
])('%j is refused at character %i', (text, position, expected, found) => {
  const parse = () => parseFilterText(text);
  expect(parse).toThrow(FilterTextError);
  expect(parse).toThrow(`at character ${position}: expected ${expected}, not ${found}`);
});

test('any text is a filter or is refused, and groups without end exhaust no stack', () => {
  const isRead = (text: string) => {
    try {
      parseFilterText(text);
    } catch (error) {
      expect(error).toBeInstanceOf(FilterTextError);
    }
  };
  fc.assert(fc.property(fc.string({ unit: 'binary' }), isRead));
  const parts = fc.constantFrom('a', '=', '1', '"x"', '(', ')', 'and', 'or', 'not', 'in', ',', 'exists', '"');
  fc.assert(fc.property(fc.array(parts), (words) => isRead(words.join(' '))));
  for (const hostile of ['(', 'not ', '"', '„', '”“', '\\', 'a in (', ' ']) isRead(hostile.repeat(16_384));
});
