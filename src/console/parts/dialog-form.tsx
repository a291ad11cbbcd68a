/**
 * A dialog that does one thing: what is needed for it, what went wrong, and the buttons Cancel and the thing itself.
 */
import type { ComponentChildren } from 'preact';
import type { Action } from '../use-action.ts';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './notice.tsx';

type DialogFormProps = {
  title: string;
  isWide?: boolean;
  /** What the form does when it is submitted. */
  action: Action;
  /** A sentence before the reason of a failure, such as "It was not deleted." */
  failure: string;
  /** What the submitting button says. */
  submit: string;
  /** What is done cannot be undone. */
  isDangerous?: boolean;
  /** What is entered cannot be submitted yet. */
  isIncomplete?: boolean;
  onClose(): void;
  children: ComponentChildren;
};

export function DialogForm({
  title,
  isWide = false,
  action,
  failure,
  submit,
  isDangerous = false,
  isIncomplete = false,
  onClose,
  children,
}: DialogFormProps) {
  return (
    <Dialog title={title} isWide={isWide} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void action.run();
        }}
      >
        {children}
        <ErrorNotice doing={failure} error={action.error} />
        <div class="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class={isDangerous ? 'danger' : 'primary'}
            disabled={action.isRunning || isIncomplete}
          >
            {submit}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
