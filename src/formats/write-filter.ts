/** Filters as people read and write them: the text from which `parseFilterText` makes the same filter. */
import { KEYWORDS } from './filter-text.ts';

type Written = { type: string; key?: string; value?: unknown; filters?: Written[] };

const SIGNS: Record<string, string> = { eq: '=', ne: '!=', gt: '>', gte: '>=', lt: '<', lte: '<=' };

const toName = (key: string): string =>
  /^[A-Za-z_$][\w.$-]*$/.test(key) && !KEYWORDS.includes(key.toLowerCase()) ? key : JSON.stringify(key);

const toList = (value: unknown): string =>
  `(${[value]
    .flat()
    .map((each) => JSON.stringify(each))
    .join(', ')})`;

/** `{ type: 'gte', key: 'year', value: 2025 }` → `year >= 2025` */
export function writeFilter({ type, key = '', value, filters = [] }: Written): string {
  const parts = filters.map((part) => (part.filters?.length ? `(${writeFilter(part)})` : writeFilter(part)));
  if (type === 'not') return `not (${parts.join(' or ')})`;
  if (type === 'and' || type === 'or') return parts.join(` ${type} `);
  const name = toName(key);
  if (type === 'exists') return `${name} exists`;
  if (type === 'in') return `${name} in ${toList(value)}`;
  if (type === 'nin') return `${name} not in ${toList(value)}`;
  return `${name} ${SIGNS[type] ?? type} ${JSON.stringify(value)}`;
}
