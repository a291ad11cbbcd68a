/** The table of formats in docs/files.md has all types of files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSpec, type Spec } from '../http/contract/spec.ts';

const { components } = readSpec() as Spec & {
  components: { schemas: { DocumentType: { enum: string[] } } };
};

/** The words of the second column: `| files | `docx`, `doc` | … |`. */
function typesOfPage(): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/files.md'), 'utf8');
  const [, table = ''] = /^\| files \| `type` \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page) ?? [];
  const columns = table.split('\n').map((row) => row.split('|')[2] ?? '');
  return columns.flatMap((column) => [...column.matchAll(/`(\w+)`/g)].map(([, type = '']) => type));
}

test('the page of files names every type of files once', () => {
  const types = components.schemas.DocumentType.enum;
  expect(typesOfPage().toSorted()).toEqual(
    types.filter((type) => type !== 'text' && type !== 'unknown').toSorted(),
  );
});
