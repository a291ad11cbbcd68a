/** Filters by values of attributes, as people choose them one by one. */
import { parseFilterText } from '../../formats/filter-text.ts';
import { writeFilter } from '../../formats/write-filter.ts';

type Condition = Parameters<typeof writeFilter>[0];

/** A value of an attribute; `isListed`: as one text of a list. */
export type AttributeValue = { name: string; value: string | number | boolean; isListed: boolean };

/**
 * The conditions that all have to apply: the conditions of a group with `and` one by one. Empty where the text is no
 * filter.
 */
function conditionsIn(text: string): Condition[] {
  if (text.trim() === '') return [];
  try {
    const filter = parseFilterText(text) as Condition; // a tree of conditions
    return filter.type === 'and' ? (filter.filters ?? []) : [filter];
  } catch {
    return []; // the page says what is wrong with it
  }
}

function joinConditions(conditions: Condition[]): string {
  const [only] = conditions;
  if (only === undefined) return '';
  return writeFilter(conditions.length === 1 ? only : { type: 'and', filters: conditions });
}

const conditionOf = ({ name, value, isListed }: AttributeValue): Condition => ({
  type: isListed ? 'contains' : 'eq',
  key: name,
  value,
});

/**
 * The filter with one more condition, as text; the same where it has that already.
 *
 *     '', team, sales → 'team = "sales"'
 *     'a = 1 or b = 2', tags (of a list), new → '(a = 1 or b = 2) and tags contains "new"'
 */
export function narrowFilter(filter: string, narrowing: AttributeValue): string {
  const wanted = conditionOf(narrowing);
  const conditions = conditionsIn(filter);
  const has = conditions.some((each) => writeFilter(each) === writeFilter(wanted));
  return has ? filter : joinConditions([...conditions, wanted]);
}

/** Whether the condition asks for values of this attribute, and is one that a choice of values makes. */
const isChoice = ({ type, key }: Condition, { name, isListed }: AttributeValue): boolean =>
  key === name && (isListed ? type === 'contains' : type === 'eq' || type === 'in');

const valuesOf = ({ value }: Condition): unknown[] => [value].flat();

/** The chosen values of an attribute in a filter. */
export const chosenValues = (filter: string, name: string): AttributeValue[] =>
  conditionsIn(filter).flatMap((condition) => {
    const isListed = condition.type === 'contains';
    if (!isChoice(condition, { name, value: '', isListed })) return [];
    // The parser has checked the types of values.
    return valuesOf(condition).map((value) => ({ name, value, isListed }) as AttributeValue);
  });

export const isSameValue = (a: AttributeValue, b: AttributeValue): boolean =>
  a.value === b.value && a.isListed === b.isListed;

/**
 * The filter with a value chosen, or no longer chosen. Of values of one attribute one has to apply; of texts in its
 * lists, all.
 *
 *     'team = "sales"', team, legal → 'team in ("sales", "legal")'
 *     'team in ("sales", "legal")', team, sales → 'team = "legal"'
 *     'tags contains "a"', tags (of a list), b → 'tags contains "a" and tags contains "b"'
 */
export function toggleValue(filter: string, toggled: AttributeValue): string {
  const { name, value, isListed } = toggled;
  const conditions = conditionsIn(filter);
  const isWanted = !chosenValues(filter, name).some((chosen) => isSameValue(chosen, toggled));
  if (isListed)
    return isWanted
      ? narrowFilter(filter, toggled)
      : joinConditions(conditions.filter((each) => !isChoice(each, toggled) || each.value !== value));
  const index = conditions.findIndex((each) => isChoice(each, toggled));
  const before = conditions[index];
  if (before === undefined) return narrowFilter(filter, toggled);
  const values = isWanted ? [...valuesOf(before), value] : valuesOf(before).filter((each) => each !== value);
  const [only] = values;
  const after =
    values.length > 1 ? [{ type: 'in', key: name, value: values }] : [{ type: 'eq', key: name, value: only }];
  return joinConditions(conditions.toSpliced(index, 1, ...(values.length === 0 ? [] : after)));
}
