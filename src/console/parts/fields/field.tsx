/** A labelled control with its hint and its error. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type Described = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: 'true' };

export type FieldProps = {
  label: string;
  /** Twice as wide as its neighbours. */
  isWide?: boolean | undefined;
  hint?: ComponentChildren;
  /** What is wrong with the value. */
  error?: string | undefined;
  /** Draws the control with the attributes that join it with label, hint and error. */
  children(attributes: Described): ComponentChildren;
};

export function Field({ label, isWide = false, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class={`field ${isWide ? 'wide' : ''}`}>
      <label for={id}>{label}</label>
      {children({
        id,
        ...(described && { 'aria-describedby': described }),
        ...(error && { 'aria-invalid': 'true' as const }),
      })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="hint bad" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
