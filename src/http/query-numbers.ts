/** Turns the numbers of a query string, which holds only text, into numbers. */

/** A whole number without an exponent, as JSON writes it. */
const WHOLE_NUMBER = /^(0|-?[1-9][0-9]*)$/;

const readNumber = (value: unknown): unknown =>
  typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : value;

/**
 * The parameters of a query string, with the plain decimal values of `names` turned into numbers.
 * `'5'` → `5`; `'0x5'`, `'5e0'`, `' 5'`, `'05'` stay text, which the schema refuses.
 */
export function readNumbers(
  query: Record<string, unknown>,
  names: ReadonlySet<string> = new Set(),
): Record<string, unknown> {
  const numbers = [...names].filter((name) => name in query).map((name) => [name, readNumber(query[name])]);
  return { ...query, ...Object.fromEntries(numbers) };
}
