/** Deletes a knowledge base, after its name was typed. */
import { useState } from 'preact/hooks';
import type { KnowledgeBase } from '../../client/index.ts';
import { countOf, formatBytes } from '../format.ts';
import { announce } from '../parts/announcements.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Field } from '../parts/fields/field.tsx';
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
    <DialogForm
      title="Delete this knowledge base?"
      action={remove}
      failure="It was not deleted."
      submit="Delete"
      isDangerous
      // Names may have white space that nobody sees.
      isIncomplete={typed.trim() !== name.trim()}
      onClose={onClose}
    >
      <p>
        This deletes <strong dir="auto">{name}</strong>, {countOf(documentCount, 'document')},{' '}
        {countOf(passageCount, 'passage')} and the uploaded files ({formatBytes(storageUsed)}). It cannot be
        undone.
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
            autofocus
            dir="auto"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        )}
      </Field>
    </DialogForm>
  );
}
