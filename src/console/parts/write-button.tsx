/** A button that changes something, disabled where the key may not. */
import type { ComponentChildren } from 'preact';

type WriteButtonProps = {
  /** Why the key may not, as a sentence; undefined: it may. */
  obstacle: string | undefined;
  isPrimary?: boolean;
  isRunning?: boolean;
  onClick(): void;
  children: ComponentChildren;
};

export const WriteButton = ({
  obstacle,
  isPrimary = false,
  isRunning = false,
  onClick,
  children,
}: WriteButtonProps) => (
  <button
    type="button"
    class={isPrimary ? 'primary' : ''}
    disabled={isRunning || obstacle !== undefined}
    title={obstacle}
    onClick={onClick}
  >
    {children}
  </button>
);
