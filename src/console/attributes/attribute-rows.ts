/** The attributes of a document as rows of a form. */
import type { Attributes } from '../../client/index.ts';

export type Kind = 'text' | 'number' | 'boolean' | 'list';
/** `value`: as typed; a list has one text a line. */
export type AttributeRow = { name: string; kind: Kind; value: string };

export const NEW_ROW: AttributeRow = { name: '', kind: 'text', value: '' };

function kindOf(value: Attributes[string]): Kind {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'text';
}

export const toRows = (attributes: Attributes = {}): AttributeRow[] =>
  Object.entries(attributes).map(([name, value]) => ({
    name,
    kind: kindOf(value),
    value: Array.isArray(value) ? value.join('\n') : String(value),
  }));

function toValue({ kind, value }: AttributeRow): Attributes[string] {
  if (kind === 'number') return Number(value);
  if (kind === 'boolean') return value === 'true';
  if (kind === 'list') return value.split('\n').filter((text) => text !== '');
  return value;
}

/** Rows without a name are left out. */
export const toAttributes = (rows: AttributeRow[]): Attributes =>
  Object.fromEntries(rows.filter(({ name }) => name !== '').map((row) => [row.name, toValue(row)]));

/** What is wrong with the rows; undefined: nothing that a form can see. */
export function findRowsError(rows: AttributeRow[]): string | undefined {
  const named = rows.filter(({ name }) => name !== '');
  const wrongNumber = named.find(
    ({ kind, value }) => kind === 'number' && (value.trim() === '' || Number.isNaN(Number(value))),
  );
  if (wrongNumber !== undefined) return `${wrongNumber.name} must be a number.`;
  if (new Set(named.map(({ name }) => name)).size < named.length) return 'Two attributes have the same name.';
  const nameless = rows.find(({ name, value }) => name === '' && value !== '');
  return nameless === undefined ? undefined : 'An attribute has no name.';
}
