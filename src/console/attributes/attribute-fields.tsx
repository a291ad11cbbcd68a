/** The attributes of a document as rows of a form: at uploads, at pasted texts, and when documents are edited. */
import './attribute-fields.css';
import { useId } from 'preact/hooks';
import { FieldGroup } from '../parts/fields/field-group.tsx';
import { Select } from '../parts/fields/select.tsx';
import { CloseIcon, PlusIcon } from '../parts/icons.tsx';
import { type AttributeRow, findRowsError, type Kind, NEW_ROW } from './attribute-rows.ts';

/** The most attributes of a document. */
const ATTRIBUTES_MAX = 16;

const KIND_NAMES: Record<Kind, string> = {
  text: 'text',
  number: 'number',
  boolean: 'yes or no',
  list: 'list',
};
const BOOLEAN_NAMES: Record<string, string> = { true: 'yes', false: 'no' };

type RowProps = {
  row: AttributeRow;
  number: number;
  namesId: string;
  onChange(changed: AttributeRow): void;
  onRemove(): void;
};

function Value({ row, number, onChange }: Omit<RowProps, 'onRemove' | 'namesId'>) {
  const label = `Value of attribute ${number}`;
  const set = (value: string) => onChange({ ...row, value });
  if (row.kind === 'boolean')
    return <Select aria-label={label} names={BOOLEAN_NAMES} value={row.value} onChange={set} />;
  if (row.kind === 'list')
    return (
      <textarea
        aria-label={label}
        placeholder="one text a line"
        rows={3}
        dir="auto"
        value={row.value}
        onInput={(event) => set(event.currentTarget.value)}
      />
    );
  return (
    <input
      aria-label={label}
      placeholder="value"
      inputMode={row.kind === 'number' ? 'decimal' : 'text'}
      maxLength={512}
      dir="auto"
      value={row.value}
      onInput={(event) => set(event.currentTarget.value)}
    />
  );
}

const Row = ({ row, number, namesId, onChange, onRemove }: RowProps) => (
  <li class="attribute-row">
    <input
      aria-label={`Name of attribute ${number}`}
      placeholder="name"
      list={namesId}
      maxLength={64}
      pattern="[A-Za-z0-9_.\-]+"
      title="Letters, digits, _ . and -"
      value={row.name}
      onInput={(event) => onChange({ ...row, name: event.currentTarget.value })}
    />
    <Select
      aria-label={`Type of attribute ${number}`}
      names={KIND_NAMES}
      value={row.kind}
      onChange={(kind) => onChange({ ...row, kind, value: kind === 'boolean' ? 'true' : row.value })}
    />
    <Value row={row} number={number} onChange={onChange} />
    <button
      type="button"
      class="quiet icon-only"
      aria-label={`Remove attribute ${number}`}
      onClick={onRemove}
    >
      <CloseIcon />
    </button>
  </li>
);

type AttributeFieldsProps = {
  legend?: string;
  hint: string;
  rows: AttributeRow[];
  /** Names that other documents have, which are offered. */
  knownNames?: readonly string[];
  onChange(rows: AttributeRow[]): void;
};

function Rows({ rows, knownNames = [], onChange }: Omit<AttributeFieldsProps, 'legend' | 'hint'>) {
  const namesId = useId();
  const replace = (index: number, ...changed: AttributeRow[]) =>
    onChange(rows.toSpliced(index, 1, ...changed));
  return (
    <>
      <datalist id={namesId}>
        {knownNames.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <ul>
        {rows.map((row, index) => (
          <Row
            key={index}
            row={row}
            number={index + 1}
            namesId={namesId}
            onChange={(changed) => replace(index, changed)}
            onRemove={() => replace(index)}
          />
        ))}
      </ul>
    </>
  );
}

export function AttributeFields({ legend = 'Attributes', hint, ...rowsProps }: AttributeFieldsProps) {
  const { rows, onChange } = rowsProps;
  const error = findRowsError(rows);
  return (
    <FieldGroup legend={legend} hint={hint}>
      <Rows {...rowsProps} />
      {error && (
        <p class="hint bad" role="alert">
          {error}
        </p>
      )}
      <button
        type="button"
        disabled={rows.length >= ATTRIBUTES_MAX}
        onClick={() => onChange([...rows, NEW_ROW])}
      >
        <PlusIcon /> Add an attribute
      </button>
    </FieldGroup>
  );
}
