/** A list of which one value is chosen. */
import type { SelectHTMLAttributes } from 'preact';

type SelectProps<Value extends string> = Pick<
  SelectHTMLAttributes<HTMLSelectElement>,
  'id' | 'class' | 'disabled' | 'aria-label' | 'aria-describedby' | 'aria-invalid'
> & {
  /** What the list says for each value, in its order. */
  names: Readonly<Record<Value, string>>;
  value: Value;
  onChange(value: Value): void;
};

export const Select = <Value extends string>({ names, onChange, ...select }: SelectProps<Value>) => (
  <select
    {...select}
    onChange={(event) => onChange(event.currentTarget.value as Value)} // one of the names
  >
    {Object.entries<string>(names).map(([value, name]) => (
      <option key={value} value={value}>
        {name}
      </option>
    ))}
  </select>
);
