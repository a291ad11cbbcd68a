/** Controls that belong together, below the name of what they set. */
import type { ComponentChildren } from 'preact';

type FieldGroupProps = { legend: string; hint?: string; children: ComponentChildren };

export const FieldGroup = ({ legend, hint, children }: FieldGroupProps) => (
  <fieldset class="field-group">
    <legend class="label">{legend}</legend>
    {hint && <p class="hint">{hint}</p>}
    {children}
  </fieldset>
);
