/**
 * A problem of a deployment, and its remedy: each a sentence or two for the operator. `isWarning`: it may be intended.
 */
export type Problem = { problem: string; remedy: string; isWarning?: true };

/** The message of the operating system, Node or a library on an error, in one line. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}

/** The code of an error from Node or PostgreSQL; '' if it has none. For an AggregateError, the code of the first. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Quotes a path for a shell, for commands that an operator pastes: `a b` → `'a b'` */
export const shellWord = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
