/** Deletes documents after a confirmation. Those that could not be deleted stay selected. */
import { useState } from 'preact/hooks';
import type { Document } from '../../client/index.ts';
import { countOf, formatCount } from '../format.ts';
import { announce } from '../parts/announcements.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { hasCode, useSession } from '../session.ts';
import { doForAll, useAction } from '../use-action.ts';

/** Titles that the dialog names. */
const NAMED_MAX = 5;

type DeleteDocumentsProps = {
  documents: Pick<Document, 'id' | 'title'>[];
  onDeleted(ids: ReadonlySet<string>): void;
  onClose(): void;
};

/** The documents that will be deleted. */
const Question = ({ documents }: Pick<DeleteDocumentsProps, 'documents'>) =>
  documents.length === 1 ? (
    <p>
      This deletes <strong dir="auto">{documents[0]?.title}</strong> with its file and its passages. It cannot
      be undone.
    </p>
  ) : (
    <>
      <p>This deletes them with their files and passages. It cannot be undone.</p>
      <ul>
        {documents.slice(0, NAMED_MAX).map(({ id, title }) => (
          <li key={id} dir="auto">
            {title}
          </li>
        ))}
        {documents.length > NAMED_MAX && <li>and {formatCount(documents.length - NAMED_MAX)} more</li>}
      </ul>
    </>
  );

export function DeleteDocumentsDialog({ documents, onDeleted, onClose }: DeleteDocumentsProps) {
  const { service } = useSession();
  const [doneCount, setDoneCount] = useState(0);
  const remove = useAction(async () => {
    const deleted = new Set<string>();
    const removeOne = async ({ id }: { id: string }) => {
      // A document that somebody else has deleted is gone as well.
      await service.deleteDocument(id).catch((error) => {
        if (!hasCode(error, 'DOCUMENT_NOT_FOUND')) throw error;
      });
      deleted.add(id);
      setDoneCount(deleted.size);
    };
    await doForAll(documents, removeOne).finally(() => {
      onDeleted(deleted);
      announce(`${countOf(deleted.size, 'document')} deleted.`);
    });
    onClose();
  });
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
      <Question documents={documents} />
    </DialogForm>
  );
}
