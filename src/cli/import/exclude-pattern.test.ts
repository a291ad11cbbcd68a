/** Which files and folders `--exclude` leaves out. */
import { expect, test } from 'vitest';
import { createExclusion } from './exclude-pattern.ts';

test.each([
  ['*.log', ['a.log', 'b/a.log'], ['a.log.md', 'log']],
  ['drafts/', ['drafts', 'b/drafts'], ['drafts.md']],
  ['/drafts', ['drafts'], ['b/drafts']],
  ['a/*.md', ['a/x.md'], ['b/a/x.md', 'a/b/x.md']],
  ['a/**/old', ['a/old', 'a/b/c/old'], ['old', 'a/older']],
  ['a/**', ['a/b', 'a/b/c'], ['a', 'b']],
  ['v?.txt', ['v1.txt', 'vé.txt'], ['v10.txt']],
  ['a+(b).md', ['a+(b).md'], ['aab.md']],
  ['[draft]*', ['[draft] x.md'], ['draft.md', 'd']],
])('%s', (pattern, excluded, others) => {
  const isExcluded = createExclusion([pattern]);
  expect(excluded.filter((path) => !isExcluded(path))).toEqual([]);
  expect(others.filter(isExcluded)).toEqual([]);
});
