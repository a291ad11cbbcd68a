/** The conditions of a filter as rows. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { KnownAttributes } from '../../attributes/known-attributes.ts';
import { Select } from '../../parts/fields/select.tsx';
import { PlusIcon } from '../../parts/icons.tsx';
import { ConditionRow } from './condition-row.tsx';
import { type Condition, type Conditions, DOCUMENT_FIELDS, writeConditions } from './conditions.ts';

const NEW_CONDITION: Condition = { key: '', operator: 'eq', kind: 'auto', value: '' };

const JOIN_NAMES = { and: 'All of these apply', or: 'At least one of these applies' };

/** `children`: further buttons below the rows. */
type RowsProps = {
  given: Conditions;
  known: KnownAttributes;
  onChange(filter: string): void;
  children: ComponentChildren;
};

export function ConditionRows({ given, known, onChange, children }: RowsProps) {
  // Rows without a value are no part of the filter yet.
  const [{ join, conditions }, setState] = useState(given);
  const fieldsId = useId();
  const change = (next: Conditions) => {
    setState(next);
    onChange(writeConditions(next, known.types));
  };
  const replace = (index: number, ...changed: Condition[]) =>
    change({ join, conditions: conditions.toSpliced(index, 1, ...changed) });
  return (
    <>
      <datalist id={fieldsId}>
        {[...known.names, ...DOCUMENT_FIELDS].map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
      {conditions.length > 1 && (
        <Select
          aria-label="How the conditions are joined"
          names={JOIN_NAMES}
          value={join}
          onChange={(next) => change({ join: next, conditions })}
        />
      )}
      <ul>
        {conditions.map((condition, index) => (
          <ConditionRow
            key={index}
            condition={condition}
            number={index + 1}
            fieldsId={fieldsId}
            known={known}
            onChange={(changed) => replace(index, changed)}
            onRemove={() => replace(index)}
          />
        ))}
      </ul>
      <div class="row">
        <button type="button" onClick={() => change({ join, conditions: [...conditions, NEW_CONDITION] })}>
          <PlusIcon /> Add a condition
        </button>
        {children}
      </div>
    </>
  );
}
