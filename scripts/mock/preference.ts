/** The Prefer header (RFC 7240), by which a client of the mock chooses its answer, as with Prism. */
import { validationFailed } from '../../src/errors.ts';
import type { Answers, Wanted } from './prism.ts';

const PREFERENCE = /(?:^|[\s,;])(code|example)\s*=\s*"?([^\s",;]*)/gi;

const refuse = (problem: string) => validationFailed([], { Prefer: [problem] });

/**
 * `code` and `example` from the header; other preferences are ignored.
 * @throws INPUT_VALIDATION_FAILED, with the possible values, for a code or an example that the operation does not have
 */
export function readPreference(header: string, answers: Answers): Wanted {
  const preferences = new Map(
    [...header.matchAll(PREFERENCE)].map(([, name = '', value]) => [name.toLowerCase(), value]),
  );
  const { code = '200', example } = Object.fromEntries(preferences);
  const examples = answers.get(code);
  if (examples === undefined) throw refuse(`code must be one of ${[...answers.keys()].sort().join(', ')}`);
  const names = examples.map(({ name }) => name);
  if (example !== undefined && !names.includes(example)) {
    throw refuse(`example must be one of ${names.join(', ')} with code=${code}`);
  }
  return { status: Number(code), example };
}
