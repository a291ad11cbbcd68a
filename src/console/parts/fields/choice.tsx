/** A box to tick, with its sentence. */
import type { ComponentChildren } from 'preact';

type ChoiceProps = { isChosen: boolean; onChange(isChosen: boolean): void; children: ComponentChildren };

export const Choice = ({ isChosen, onChange, children }: ChoiceProps) => (
  <label class="choice">
    <input type="checkbox" checked={isChosen} onChange={(event) => onChange(event.currentTarget.checked)} />
    {children}
  </label>
);

/** The set with a value or without it. */
export function withChoice<Value>(
  set: ReadonlySet<Value>,
  value: Value,
  isChosen: boolean,
): ReadonlySet<Value> {
  const next = new Set(set);
  if (isChosen) next.add(value);
  else next.delete(value);
  return next;
}
