/** Turns filters as text into those in JSON, before the schema checks them. */
import { FilterTextError, parseFilterText } from '../../formats/filter-text.ts';
import { validationFailed } from '../../terms/errors.ts';
import { isNode } from './recursive-schemas.ts';

/** The field and the parameter that may be a filter as text. */
export const FILTER = 'filter';
/** As FilterAsText in the spec. */
const LENGTH_MAX = 16_384;

/** @throws INPUT_VALIDATION_FAILED with the first wrong character */
export function readFilter(text: string): unknown {
  const refuse = (reason: string) => validationFailed([], { [FILTER]: [reason] });
  if ([...text].length > LENGTH_MAX) throw refuse(`must have at most ${LENGTH_MAX} characters`);
  try {
    return parseFilterText(text);
  } catch (error) {
    if (error instanceof FilterTextError) throw refuse(`is wrong ${error.message}`);
    throw error;
  }
}

/** A body whose filter is in JSON; every other body as it is. */
export const withFilter = (body: unknown): unknown =>
  isNode(body) && typeof body[FILTER] === 'string' ? { ...body, [FILTER]: readFilter(body[FILTER]) } : body;
