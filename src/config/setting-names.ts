/** Finds environment variables whose names look like mistyped settings. */
import { editDistance } from '../analysis/edits/edit-distance.ts';

/** A variable that is not a setting, and the setting that was probably meant. */
export type MistypedName = { name: string; meant: string };

/** Settings that are not compared: OpenTelemetry has many more variables than this service reads. */
const FOREIGN = /^OTEL_/;

/** How many letters of a name may be wrong, by its length. Too many words resemble short names (PORT, SORT). */
function tolerance(length: number): number {
  if (length < 7) return 0;
  return length < 10 ? 1 : 2;
}

const lettersOf = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

/**
 * The letters of a setting's first two words; undefined: it has at most two words.
 * `RATE_LIMIT_PER_MINUTE` → `RATELIMIT`
 */
function beginningOf(setting: string): string | undefined {
  const words = setting.split('_');
  return words.length > 2 ? words.slice(0, 2).join('') : undefined;
}

/** Whether `name` may be a mistyped `setting`. */
function resembles(name: string, setting: string): boolean {
  const [written, meant] = [lettersOf(name), lettersOf(setting)];
  if (written === meant) return true;
  const beginning = beginningOf(setting);
  if (beginning !== undefined && written.startsWith(beginning) && meant.startsWith(written)) return true;
  const allowed = tolerance(meant.length);
  return Math.abs(written.length - meant.length) <= allowed && editDistance(written, meant) <= allowed;
}

/**
 * The names in `given` that look like an unset setting: other case or underscores (`LOGLEVEL`), one or two wrong
 * letters (`CORS_ORIGINS`), missing last words (`RATE_LIMIT`). Such a name may belong to another program, since
 * settings have no common prefix. So it is reported but not refused.
 */
export function findMistypedNames(given: readonly string[], settings: readonly string[]): MistypedName[] {
  const unset = settings.filter((setting) => !FOREIGN.test(setting) && !given.includes(setting));
  return given
    .filter((name) => !settings.includes(name))
    .flatMap((name) => {
      const meant = unset.find((setting) => resembles(name, setting));
      return meant === undefined ? [] : [{ name, meant }];
    });
}

/** The mistyped name as a sentence for an operator. */
export const describeMistyped = ({ name, meant }: MistypedName): string =>
  `${name} is no setting and changes nothing: did you mean ${meant}?`;
