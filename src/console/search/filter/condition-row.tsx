/** A condition of a filter as a row of a form. */
import { useId } from 'preact/hooks';
import type { KnownAttributes, KnownTypes } from '../../attributes/known-attributes.ts';
import { Select } from '../../parts/fields/select.tsx';
import { CloseIcon } from '../../parts/icons.tsx';
import { type Condition, findMismatch, isList, kindOf, OPERATOR_NAMES } from './conditions.ts';

const KIND_NAMES = { text: 'text', number: 'number', boolean: 'yes or no' };
const BOOLEAN_NAMES: Record<string, string> = { true: 'true', false: 'false' };

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
  <Select
    aria-label={`Comparison of condition ${number}`}
    names={OPERATOR_NAMES}
    value={condition.operator}
    onChange={(operator) => onChange({ ...condition, operator })}
  />
);

function Value({ condition, number, values, onChange }: PartProps & { values: readonly string[] }) {
  const valuesId = useId();
  const { operator, kind, value } = condition;
  const label = `Value of condition ${number}`;
  const set = (text: string) => onChange({ ...condition, value: text });
  if (kind === 'boolean')
    return <Select aria-label={label} names={BOOLEAN_NAMES} value={value} onChange={set} />;
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
    <Select
      aria-label={`Type of condition ${number}`}
      names={{ auto: value === '' ? 'any type' : `as ${found}`, ...KIND_NAMES }}
      value={kind}
      onChange={(next) => onChange({ ...condition, kind: next, value: next === 'boolean' ? 'true' : value })}
    />
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
        <p class="hint bad" role="status">
          {mismatch}
        </p>
      )}
    </li>
  );
}
