/** Turns the spec's verdict on a request into the error that the client is told, naming the fields. */
import type { ErrorObject } from 'ajv';
import { type ServiceError, validationFailed } from '../errors.ts';

/** An unknown field's name may be as long as a body. */
const NAME_MAX = 200;

const shorten = (name: string): string => (name.length <= NAME_MAX ? name : `${name.slice(0, NAME_MAX)}…`);

/**
 * `/requestBody/knowledgeBaseIds/0` or `/query/limit`, and the property that a keyword is about, as a field's name;
 * undefined: it is about the body as a whole.
 */
function fieldOf({ instancePath, keyword, params }: ErrorObject): string | undefined {
  const [, , ...path] = instancePath.split('/');
  if (keyword === 'required') path.push(params.missingProperty);
  if (keyword === 'additionalProperties') path.push(params.additionalProperty);
  return path.length === 0 ? undefined : shorten(path.join('.'));
}

/** What of a pattern of the spec a text breaks; white space alone breaks only the one that asks for more. */
function describePattern(pattern: string, text: unknown): string {
  if (pattern.includes('\\x21-\\x7E')) return 'must hold visible ASCII characters only';
  const isBlank = typeof text === 'string' && text.trim() === '';
  return isBlank ? 'must hold more than white space' : 'must not hold U+0000 or half of a surrogate pair';
}

/** Whether it is about the query string, whose fields are called parameters; else it is about the body. */
const isOfQuery = ({ instancePath }: ErrorObject): boolean => /^\/query(?:\/|$)/.test(instancePath);

function messageOf(problem: ErrorObject): string {
  const { keyword, message, params, data } = problem;
  // A list is what the query string gives for a parameter that stands in it more than once.
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

/** The messages of each field, as JSON has them. A field may be called __proto__ by whoever sends it. */
function toRecord(messagesOf: Map<string, Set<string>>): Record<string, string[]> {
  const record: Record<string, string[]> = Object.create(null);
  for (const [field, messages] of messagesOf) record[field] = [...messages];
  return record;
}

/** INPUT_VALIDATION_FAILED with every problem that Ajv has found (`verbose`), by field; each message of a field once. */
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
