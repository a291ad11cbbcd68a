/** The attributes that a form holds while somebody edits them. */
import { useState } from 'preact/hooks';
import { type AttributeRow, findRowsError, toAttributes } from './attribute-rows.ts';
import { useKnownAttributes } from './known-attributes.ts';

/**
 * `attributes`: the rows as the service takes them. `error`: what is wrong with the rows; undefined: nothing.
 * `fields`: properties of AttributeFields, which offers the names that the knowledge bases have.
 */
export function useAttributeRows(knowledgeBaseIds: readonly string[], initial: AttributeRow[] = []) {
  const [rows, onChange] = useState(initial);
  const { names: knownNames } = useKnownAttributes(knowledgeBaseIds);
  return {
    attributes: toAttributes(rows),
    error: findRowsError(rows),
    fields: { rows, knownNames, onChange },
  };
}
