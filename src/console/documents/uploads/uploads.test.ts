/** Files are known by the paths that the command `import` gives them. */
import { expect, test } from 'vitest';
import { isRecording, withIds } from './uploads.ts';

const idsOf = (...paths: string[]) =>
  withIds(paths.map((path) => ({ path }))).map(({ externalId }) => externalId);

test('a file is known by its path below the chosen folder', () => {
  expect(idsOf('notes.md')).toEqual(['notes.md']);
  expect(idsOf('docs/a.md', 'docs/sub/b.md')).toEqual(['a.md', 'sub/b.md']);
  expect(idsOf('docs/a.md', 'manuals/b.md')).toEqual(['a.md', 'b.md']);
});

test('where two files would be one document, all keep their folders', () => {
  expect(idsOf('docs/a.md', 'manuals/a.md', 'c.md')).toEqual(['docs/a.md', 'manuals/a.md', 'c.md']);
});

test.each([
  ['talk.mp4', 'video/mp4', true],
  ['talk.mp3', 'audio/mpeg', true],
  ['main.ts', 'video/mp2t', false],
  ['talk.srt', 'application/x-subrip', false],
  ['notes.md', '', false],
])('%s of the type %j is no text: %s', (name, type, isRefused) => {
  expect(isRecording({ name, type })).toBe(isRefused);
});
