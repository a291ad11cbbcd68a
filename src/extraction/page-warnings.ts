/** Warnings that name pages of a file. */
import type { FileWarning, FileWarningCode } from './extracted-file.ts';

/** A warning names at most this many pages or files, and counts the rest. */
export const NAMED_MAX = 20;

/** One warning that lists the pages: [1, 4, 5, 6] → `1, 4–6`. Empty for no pages. */
export function pageWarning(code: FileWarningCode, pages: number[], what: string): FileWarning[] {
  if (pages.length === 0) return [];
  const runs: { first: number; last: number }[] = [];
  for (const page of pages) {
    const run = runs.at(-1);
    if (run?.last === page - 1) run.last = page;
    else runs.push({ first: page, last: page });
  }
  const named = runs
    .slice(0, NAMED_MAX)
    .map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`));
  const more = runs.length > NAMED_MAX ? ' and more' : '';
  const message = `${pages.length === 1 ? 'Page' : 'Pages'} ${named.join(', ')}${more}: ${what}.`;
  return [{ code, message }];
}
