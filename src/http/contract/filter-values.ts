/** Turns filters as text into those in JSON, before the schema checks them. */
import { FilterTextError, parseFilterText } from '../../formats/filter-text.ts';
import { validationFailed } from '../../terms/errors.ts';
import { isNode } from './recursive-schemas.ts';
import { VALUES_MAX } from './request-body.ts';

/** The field and the parameter that may be a filter as text. */
export const FILTER = 'filter';
/** As FilterAsText in the spec. */
const LENGTH_MAX = 16_384;
/** The beginning of JSON, or of a text in JSON. */
const IS_JSON = /^\s*["[{]/;

/** @throws INPUT_VALIDATION_FAILED with the first wrong character */
export function readFilter(text: string): unknown {
  const refuse = (reason: string) => validationFailed([], { [FILTER]: [reason] });
  if ([...text].length > LENGTH_MAX) throw refuse(`must have at most ${LENGTH_MAX} characters`);
  // As of a body: the text may be JSON, whose depth no schema has bounded yet.
  if (IS_JSON.test(text) && (text.match(/[[{,]/g)?.length ?? 0) > VALUES_MAX)
    throw refuse(`must hold ${VALUES_MAX} values at most`);
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
