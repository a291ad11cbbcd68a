/** The Prefer header (RFC 7240), by which a client of the mock chooses its answer, as with Prism. */
import { validationFailed } from '../../src/terms/errors.ts';
import type { Answers, Wanted } from './prism.ts';

/** The longest delay: tests of time-outs wait no longer. */
const DELAY_MAX_MS = 60_000;

const PREFERENCE = /(?:^|[\s,;])(code|example|delay)\s*=\s*"?([^\s",;]*)/gi;

/** `wanted`: the requested example, if there is one. `delayMs`: how long to wait before the answer. */
export type Preference = { wanted: Wanted | undefined; delayMs: number };

const refuse = (problem: string) => validationFailed([], { Prefer: [problem] });

function readDelay(text: string): number {
  const delayMs = Number(text);
  if (!/^\d{1,9}$/.test(text) || delayMs > DELAY_MAX_MS)
    throw refuse(`delay must be a whole number of milliseconds from 0 to ${DELAY_MAX_MS}`);
  return delayMs;
}

/**
 * `code`, `example` and `delay` from the header; other preferences are ignored.
 * @throws INPUT_VALIDATION_FAILED, with the possible values, for those that the operation does not have
 */
export function readPreference(header: string, answers: Answers): Preference {
  const preferences = new Map(
    [...header.matchAll(PREFERENCE)].map(([, name = '', value]) => [name.toLowerCase(), value]),
  );
  const { code = '200', example, delay = '0' } = Object.fromEntries(preferences);
  const delayMs = readDelay(delay);
  if (!preferences.has('code') && example === undefined) return { wanted: undefined, delayMs };
  const examples = answers.get(code);
  if (examples === undefined) throw refuse(`code must be one of ${[...answers.keys()].sort().join(', ')}`);
  const names = examples.map(({ name }) => name);
  if (example !== undefined && !names.includes(example)) {
    throw refuse(`example must be one of ${names.join(', ')} with code=${code}`);
  }
  return { wanted: { status: Number(code), example }, delayMs };
}
