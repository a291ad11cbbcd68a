/** A filter in JSON and its rows are the same, where rows can show it. */
import { expect, test } from 'vitest';
import { readConditions, writeConditions } from './conditions.ts';

test.each([
  { type: 'eq', key: 'team', value: 'sales' },
  { type: 'gte', key: 'year', value: 2025 },
  { type: 'ne', key: 'public', value: true },
  { type: 'in', key: '$type', value: ['pdf', 'docx'] },
  {
    type: 'or',
    filters: [
      { type: 'contains', key: 'tags', value: 'manual' },
      { type: 'nin', key: 'year', value: [2024, 2025] },
    ],
  },
])('%j becomes rows, and the same JSON again', (filter) => {
  const rows = readConditions(JSON.stringify(filter));
  expect(rows && JSON.parse(writeConditions(rows))).toEqual(filter);
});

test.each([
  '{',
  '3',
  'null',
  '{"type":"and","filters":[{"type":"or","filters":[]}]}',
  '{"type":"and","filters":3}',
])('%s is no list of rows', (text) => expect(readConditions(text)).toBeUndefined());

test('a row without a value is no part of the filter', () => {
  const unfinished = { key: 'year', operator: 'gt', kind: 'number', value: 'x' } as const;
  expect(writeConditions({ join: 'and', conditions: [unfinished] })).toBe('');
});

test('texts with a comma are not taken apart', () => {
  const filter = '{"type":"in","key":"team","value":["a, b","c"]}';
  expect(readConditions(filter)).toBeUndefined();
});
