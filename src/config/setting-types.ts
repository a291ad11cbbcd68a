/** The types of settings: each turns the text of an environment variable into a value, or throws what it must be. */
import { type CorsOrigins, readOrigins } from './cors.ts';
import { WrongText } from './wrong-text.ts';

/** @throws WrongText */
type Read<Value> = (text: string) => Value;

/** Reads a variable; undefined: it is not set. */
export type Setting<Value> = (text: string | undefined) => Value;

export const optional =
  <Value>(read: Read<Value>): Setting<Value | undefined> =>
  (text) =>
    text === undefined ? undefined : read(text);

export const withDefault =
  <Value>(fallback: Value, read: Read<Value>): Setting<Value> =>
  (text) =>
    text === undefined ? fallback : read(text);

/** A text that fulfils `isRight`; `wanted` completes "must". */
export const textThat =
  (isRight: (text: string) => boolean, wanted: string): Read<string> =>
  (text) => {
    if (!isRight(text)) throw new WrongText(`must ${wanted}`);
    return text;
  };

export const anyText: Read<string> = (text) => text;

export const textFrom = (least: number): Read<string> =>
  textThat(({ length }) => length >= least, `have ${least} characters or more`);

export const between =
  (least: number, most: number): Read<number> =>
  (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new WrongText(`must be a whole number from ${least} to ${most}`);
  };

export const wholeNumber = (fallback: number, least = 0, most = Number.MAX_SAFE_INTEGER): Setting<number> =>
  withDefault(fallback, between(least, most));

/** One of these words. */
export const oneOf =
  <const Word extends string>(words: readonly Word[]): Read<Word> =>
  (text) => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw new WrongText(
      words.length > 2 ? `must be one of ${words.join(', ')}` : `must be ${words.join(' or ')}`,
    );
  };

export const flag: Setting<boolean> = (text = 'false') => oneOf(['true', 'false'])(text) === 'true';

export const httpAddress = textThat(
  (text) => /^https?:\/\//i.test(text) && URL.canParse(text),
  'be an http(s) address',
);

/** An address that paths can be appended to: it has no user, password, query or fragment. */
export const baseAddress: Read<string> = (text) => {
  const { username, password, search, hash } = new URL(httpAddress(text));
  if ([username, password, search, hash].every((part) => part === '')) return text;
  throw new WrongText('must have no more than an origin and a path');
};

/** A list of origins. Each is checked: an origin that no browser sends would silently match no page. */
export const origins: Read<CorsOrigins> = (text) => {
  const read = readOrigins(text);
  if (read !== undefined) return read;
  throw new WrongText('must be * or origins such as https://app.example.org, with commas between');
};
