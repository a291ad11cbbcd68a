/** A condition of a filter as a row of a form. */
import { useId } from 'preact/hooks';
import type { KnownAttributes, KnownTypes } from '../../attributes/known-attributes.ts';
import { CloseIcon } from '../../parts/icons.tsx';
import {
  type Condition,
  findMismatch,
  isList,
  type Kind,
  kindOf,
  OPERATOR_NAMES,
  type Operator,
} from './conditions.ts';

const KIND_NAMES = { text: 'text', number: 'number', boolean: 'yes or no' };

type PartProps = { condition: Condition; number: number; onChange(changed: Condition): void };

const Key = ({ condition, number, fieldsId, onChange }: PartProps & { fieldsId: string }) => (
  <input
    aria-label={`Attribute of condition ${number}`}
    placeholder="attribute"
    list={fieldsId}
    maxLength={64}
    value={condition.key}
    onInput={(event) => onChange({ ...condition, key: event.currentTarget.value })}
  />
);

const OperatorChoice = ({ condition, number, onChange }: PartProps) => (
  <select
    aria-label={`Comparison of condition ${number}`}
    value={condition.operator}
    onChange={(event) => onChange({ ...condition, operator: event.currentTarget.value as Operator })}
  >
    {Object.entries(OPERATOR_NAMES).map(([type, name]) => (
      <option key={type} value={type}>
        {name}
      </option>
    ))}
  </select>
);

function Value({ condition, number, values, onChange }: PartProps & { values: readonly string[] }) {
  const valuesId = useId();
  const { operator, kind, value } = condition;
  const label = `Value of condition ${number}`;
  const set = (text: string) => onChange({ ...condition, value: text });
  if (kind === 'boolean')
    return (
      <select aria-label={label} value={value} onChange={(event) => set(event.currentTarget.value)}>
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  return (
    <>
      <input
        aria-label={label}
        placeholder={isList(operator) ? 'one, another' : 'value'}
        inputMode={kind === 'number' ? 'decimal' : 'text'}
        list={valuesId}
        dir="auto"
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
      />
      <datalist id={valuesId}>
        {values.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  );
}

function KindChoice({ condition, number, types, onChange }: PartProps & { types: KnownTypes }) {
  const { kind, value } = condition;
  const found = KIND_NAMES[kindOf({ ...condition, kind: 'auto' }, types)];
  return (
    <select
      aria-label={`Type of condition ${number}`}
      value={kind}
      onChange={(event) => {
        const next = event.currentTarget.value as Kind; // one of the options
        onChange({ ...condition, kind: next, value: next === 'boolean' ? 'true' : value });
      }}
    >
      <option value="auto">{value === '' ? 'any type' : `as ${found}`}</option>
      <option value="text">text</option>
      <option value="number">number</option>
      <option value="boolean">yes or no</option>
    </select>
  );
}

type ConditionRowProps = PartProps & { fieldsId: string; known: KnownAttributes; onRemove(): void };

export function ConditionRow({ fieldsId, known, onRemove, ...part }: ConditionRowProps) {
  const { condition, number } = part;
  const mismatch = known.isPartial ? undefined : findMismatch(condition, known.types);
  return (
    <li class="condition">
      <Key fieldsId={fieldsId} {...part} />
      <OperatorChoice {...part} />
      <Value values={known.values.get(condition.key) ?? []} {...part} />
      <KindChoice types={known.types} {...part} />
      <button
        type="button"
        class="quiet icon-only"
        aria-label={`Remove condition ${number}`}
        onClick={onRemove}
      >
        <CloseIcon />
      </button>
      {mismatch && (
        <p class="field-error" role="status">
          {mismatch}
        </p>
      )}
    </li>
  );
}
