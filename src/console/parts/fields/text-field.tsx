/** Labelled fields for texts: one line, or several. */
import type { InputHTMLAttributes, TextareaHTMLAttributes } from 'preact';
import { Field, type FieldProps } from './field.tsx';

type TextProps = Omit<FieldProps, 'children'> & { value: string; onChange(value: string): void };

type LineProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'autocomplete' | 'autofocus' | 'dir' | 'maxLength' | 'placeholder' | 'required'
> & { isAddress?: boolean };

export const TextField = ({
  label,
  isWide,
  hint,
  error,
  value,
  onChange,
  isAddress = false,
  ...input
}: TextProps & LineProps) => (
  <Field label={label} isWide={isWide} hint={hint} error={error}>
    {(attributes) => (
      <input
        {...attributes}
        {...input}
        {...(isAddress ? ({ type: 'url' } as const) : ({ type: 'text' } as const))}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
);

type LinesProps = Pick<
  TextareaHTMLAttributes<HTMLTextAreaElement>,
  'autofocus' | 'class' | 'dir' | 'maxLength' | 'placeholder' | 'required' | 'rows' | 'spellcheck'
>;

export const LinesField = ({
  label,
  isWide,
  hint,
  error,
  value,
  onChange,
  ...area
}: TextProps & LinesProps) => (
  <Field label={label} isWide={isWide} hint={hint} error={error}>
    {(attributes) => (
      <textarea
        {...attributes}
        {...area}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
);
