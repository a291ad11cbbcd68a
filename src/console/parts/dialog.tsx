/** A dialog over the page. The focus stays inside, and returns to where it was when the dialog closes. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
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
  // Before the browser draws: until then a key would still reach the page behind the dialog.
  useLayoutEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      // The browser returns the focus only from a dialog that is still in the page.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
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
