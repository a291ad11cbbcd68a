/** The fields that a document has whether it is written or changed. */
import { TextField } from '../parts/fields/text-field.tsx';

type DocumentFieldProps = { value: string; hint?: string; onChange(value: string): void };

export const TitleField = ({ hasFocus = false, ...field }: DocumentFieldProps & { hasFocus?: boolean }) => (
  <TextField label="Title" required maxLength={256} dir="auto" autofocus={hasFocus} {...field} />
);

export const SourceUrlField = (field: DocumentFieldProps) => (
  <TextField label="Address of the original" isAddress maxLength={2048} placeholder="https://…" {...field} />
);
