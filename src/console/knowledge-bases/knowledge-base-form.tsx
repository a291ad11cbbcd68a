/** The dialog that creates a knowledge base, or changes one. */
import { useState } from 'preact/hooks';
import type { KnowledgeBase } from '../../client/index.ts';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Field } from '../parts/fields/field.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';

type FormProps = {
  /** The one to change; undefined: a new one. */
  knowledgeBase?: KnowledgeBase;
  onSaved(saved: KnowledgeBase): void;
  onClose(): void;
};

export function KnowledgeBaseForm({ knowledgeBase, onSaved, onClose }: FormProps) {
  const { service } = useSession();
  const [name, setName] = useState(knowledgeBase?.name ?? '');
  const [description, setDescription] = useState(knowledgeBase?.description ?? '');
  const save = useAction(async () => {
    const saved =
      knowledgeBase === undefined
        ? await service.createKnowledgeBase({ name, description })
        : await service.updateKnowledgeBase({ knowledgeBaseId: knowledgeBase.id, name, description });
    onSaved(saved);
    onClose();
  });
  const isNew = knowledgeBase === undefined;
  return (
    <DialogForm
      title={isNew ? 'New knowledge base' : 'Name and description'}
      action={save}
      failure={isNew ? 'It was not created.' : 'The changes were not saved.'}
      submit={isNew ? 'Create' : 'Save'}
      onClose={onClose}
    >
      <Field label="Name">
        {(attributes) => (
          <input
            {...attributes}
            required
            maxLength={100}
            dir="auto"
            autofocus
            placeholder="Operations handbook"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Description" hint="Optional: what it is for.">
        {(attributes) => (
          <textarea
            {...attributes}
            maxLength={1000}
            dir="auto"
            value={description}
            onInput={(event) => setDescription(event.currentTarget.value)}
          />
        )}
      </Field>
    </DialogForm>
  );
}
