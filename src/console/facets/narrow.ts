/** Narrows the search of the page to the documents with one value of an attribute. */
import { parseFilterText } from '../../../formats/filter-text.ts';
import { writeFilter } from '../../../formats/write-filter.ts';

type Condition = Parameters<typeof writeFilter>[0];

/** The conditions that all have to apply: those of a group with `and` one by one. */
const conditionsIn = (text: string): Condition[] => {
  if (text.trim() === '') return [];
  const filter = parseFilterText(text) as Condition; // as the search that was run has read it
  return filter.type === 'and' ? (filter.filters ?? []) : [filter];
};

/**
 * The filter with one more condition, as text; the same where it has that already.
 *
 *     '', team, sales → 'team = "sales"'
 *     'a = 1 or b = 2', tags (of a list), new → '(a = 1 or b = 2) and tags contains "new"'
 */
export function narrowFilter(
  filter: string,
  { name, value, isListed }: { name: string; value: string | number | boolean; isListed: boolean },
): string {
  const wanted = { type: isListed ? 'contains' : 'eq', key: name, value };
  const conditions = conditionsIn(filter);
  const has = conditions.some((each) => writeFilter(each) === writeFilter(wanted));
  if (has) return filter;
  return conditions.length === 0
    ? writeFilter(wanted)
    : writeFilter({ type: 'and', filters: [...conditions, wanted] });
}
