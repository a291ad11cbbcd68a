/** A click on a value narrows the search to it, or no longer, whatever the filter was. */
import { expect, test } from 'vitest';
import { parseFilterText } from '../../formats/filter-text.ts';
import { chosenValues, narrowFilter, toggleValue } from './narrow.ts';

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

const legal = { name: 'team', value: 'legal', isListed: false };
const draft = { name: 'tags', value: 'draft', isListed: true };

test.each([
  ['', sales, 'team = "sales"'],
  ['team = "sales"', legal, 'team in ("sales", "legal")'],
  ['team in (sales, legal)', sales, 'team = "legal"'],
  ['team in (sales, legal, people)', sales, 'team in ("legal", "people")'],
  ['team = "sales"', sales, ''],
  ['year >= 2025 and team = sales', sales, 'year >= 2025'],
  ['year >= 2025 and team = sales', legal, 'year >= 2025 and team in ("sales", "legal")'],
  ['team != sales', sales, 'team != "sales" and team = "sales"'],
  ['tags contains final', draft, 'tags contains "final" and tags contains "draft"'],
  ['tags contains final and tags contains draft', draft, 'tags contains "final"'],
  ['team = sales or year = 2025', legal, '(team = "sales" or year = 2025) and team = "legal"'],
])('%j with %j chosen, or no longer, becomes %j', (filter, value, changed) => {
  expect(toggleValue(filter, value)).toBe(changed);
});

test.each([
  ['team in (sales, legal) and year = 2025', [sales, legal]],
  ['team = sales or year = 2025', []],
  ['not (team = sales)', []],
  ['team = =', []],
])('the values of team that %j has chosen', (filter, values) => {
  expect(chosenValues(filter, 'team')).toEqual(values);
});
