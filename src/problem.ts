/**
 * What is wrong with a deployment, and what helps: each a sentence or two for the person who runs it.
 * `isWarning`: it may be meant so.
 */
export type Problem = { problem: string; remedy: string; isWarning?: true };

/** What the operating system, Node or a library says of an error, in one line. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}

/** The code that Node or PostgreSQL gives an error, '' for none; of several at once the first. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** A path as one word of a shell, for commands that are printed to be pasted. */
export const shellWord = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
