/** Deletes a knowledge base, after its name was typed. */
import { useState } from 'preact/hooks';
import type { KnowledgeBase } from '../../client/index.ts';
import { countOf, formatBytes } from '../format.ts';
import { announce } from '../parts/announcements.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { addressOf, visit } from '../routes.ts';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';

export function DeleteKnowledgeBaseDialog({
  knowledgeBase: { id, name, documentCount = 0, passageCount = 0, storageUsed = 0 },
  onClose,
}: {
  knowledgeBase: KnowledgeBase;
  onClose(): void;
}) {
  const { service } = useSession();
  const [typed, setTyped] = useState('');
  const remove = useAction(async () => {
    await service.deleteKnowledgeBase(id);
    announce(`${name} is deleted.`);
    visit(addressOf.home);
  });
  return (
    <Dialog title="Delete this knowledge base?" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void remove.run();
        }}
      >
        <p>
          <strong dir="auto">{name}</strong> goes with {countOf(documentCount, 'document')},{' '}
          {countOf(passageCount, 'passage')} and the uploaded files ({formatBytes(storageUsed)}). Nobody can
          bring them back.
        </p>
        <Field
          label="Type its name to confirm"
          hint={
            <>
              The name is <code dir="auto">{name}</code>
            </>
          }
        >
          {(attributes) => (
            <input
              {...attributes}
              autocomplete="off"
              dir="auto"
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </Field>
        <ErrorNotice doing="It was not deleted." error={remove.error} />
        <div class="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class="danger"
            // Names may have white space that nobody sees.
            disabled={typed.trim() !== name.trim() || remove.isRunning}
          >
            Delete
          </button>
        </div>
      </form>
    </Dialog>
  );
}
