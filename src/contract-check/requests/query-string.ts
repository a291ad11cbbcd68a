/** The query strings of the generated client and of raw requests. */

/** A query string. Values other than text become JSON, and lone surrogates U+FFFD. */
export const toQuery = (fields: object): string =>
  new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString();
