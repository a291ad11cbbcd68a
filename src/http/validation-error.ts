/** Turns the problems that Ajv finds in a request into an error that names the fields. */
import type { ErrorObject } from 'ajv';
import { type ServiceError, validationFailed } from '../errors.ts';

/** The longest name in an error: an unknown field's name may be as long as a body. */
const NAME_MAX = 200;

const shorten = (name: string): string => (name.length <= NAME_MAX ? name : `${name.slice(0, NAME_MAX)}…`);

/**
 * The field that a problem is about; undefined: the body as a whole.
 * `/requestBody/knowledgeBaseIds/0` → `knowledgeBaseIds.0`, `/query/limit` → `limit`,
 * `/requestBody` without a required `name` → `name`
 */
function fieldOf({ instancePath, keyword, params }: ErrorObject): string | undefined {
  const [, , ...path] = instancePath.split('/');
  if (keyword === 'required') path.push(params.missingProperty);
  if (keyword === 'additionalProperties') path.push(params.additionalProperty);
  return path.length === 0 ? undefined : shorten(path.join('.'));
}

/** How a text breaks a pattern of the spec. Text of white space alone breaks only the pattern that forbids that. */
function describePattern(pattern: string, text: unknown): string {
  if (pattern.includes('\\x21-\\x7E')) return 'must hold visible ASCII characters only';
  const isBlank = typeof text === 'string' && text.trim() === '';
  return isBlank ? 'must hold more than white space' : 'must not hold U+0000 or half of a surrogate pair';
}

/** Whether a problem is about a parameter of the query string, not about a field of the body. */
const isOfQuery = ({ instancePath }: ErrorObject): boolean => /^\/query(?:\/|$)/.test(instancePath);

function messageOf(problem: ErrorObject): string {
  const { keyword, message, params, data } = problem;
  // A parameter that occurs more than once in the query string becomes a list.
  if (isOfQuery(problem) && Array.isArray(data)) return 'may be given only once';
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return `is not a ${isOfQuery(problem) ? 'parameter' : 'field'} of this operation`;
    case 'pattern':
      return describePattern(params.pattern, data);
    default:
      return message ?? 'is not valid';
  }
}

/** The messages by field, as a JSON object. It has no prototype: a client may send a field named `__proto__`. */
function toRecord(messagesOf: Map<string, Set<string>>): Record<string, string[]> {
  const record: Record<string, string[]> = Object.create(null);
  for (const [field, messages] of messagesOf) record[field] = [...messages];
  return record;
}

/**
 * INPUT_VALIDATION_FAILED with all problems by field, each message of a field once. `problems` come from an Ajv with
 * `allErrors` and `verbose`.
 */
export function toValidationError(problems: ErrorObject[]): ServiceError {
  const formErrors: string[] = [];
  const fieldErrors = new Map<string, Set<string>>();
  for (const problem of problems) {
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
