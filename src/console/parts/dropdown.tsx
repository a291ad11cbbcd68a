/** A button with a panel below it. Escape closes it, and so does everything that leaves it. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

type DropdownProps = {
  /** What the button shows. */
  label: ComponentChildren;
  /** Names the button where its label is a picture. */
  name?: string;
  children: ComponentChildren;
};

export function Dropdown({ label, name, children }: DropdownProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const close = () => details.current?.removeAttribute('open');
  return (
    <details
      ref={details}
      class="dropdown"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        close();
        details.current?.querySelector('summary')?.focus();
      }}
      onFocusOut={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && details.current?.contains(relatedTarget))) close();
      }}
    >
      <summary class={name === undefined ? 'button' : 'button quiet'} aria-label={name} title={name}>
        <span class="one-line" dir="auto">
          {label}
        </span>
      </summary>
      {/* It takes the focus of a click between its controls. */}
      <div class="card" tabIndex={-1}>
        {children}
      </div>
    </details>
  );
}
