/** The attributes to choose values of, from what knowledge bases say of theirs. */
import { expect, test } from 'vitest';
import type { AttributeSummary, AttributeType } from '../../client/index.ts';
import { joinFacets, withChosen } from './facets.ts';

/** An attribute of one type, with the number of documents of each value. */
const attribute = (
  name: string,
  type: AttributeType,
  counts: [value: string | number | boolean, documentCount: number][],
  valueCount = counts.length,
): AttributeSummary => {
  const documentCount = counts.reduce((sum, [, count]) => sum + count, 0);
  const values = counts.map(([value, count]) => ({ value, documentCount: count }));
  return { name, documentCount, types: [{ type, documentCount, valueCount, values }] };
};

const shown = (lists: AttributeSummary[][]) =>
  joinFacets(lists).map(({ name, values }) => [name, values.map(({ value, count }) => [value, count])]);

test('the numbers of several knowledge bases are added, the most frequent values come first', () => {
  const lists = [
    [attribute('team', 'text', [['sales', 3]]), attribute('year', 'number', [[2025, 2]])],
    [
      attribute('team', 'text', [
        ['legal', 4],
        ['sales', 2],
      ]),
    ],
  ];
  expect(shown(lists)).toEqual([
    [
      'team',
      [
        ['sales', 5],
        ['legal', 4],
      ],
    ],
    ['year', [[2025, 2]]],
  ]);
});

test('a number and the same digits as a text are two values', () => {
  const lists = [[attribute('year', 'number', [[2025, 2]])], [attribute('year', 'text', [['2025', 1]])]];
  expect(shown(lists)).toEqual([
    [
      'year',
      [
        [2025, 2],
        ['2025', 1],
      ],
    ],
  ]);
});

test('an attribute with a value of its own for each document is left out', () => {
  const ids = attribute(
    'id',
    'text',
    [
      ['a', 1],
      ['b', 1],
    ],
    40,
  );
  expect(shown([[ids]])).toEqual([]);
  expect(shown([[{ ...ids, types: ids.types.map((type) => ({ ...type, valueCount: 2 })) }]])).toHaveLength(1);
});

test('a chosen value that is rare is there too, without a number', () => {
  const [team] = joinFacets([[attribute('team', 'text', [['sales', 3]], 20)], []]);
  if (team === undefined) throw new Error('no facet');
  const { values } = withChosen(team, 'team in (sales, "night shift")');
  expect(values.map(({ value, count }) => [value, count])).toEqual([
    ['sales', 3],
    ['night shift', undefined],
  ]);
});
