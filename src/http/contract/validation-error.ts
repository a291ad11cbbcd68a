/** Turns the problems that Ajv finds in a request into an error that names the fields. */
import type { ErrorObject } from 'ajv';
import { placeOf, type ServiceError, validationFailed } from '../../terms/errors.ts';
import { describeBrokenRule, describeUnknownName, shorten } from './broken-rules.ts';
import { RECURSION } from './recursive-schemas.ts';

/**
 * What `toValidationError` needs of Ajv: all problems at once, each with its schema and the wrong value. By
 * `discriminator` only the schema of a oneOf that the value chooses is compared. By `strictNumbers` Infinity
 * is no number: JSON.parse reads 1e309 as Infinity, and JSON.stringify would write it as null.
 */
export const AJV_OPTIONS = { allErrors: true, verbose: true, discriminator: true, strictNumbers: true };

/** The steps of a JSON pointer without its first one, which says where the input was: `/query/limit` → `['limit']` */
const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(2)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The name of the field that is missing, unknown or wrong in the object of the problem; undefined: it has none. */
function nameInObject({ keyword, params }: ErrorObject): string | undefined {
  if (keyword === 'required') return params.missingProperty;
  if (keyword === 'additionalProperties') return params.additionalProperty;
  return keyword === 'discriminator' ? params.tag : undefined;
}

/**
 * The field that a problem is about; undefined: the body as a whole.
 * `/requestBody/knowledgeBaseIds/0` → `knowledgeBaseIds.0`, `/query/limit` → `limit`,
 * `/requestBody` without a required `name` → `name`
 */
function fieldOf(problem: ErrorObject): string | undefined {
  const path = [...stepsOf(problem.instancePath), nameInObject(problem)].filter((step) => step !== undefined);
  return path.length === 0 ? undefined : shorten(path.join('.'));
}

/** Whether a problem is about the query string or one of its parameters, not about a value within a parameter. */
const isOfQuery = ({ instancePath }: ErrorObject): boolean => /^\/query(?:\/[^/]*)?$/.test(instancePath);

/** A wrong parameter. The query string holds only text, in which a parameter that occurs twice becomes a list. */
function describeParameter(problem: ErrorObject): string {
  const { keyword, params, data } = problem;
  if (keyword === 'additionalProperties') return describeUnknownName(problem, 'parameter of this operation');
  if (Array.isArray(data)) return 'may be given only once';
  const isNumber = keyword === 'type' && params.type === 'integer';
  return isNumber ? 'must be a whole number in decimal digits' : describeBrokenRule(problem);
}

function messageOf(problem: ErrorObject): string {
  if (isOfQuery(problem)) return describeParameter(problem);
  if (problem.keyword !== 'additionalProperties') return describeBrokenRule(problem);
  const owner = stepsOf(problem.instancePath).join('.');
  return describeUnknownName(problem, `field of ${owner === '' ? 'this operation' : placeOf(owner)}`);
}

const isUnion = ({ keyword }: ErrorObject): boolean => keyword === 'oneOf' || keyword === 'anyOf';

/**
 * Replaces the problems at the end of `found`, with each schema of a oneOf or anyOf, by the problem of the union.
 * Schemas for other types than the value's are left out; if all are, one problem names all types.
 */
function resolveUnion(found: ErrorObject[], union: ErrorObject): void {
  const { instancePath: place } = union;
  const isOutside = ({ instancePath }: ErrorObject) =>
    instancePath !== place && !instancePath.startsWith(`${place}/`);
  const isOtherType = ({ keyword, instancePath }: ErrorObject) =>
    keyword === 'type' && instancePath === place;
  const withEach = found.splice(found.findLastIndex(isOutside) + 1);
  const types = withEach.filter(isOtherType).map(({ params }) => params.type);
  if (withEach.length === 0)
    found.push(union); // the value fits two schemas of a oneOf
  else if (types.length < withEach.length) found.push(...withEach.filter((problem) => !isOtherType(problem)));
  else found.push({ ...union, keyword: 'type', params: { type: types } });
}

/** Ajv reports a wrong name, and a value in a schema that contains itself, again at the keyword that led there. */
const isRepeated = ({ keyword }: ErrorObject): boolean =>
  /propertyNames$/.test(keyword) || keyword === RECURSION;

/** The problems without repeated ones, and without those with schemas for which a value was not meant. */
function selectRelevant(problems: ErrorObject[]): ErrorObject[] {
  const found: ErrorObject[] = [];
  for (const problem of problems)
    if (isUnion(problem)) resolveUnion(found, problem);
    else if (!isRepeated(problem)) found.push(problem);
  return found;
}

/** The messages by field, as a JSON object. It has no prototype: a client may send a field named `__proto__`. */
function toRecord(messagesOf: Map<string, Set<string>>): Record<string, string[]> {
  const record: Record<string, string[]> = Object.create(null);
  for (const [field, messages] of messagesOf) record[field] = [...messages];
  return record;
}

/**
 * INPUT_VALIDATION_FAILED with all problems by field, each message of a field once. `problems` come from an Ajv with
 * AJV_OPTIONS.
 */
export function toValidationError(problems: ErrorObject[]): ServiceError {
  const formErrors: string[] = [];
  const fieldErrors = new Map<string, Set<string>>();
  for (const problem of selectRelevant(problems)) {
    const field = fieldOf(problem);
    if (field === undefined) {
      formErrors.push(`the body ${messageOf(problem)}`);
      continue;
    }
    const messages = fieldErrors.get(field) ?? new Set();
    fieldErrors.set(field, messages.add(messageOf(problem)));
  }
  return validationFailed(formErrors, toRecord(fieldErrors));
}
