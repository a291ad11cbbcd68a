/** A click on a value narrows the search to it, whatever the filter was. */
import { expect, test } from 'vitest';
import { parseFilterText } from '../../../formats/filter-text.ts';
import { narrowFilter } from './narrow.ts';

const sales = { name: 'team', value: 'sales', isListed: false };

test.each([
  ['', 'team = "sales"'],
  ['year >= 2025', 'year >= 2025 and team = "sales"'],
  ['a = 1 or b = 2', '(a = 1 or b = 2) and team = "sales"'],
  ['{"type":"eq","key":"a","value":1}', 'a = 1 and team = "sales"'],
  ['year >= 2025 and team = sales', 'year >= 2025 and team = sales'],
])('%j becomes %j', (filter, narrowed) => {
  expect(narrowFilter(filter, sales)).toBe(narrowed);
  expect(parseFilterText(narrowed)).toBeDefined();
});

test.each([
  [
    { name: 'tags', value: 'قائمة', isListed: true },
    { type: 'contains', key: 'tags', value: 'قائمة' },
  ],
  [
    { name: '1st.and', value: 'a "b" \\', isListed: false },
    { type: 'eq', key: '1st.and', value: 'a "b" \\' },
  ],
  [
    { name: 'and', value: true, isListed: false },
    { type: 'eq', key: 'and', value: true },
  ],
  [
    { name: 'year', value: -2.5, isListed: false },
    { type: 'eq', key: 'year', value: -2.5 },
  ],
])('%j is asked for as it is', (attribute, filter) => {
  expect(parseFilterText(narrowFilter('', attribute))).toEqual(filter);
});
