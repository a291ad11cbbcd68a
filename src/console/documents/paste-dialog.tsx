/** Makes a document of a text that is typed or pasted. */
import { useState } from 'preact/hooks';
import { AttributeFields } from '../attributes/attribute-fields.tsx';
import { type AttributeRow, findRowsError, toAttributes } from '../attributes/attribute-rows.ts';
import { useKnownAttributes } from '../attributes/known-attributes.ts';
import { formatCount } from '../format.ts';
import { announce } from '../parts/announcements.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Field } from '../parts/fields/field.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';
import { SourceUrlField, TitleField } from './document-fields.tsx';

/** The longest text that the service takes, in code points. */
const TEXT_MAX = 1_000_000;

type PasteDialogProps = { knowledgeBaseId: string; onClose(): void; onImported(): void };

export function PasteDialog({ knowledgeBaseId, onClose, onImported }: PasteDialogProps) {
  const { service } = useSession();
  const [title, setTitle] = useState('');
  const [content, setContent] = useState('');
  const [sourceUrl, setSourceUrl] = useState('');
  const [rows, setRows] = useState<AttributeRow[]>([]);
  const known = useKnownAttributes([knowledgeBaseId]);
  const attributes = toAttributes(rows);
  const isTooLong = content.length > TEXT_MAX && [...content].length > TEXT_MAX;
  const save = useAction(async () => {
    const document = await service.importTextContent({
      knowledgeBaseId,
      title,
      content,
      ...(sourceUrl !== '' && { sourceUrl }),
      ...(Object.keys(attributes).length > 0 && { attributes }),
    });
    announce(
      `${document.title} is ${document.status === 'processed' ? 'searchable' : 'stored, but not searchable'}.`,
    );
    onImported();
    onClose();
  });
  return (
    <DialogForm
      title="Paste a text"
      isWide
      action={save}
      failure="The text was not stored."
      submit="Add"
      isIncomplete={isTooLong || content.trim() === '' || findRowsError(rows) !== undefined}
      onClose={onClose}
    >
      <TitleField hasFocus value={title} onChange={setTitle} />
      <Field
        label="Text"
        hint="Headings with # as in Markdown are understood."
        error={isTooLong ? `A text may have ${formatCount(TEXT_MAX)} characters.` : undefined}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            class="long-text"
            required
            dir="auto"
            value={content}
            onInput={(event) => setContent(event.currentTarget.value)}
          />
        )}
      </Field>
      <SourceUrlField
        hint="Optional: search results show it for citations."
        value={sourceUrl}
        onChange={setSourceUrl}
      />
      <AttributeFields
        hint="Optional: facts about the document, by which searches can be filtered."
        rows={rows}
        knownNames={known.names}
        onChange={setRows}
      />
    </DialogForm>
  );
}
