/**
 * Conditions on documents, as queries and lists take them, in the form of one jsonpath each. A jsonpath is a value: so
 * a statement has the same text for every filter, and PostgreSQL plans it once. The path language has the rules of the
 * contract: it looks into lists, compares texts by code point, and finds values of different types neither equal nor in
 * order. The operators are those of `Filter` in spec/openapi.yaml.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Filter } from '../../../../generated/types.gen.ts';
import { validationFailed } from '../../../terms/errors.ts';

/** `path`: a jsonpath. `hasFields`: whether it names fields of the document itself, not only attributes. */
export type DocumentFilter = { path: string; hasFields: boolean };

/**
 * The time for what compares all documents with a filter: one microsecond for an attribute of each, ten for a title,
 * and hundreds for the most conditions that a filter may have. Then the answer is 503.
 */
export const COMPARISON_MAX_MS = 5_000;

type Value = string | number | boolean;

/** A time that the database stores as a number; see `fieldsOfDocument`. */
const CREATED_AT = '$createdAt';
/** A day, or a time with its zone. `Date.parse` would read others too, some of them in the zone of the server. */
const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

const DAY_LENGTH = '2026-01-15'.length;

/** `Date.parse` reads the 30th of February as the 2nd of March. */
function isDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The milliseconds since 1970 of a time. `place`: where it stands in the request, such as `filter.filters.0.value`. */
function readTime(value: Value, place: string): number {
  const isTime = typeof value === 'string' && TIME.test(value) && isDay(value.slice(0, DAY_LENGTH));
  const time = isTime ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  const message = 'must be a time with its zone, such as 2026-01-15T09:28:41.903Z, or a day';
  throw validationFailed([], { [place]: [message] });
}

/** JSON writes texts, numbers and booleans as the path language does. */
const literal = (value: Value): string => JSON.stringify(value);

/** The path language has no literal predicate. */
const NEVER = '(1 == 0)';

const OPERATORS = {
  eq: '==',
  ne: '==',
  in: '==',
  nin: '==',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
} as const;

type Comparison = Exclude<Filter, { filters: unknown }>;

/** A field of the document that has no value is null. */
function toPresence(key: string): string {
  const path = `$.${literal(key)}`;
  return `(exists(${path}) && !exists(${path} ? (@ == null)))`;
}

function toComparison(filter: Comparison, place: string): string {
  if (filter.type === 'exists') return toPresence(filter.key);
  const { type, key, value } = filter;
  const read = (each: Value, at: string) => literal(key === CREATED_AT ? readTime(each, at) : each);
  const path = `$.${literal(key)}`;
  if (type === 'contains') {
    const text = read(value, `${place}.value`);
    // A time is no text, so it has no parts.
    if (key === CREATED_AT) return NEVER;
    const isPart = `${path}.type() == "string" && ${path} like_regex ${text} flag "q"`;
    return `((${isPart}) || (${path}.type() == "array" && ${path} == ${text}))`;
  }
  const values = Array.isArray(value)
    ? value.map((each, i) => read(each, `${place}.value.${i}`))
    : [read(value, `${place}.value`)];
  // exists() is never unknown, so that its negation is true where a comparison is unknown.
  const conditions = values.map((each) => `@ ${OPERATORS[type]} ${each}`);
  const some = conditions.length === 0 ? NEVER : `exists(${path} ? (${conditions.join(' || ')}))`;
  return type === 'ne' || type === 'nin' ? `(!${some})` : some;
}

function toPath(filter: Filter, place: string): string {
  if (!('filters' in filter)) return toComparison(filter, place);
  const parts = filter.filters.map((part, i) => toPath(part, `${place}.filters.${i}`));
  const joined = `(${parts.join(filter.type === 'and' ? ' && ' : ' || ')})`;
  // No condition is unknown, so that the negation of a false one is true.
  return filter.type === 'not' ? `(!${joined})` : joined;
}

const hasFields = (filter: Filter): boolean =>
  'filters' in filter ? filter.filters.some(hasFields) : filter.key.startsWith('$');

/**
 * Translates a filter that fits its schema.
 * @throws INPUT_VALIDATION_FAILED when a value for `$createdAt` is no time; it names the place of the value
 */
export const toDocumentFilter = (filter: Filter): DocumentFilter => ({
  path: toPath(filter, 'filter'),
  hasFields: hasFields(filter),
});

/** The filter that only documents fit which fit both; undefined: neither is there. */
export const bothFilters = (
  left: DocumentFilter | undefined,
  right: DocumentFilter | undefined,
): DocumentFilter | undefined =>
  left && right
    ? { path: `(${left.path} && ${right.path})`, hasFields: left.hasFields || right.hasFields }
    : (left ?? right);

/** SQL for the fields of a document by their names in a filter. To make them takes longer than to compare them. */
const fieldsOfDocument = sql`jsonb_build_object('$type', type, '$title', title, '$sourceUrl', source_url,
  ${sql.lit(CREATED_AT)}, round(extract(epoch FROM created_at) * 1000))`;

/**
 * SQL for whether a row of `documents` fits a filter; `path` and `hasFields` are its values. True where path is NULL.
 */
export const fitsFilter = ({
  path,
  hasFields: isWithFields,
}: Record<keyof DocumentFilter, RawBuilder<unknown>>) =>
  sql<boolean>`(${path}::jsonpath IS NULL OR
    (CASE WHEN ${isWithFields}::boolean THEN attributes || ${fieldsOfDocument} ELSE attributes END)
      @@ ${path}::jsonpath)
    IS TRUE`;

/** The same with the values of `filter`; true without one. */
export const fits = (filter: DocumentFilter | undefined) =>
  filter === undefined
    ? sql<boolean>`true`
    : fitsFilter({ path: sql`${filter.path}`, hasFields: sql`${filter.hasFields}` });
