/** Only documents whose files are gone from the imported folders count as gone. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findGone } from './gone-documents.ts';

const parent = mkdtempSync(join(tmpdir(), 'knowledge-retrieval-gone-'));
afterAll(() => rmSync(parent, { recursive: true }));
const [first, second] = ['first', 'second'].map((name) => join(parent, name)) as [string, string];
for (const folder of [first, second]) mkdirSync(folder);
writeFileSync(join(first, 'here.md'), '');
writeFileSync(join(second, 'there.md'), '');

async function* list(documents: { externalId?: string; type?: 'md' | 'text' }[]) {
  for (const [index, document] of documents.entries())
    yield { id: String(index), type: 'md' as const, ...document };
}

test.each([
  [
    '',
    ['here.md', 'there.md', 'gone.md', 'here.md/gone.md', 'no/folder.md'],
    ['gone.md', 'here.md/gone.md', 'no/folder.md'],
  ],
  ['p/', ['p/here.md', 'p/gone.md', 'gone.md', 'q/gone.md'], ['p/gone.md']],
  ['', ['../gone.md', '/gone.md', './gone.md', 'a//gone.md', 'a/../gone.md'], []],
])('with the prefix "%s"', async (prefix, externalIds, expected) => {
  const documents = list(externalIds.map((externalId) => ({ externalId })));
  const gone = await findGone(documents, { folders: [first, second], prefix });
  expect(gone.map(({ externalId }) => externalId)).toEqual(expected);
});

test('texts and documents without an id of the caller are not of files', async () => {
  const documents = list([{ externalId: 'record-1', type: 'text' }, {}]);
  expect(await findGone(documents, { folders: [first], prefix: '' })).toEqual([]);
});
