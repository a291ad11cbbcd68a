/** A field for a number that may be empty. */
import { useState } from 'preact/hooks';
import { Field } from './field.tsx';

type NumberFieldProps = {
  label: string;
  hint: string;
  /** What an empty field means. */
  placeholder: string;
  min: number;
  max: number;
  /** Whether it takes fractions. */
  isFraction?: boolean;
  value: number | undefined;
  onChange(value: number | undefined): void;
};

const toNumber = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text));

export function NumberField({
  label,
  hint,
  placeholder,
  min,
  max,
  isFraction = false,
  value,
  onChange,
}: NumberFieldProps) {
  // While somebody types, "0." is a number too: the text must not become "0".
  const [typed, setTyped] = useState('');
  const text = toNumber(typed) === value ? typed : String(value ?? '');
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <input
          {...attributes}
          type="number"
          min={min}
          max={max}
          placeholder={placeholder}
          step={isFraction ? 'any' : 1}
          value={text}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            onChange(toNumber(currentTarget.value));
          }}
        />
      )}
    </Field>
  );
}
