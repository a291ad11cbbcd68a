/** Deletes documents after a confirmation. Those that could not be deleted stay selected. */
import { useState } from 'preact/hooks';
import type { Document } from '../../client/index.ts';
import { countOf, formatCount } from '../format.ts';
import { announce } from '../parts/announcements.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { hasCode, useSession } from '../session.ts';
import { useAction } from '../use-action.ts';

/** Titles that the dialog names. */
const NAMED_MAX = 5;

type DeleteDocumentsProps = {
  documents: Pick<Document, 'id' | 'title'>[];
  onDeleted(ids: ReadonlySet<string>): void;
  onClose(): void;
};

export function DeleteDocumentsDialog({ documents, onDeleted, onClose }: DeleteDocumentsProps) {
  const { service } = useSession();
  const [doneCount, setDoneCount] = useState(0);
  const remove = useAction(async () => {
    const deleted = new Set<string>();
    // One that somebody else has deleted is gone as well.
    const removeOne = async (id: string) => {
      await service.deleteDocument(id).catch((error) => {
        if (!hasCode(error, 'DOCUMENT_NOT_FOUND')) throw error;
      });
      deleted.add(id);
      setDoneCount(deleted.size);
    };
    const results = await Promise.allSettled(documents.map(({ id }) => removeOne(id)));
    onDeleted(deleted);
    announce(`${countOf(deleted.size, 'document')} deleted.`);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    onClose();
  });
  const [first] = documents;
  const title =
    documents.length === 1 ? 'Delete this document?' : `Delete ${countOf(documents.length, 'document')}?`;
  return (
    <DialogForm
      title={title}
      action={remove}
      failure="Not everything was deleted."
      submit={remove.isRunning && documents.length > 1 ? `Deleting ${formatCount(doneCount)} …` : 'Delete'}
      isDangerous
      onClose={onClose}
    >
      {documents.length === 1 ? (
        <p>
          This deletes <strong dir="auto">{first?.title}</strong> with its file and its passages. It cannot be
          undone.
        </p>
      ) : (
        <>
          <p>This deletes them with their files and passages. It cannot be undone.</p>
          <ul>
            {documents.slice(0, NAMED_MAX).map(({ id, title: name }) => (
              <li key={id} dir="auto">
                {name}
              </li>
            ))}
            {documents.length > NAMED_MAX && <li>and {formatCount(documents.length - NAMED_MAX)} more</li>}
          </ul>
        </>
      )}
    </DialogForm>
  );
}
