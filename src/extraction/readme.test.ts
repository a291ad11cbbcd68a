/** The table of formats in the README has all types of files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSpec, type Spec } from '../http/contract/spec.ts';

const { components } = readSpec() as Spec & {
  components: { schemas: { DocumentType: { enum: string[] } } };
};

/** The words of the second column: `| files | `docx`, `doc` | … |`. */
function typesOfReadme(): string[] {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  const [, table = ''] = /^\| files \| `type` \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(readme) ?? [];
  const columns = table.split('\n').map((row) => row.split('|')[2] ?? '');
  return columns.flatMap((column) => [...column.matchAll(/`(\w+)`/g)].map(([, type = '']) => type));
}

test('the README names every type of files once', () => {
  const types = components.schemas.DocumentType.enum;
  expect(typesOfReadme().toSorted()).toEqual(
    types.filter((type) => type !== 'text' && type !== 'unknown').toSorted(),
  );
});
