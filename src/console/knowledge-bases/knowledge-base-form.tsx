/** The dialog that creates a knowledge base, or changes one. */
import { useState } from 'preact/hooks';
import type { KnowledgeBase } from '../../client/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
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
  return (
    <Dialog
      title={knowledgeBase === undefined ? 'New knowledge base' : 'Name and description'}
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
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
        <ErrorNotice
          doing={knowledgeBase === undefined ? 'It was not created.' : 'The changes were not saved.'}
          error={save.error}
        />
        <div class="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={save.isRunning}>
            {knowledgeBase === undefined ? 'Create' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
