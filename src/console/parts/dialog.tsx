/** A dialog over the page. The browser keeps the focus inside, and returns it when the dialog closes. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { CloseIcon } from './icons.tsx';

type DialogProps = {
  title: string;
  children: ComponentChildren;
  onClose(): void;
  /** Wide enough for long texts. */
  isWide?: boolean;
};

export function Dialog({ title, children, onClose, isWide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'wide' : ''}
      aria-labelledby={titleId}
      onCancel={(event) => {
        // The page removes the dialog. Escape inside of a file chooser bubbles up to here.
        event.preventDefault();
        if (event.target === dialog.current) onClose();
      }}
    >
      <header>
        <h2 id={titleId}>{title}</h2>
        <button type="button" class="quiet icon-only" aria-label="Close" onClick={onClose}>
          <CloseIcon />
        </button>
      </header>
      {children}
    </dialog>
  );
}
