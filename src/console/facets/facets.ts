/** The attributes to choose values of, with the number of documents that have each value. */
import type { AttributeSummary } from '../../client/index.ts';
import { type AttributeValue, chosenValues, isSameValue } from './narrow.ts';

/** `count`: how many documents have it; undefined: it is chosen, and not among the most frequent. */
export type FacetValue = AttributeValue & { count: number | undefined };
/** `hasMore`: documents have further values, which are less frequent. */
export type Facet = { name: string; values: FacetValue[]; hasMore: boolean };

const add = (values: FacetValue[], added: AttributeValue, count: number): FacetValue[] => {
  const known = values.find((value) => isSameValue(value, added));
  if (known === undefined) return [...values, { ...added, count }];
  return values.map((value) => (value === known ? { ...known, count: (known.count ?? 0) + count } : value));
};

/** Whether nearly each document has a value of its own, such as a number or a date: none is worth choosing. */
const isLikeAnId = ({ values, hasMore }: Facet): boolean =>
  hasMore && values.every(({ count = 0 }) => count <= 1);

/** Joins the attributes of several knowledge bases: the most frequent values first. */
export function joinFacets(lists: readonly (readonly AttributeSummary[])[]): Facet[] {
  const facets = new Map<string, Facet>();
  for (const { name, types } of lists.flat()) {
    let { values, hasMore } = facets.get(name) ?? { values: [], hasMore: false };
    for (const { type, values: frequent, valueCount } of types) {
      hasMore ||= valueCount > frequent.length;
      for (const { value, documentCount } of frequent)
        values = add(values, { name, value, isListed: type === 'list' }, documentCount);
    }
    facets.set(name, { name, values, hasMore });
  }
  return [...facets.values()]
    .filter((facet) => !isLikeAnId(facet))
    .map((facet) => ({ ...facet, values: facet.values.toSorted((a, b) => (b.count ?? 0) - (a.count ?? 0)) }));
}

/** The facet, with what its filter has chosen and is not among the most frequent values. */
export function withChosen(facet: Facet, filter: string): Facet {
  const rare = chosenValues(filter, facet.name).filter(
    (chosen) => !facet.values.some((value) => isSameValue(value, chosen)),
  );
  return { ...facet, values: [...facet.values, ...rare.map((value) => ({ ...value, count: undefined }))] };
}
