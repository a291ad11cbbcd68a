/** Deletes a knowledge base, after its name was typed. */
import { useState } from 'preact/hooks';
import type { KnowledgeBase } from '../../client/index.ts';
import { countOf, formatBytes } from '../format.ts';
import { announce } from '../parts/announcements.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { TextField } from '../parts/fields/text-field.tsx';
import { addressOf, visit } from '../routes.ts';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';

const NameHint = ({ name }: { name: string }) => (
  <>
    The name is <code dir="auto">{name}</code>
  </>
);

type DeleteDialogProps = { knowledgeBase: KnowledgeBase; onClose(): void };

export function DeleteKnowledgeBaseDialog({ knowledgeBase, onClose }: DeleteDialogProps) {
  const { id, name, documentCount = 0, passageCount = 0, storageUsed = 0 } = knowledgeBase;
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
      <TextField
        label="Type its name to confirm"
        hint={<NameHint name={name} />}
        autocomplete="off"
        autofocus
        dir="auto"
        value={typed}
        onChange={setTyped}
      />
    </DialogForm>
  );
}
