/** The fields that a document has whether it is written or changed. */
import { Field } from '../parts/fields/field.tsx';

type TextFieldProps = { value: string; hint?: string; onChange(value: string): void };

export const TitleField = ({
  value,
  hint,
  onChange,
  hasFocus = false,
}: TextFieldProps & { hasFocus?: boolean }) => (
  <Field label="Title" hint={hint}>
    {(attributes) => (
      <input
        {...attributes}
        required
        maxLength={256}
        dir="auto"
        autofocus={hasFocus}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
);

export const SourceUrlField = ({ value, hint, onChange }: TextFieldProps) => (
  <Field label="Address of the original" hint={hint}>
    {(attributes) => (
      <input
        {...attributes}
        type="url"
        maxLength={2048}
        placeholder="https://…"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
);
