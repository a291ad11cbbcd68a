/** Changes the title, the attributes and the source of a document. */
import { useState } from 'preact/hooks';
import type { Document, DocumentDetails } from '../../client/index.ts';
import { AttributeFields } from '../attributes/attribute-fields.tsx';
import { toRows } from '../attributes/attribute-rows.ts';
import { useAttributeRows } from '../attributes/use-attribute-rows.ts';
import { SourceUrlField, TitleField } from '../documents/document-fields.tsx';
import { announce } from '../parts/announcements.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';

type EditDialogProps = { document: DocumentDetails; onSaved(saved: Document): void; onClose(): void };

export function EditDialog({ document, onSaved, onClose }: EditDialogProps) {
  const { service } = useSession();
  const [title, setTitle] = useState(document.title);
  const [sourceUrl, setSourceUrl] = useState(document.sourceUrl ?? '');
  const { knowledgeBaseId } = document;
  const { attributes, error, fields } = useAttributeRows(
    knowledgeBaseId === undefined ? [] : [knowledgeBaseId],
    toRows(document.attributes),
  );
  const save = useAction(async () => {
    onSaved(await service.updateDocument({ documentId: document.id, title, sourceUrl, attributes }));
    announce('Saved.');
    onClose();
  });
  return (
    <DialogForm
      title="Edit the document"
      isWide
      action={save}
      failure="The changes were not saved."
      submit="Save"
      isIncomplete={error !== undefined}
      onClose={onClose}
    >
      <TitleField hint="Words of the title count for searches." value={title} onChange={setTitle} />
      <SourceUrlField
        hint="Search results show it for citations."
        value={sourceUrl}
        onChange={setSourceUrl}
      />
      <AttributeFields hint="Facts about the document, by which searches can be filtered." {...fields} />
    </DialogForm>
  );
}
