/** Turns the spec's verdict on a request into the error that the client is told, naming the fields. */
import type { ErrorObject } from 'ajv';
import { type ServiceError, validationFailed } from './errors.ts';

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

/** The patterns of the spec in words; `\S` stands only in the one that asks for more than white space. */
function describePattern(pattern: string): string {
  if (pattern.includes('\\x21-\\x7E')) return 'must hold visible ASCII characters only';
  const characters = 'no U+0000 and no lone surrogate';
  return pattern.includes('\\s')
    ? `must hold more than white space, ${characters}`
    : `must hold ${characters}`;
}

function messageOf({ keyword, message, params }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a field of this operation';
    case 'pattern':
      return describePattern(params.pattern);
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

/** INPUT_VALIDATION_FAILED with every problem that Ajv has found, by field; each message of a field once. */
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
