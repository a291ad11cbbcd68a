/** The dialog that creates a knowledge base, or changes one. */
import { useState } from 'preact/hooks';
import type { KnowledgeBase } from '../../client/index.ts';
import { DialogForm } from '../parts/dialog-form.tsx';
import { LinesField, TextField } from '../parts/fields/text-field.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';

type FormProps = {
  /** The knowledge base to change; undefined: a new knowledge base. */
  knowledgeBase?: KnowledgeBase;
  onSaved(saved: KnowledgeBase): void;
  onClose(): void;
};

const CREATING = { title: 'New knowledge base', failure: 'It was not created.', submit: 'Create' };
const CHANGING = { title: 'Name and description', failure: 'The changes were not saved.', submit: 'Save' };

export function KnowledgeBaseForm({ knowledgeBase, onSaved, onClose }: FormProps) {
  const { service } = useSession();
  const [name, setName] = useState(knowledgeBase?.name ?? '');
  const [description, setDescription] = useState(knowledgeBase?.description ?? '');
  const save = useAction(async () => {
    const written = { name, description };
    onSaved(
      knowledgeBase === undefined
        ? await service.createKnowledgeBase(written)
        : await service.updateKnowledgeBase({ knowledgeBaseId: knowledgeBase.id, ...written }),
    );
    onClose();
  });
  return (
    <DialogForm {...(knowledgeBase === undefined ? CREATING : CHANGING)} action={save} onClose={onClose}>
      <TextField
        label="Name"
        required
        maxLength={100}
        dir="auto"
        autofocus
        placeholder="Operations handbook"
        value={name}
        onChange={setName}
      />
      <LinesField
        label="Description"
        hint="Optional: what it is for."
        maxLength={1000}
        dir="auto"
        value={description}
        onChange={setDescription}
      />
    </DialogForm>
  );
}
