/** A filter as rows of a form: conditions that are all joined by `and`, or all by `or`. */
import type { AttributeType, Filter } from '../../../client/index.ts';
import { parseFilterText } from '../../../formats/filter-text.ts';
import { writeFilter } from '../../../formats/write-filter.ts';
import type { KnownTypes } from '../../attributes/known-attributes.ts';

export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin' | 'contains';
/** `auto`: as the value looks. */
export type Kind = 'auto' | 'text' | 'number' | 'boolean';
/** `value`: as typed; several ones with commas between for `in` and `nin`. */
export type Condition = { key: string; operator: Operator; kind: Kind; value: string };
export type Conditions = { join: 'and' | 'or'; conditions: Condition[] };

export const OPERATOR_NAMES: Record<Operator, string> = {
  eq: 'is',
  ne: 'is not',
  contains: 'contains',
  in: 'is one of',
  nin: 'is none of',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
};

/** The fields of every document, besides its attributes. */
export const DOCUMENT_FIELDS = ['$type', '$title', '$sourceUrl', '$createdAt'];

export const isList = (operator: Operator): boolean => operator === 'in' || operator === 'nin';

/** A number as people write one. `007` and `1e5` are rather names of something. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * The type that a condition has in the filter: the chosen type, else the attribute's where documents have only
 * one, else what the value looks like. The fields of every document are texts.
 */
export function kindOf({ key, operator, kind, value }: Condition, known?: KnownTypes): Exclude<Kind, 'auto'> {
  if (kind !== 'auto') return kind;
  if (key.startsWith('$') || operator === 'contains') return 'text';
  const types = [...(known?.get(key)?.keys() ?? [])];
  const [only = 'list'] = types;
  if (types.length === 1) return only === 'list' ? 'text' : only;
  const values = (isList(operator) ? value.split(',') : [value]).map((one) => one.trim());
  if (values.every((one) => NUMBER.test(one))) return 'number';
  return values.every((one) => one === 'true' || one === 'false') ? 'boolean' : 'text';
}

function readValue(kind: Kind, text: string): string | number | boolean {
  if (kind === 'number') return Number(text);
  if (kind === 'boolean') return text.trim() === 'true';
  return text;
}

const isComplete = ({ key, value, kind }: Condition): boolean =>
  key !== '' &&
  value.trim() !== '' &&
  !(kind === 'number' && value.split(',').some((one) => Number.isNaN(Number(one))));

function toFilter({ key, operator, kind, value }: Condition): Filter {
  const read = isList(operator)
    ? value.split(',').map((one) => readValue(kind, one.trim()))
    : readValue(kind, value);
  return { type: operator, key, value: read } as Filter; // the service checks that value and operator fit
}

/** The filter as text; '' without a complete condition. */
export function writeConditions({ join, conditions }: Conditions, known?: KnownTypes): string {
  const typed = conditions.map((condition) => ({ ...condition, kind: kindOf(condition, known) }));
  const filters = typed.filter(isComplete).map(toFilter);
  const [only] = filters;
  if (only === undefined) return '';
  return writeFilter(filters.length === 1 ? only : { type: join, filters });
}

const TYPE_NAMES: Record<AttributeType, string> = {
  text: 'text',
  number: 'number',
  boolean: 'yes or no',
  list: 'list',
};

/**
 * "No document has `year` as text; 40 have a number": why a condition finds nothing; undefined: it may find something.
 */
export function findMismatch(condition: Condition, known: KnownTypes): string | undefined {
  const { key, operator } = condition;
  if (key === '' || key.startsWith('$') || known.size === 0) return undefined;
  const counts = known.get(key);
  if (counts === undefined) return `No document has the attribute ${key}.`;
  const kind = kindOf(condition, known);
  const wanted: AttributeType = operator === 'contains' ? 'list' : kind;
  if (counts.has(wanted) || operator === 'ne' || operator === 'nin') return undefined;
  const others = [...counts].map(
    ([type, count]) => `${count} ${count === 1 ? 'has' : 'have'} a ${TYPE_NAMES[type]}`,
  );
  return `No document has ${key} as a ${TYPE_NAMES[wanted]}; ${others.join(', ')}.`;
}

type Comparison = { type: Operator; key: string; value: unknown };

function toCondition({ type: operator, key, value }: Comparison): Condition {
  const values = Array.isArray(value) ? value : [value];
  const found = typeof values[0];
  const kind = found === 'number' || found === 'boolean' ? found : 'text';
  return { key, operator, kind, value: values.map(String).join(', ') };
}

/** Whether a row can show it: in a row, commas separate the values of a list. */
const fitsRow = ({ type, key, value }: Comparison): boolean =>
  type in OPERATOR_NAMES &&
  typeof key === 'string' &&
  !(Array.isArray(value) && value.some((one) => typeof one === 'string' && one.includes(',')));

/**
 * The rows of a filter as text or JSON; undefined: rows cannot show it, since it has groups within groups or is no
 * filter.
 */
export function readConditions(text: string): Conditions | undefined {
  if (text.trim() === '') return { join: 'and', conditions: [] };
  try {
    const filter = parseFilterText(text) as { type: string; filters?: Comparison[] }; // checked below
    const isGroup = filter.type === 'and' || filter.type === 'or';
    const comparisons = isGroup ? (filter.filters ?? []) : [filter as unknown as Comparison];
    if (!comparisons.every(fitsRow)) return undefined;
    return { join: filter.type === 'or' ? 'or' : 'and', conditions: comparisons.map(toCondition) };
  } catch {
    return undefined;
  }
}
