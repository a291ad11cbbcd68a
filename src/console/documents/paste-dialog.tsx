/** Makes a document of a text that is typed or pasted. */
import { useState } from 'preact/hooks';
import type { Document } from '../../client/index.ts';
import { AttributeFields } from '../attributes/attribute-fields.tsx';
import { useAttributeRows } from '../attributes/use-attribute-rows.ts';
import { formatCount } from '../format.ts';
import { announce } from '../parts/announcements.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { LinesField } from '../parts/fields/text-field.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';
import { SourceUrlField, TitleField } from './document-fields.tsx';

/** The longest text that the service takes, in code points. */
const TEXT_MAX = 1_000_000;

const SOURCE_HINT = 'Optional: search results show it for citations.';

const isTooLong = (text: string): boolean => text.length > TEXT_MAX && [...text].length > TEXT_MAX;

const TextToPaste = ({ value, onChange }: { value: string; onChange(value: string): void }) => (
  <LinesField
    label="Text"
    hint="Headings with # as in Markdown are understood."
    error={isTooLong(value) ? `A text may have ${formatCount(TEXT_MAX)} characters.` : undefined}
    class="long-text"
    required
    dir="auto"
    value={value}
    onChange={onChange}
  />
);

type PasteDialogProps = { knowledgeBaseId: string; onClose(): void; onImported(): void };

function announceImported({ title, status }: Document): void {
  announce(`${title} is ${status === 'processed' ? 'searchable' : 'stored, but not searchable'}.`);
}

export function PasteDialog({ knowledgeBaseId, onClose, onImported }: PasteDialogProps) {
  const { service } = useSession();
  const [title, setTitle] = useState('');
  const [content, setContent] = useState('');
  const [sourceUrl, setSourceUrl] = useState('');
  const { attributes, error, fields } = useAttributeRows([knowledgeBaseId]);
  const save = useAction(async () => {
    const document = await service.importTextContent({
      knowledgeBaseId,
      title,
      content,
      ...(sourceUrl !== '' && { sourceUrl }),
      ...(Object.keys(attributes).length > 0 && { attributes }),
    });
    announceImported(document);
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
      isIncomplete={isTooLong(content) || content.trim() === '' || error !== undefined}
      onClose={onClose}
    >
      <TitleField hasFocus value={title} onChange={setTitle} />
      <TextToPaste value={content} onChange={setContent} />
      <SourceUrlField hint={SOURCE_HINT} value={sourceUrl} onChange={setSourceUrl} />
      <AttributeFields
        hint="Optional: facts about the document, by which searches can be filtered."
        {...fields}
      />
    </DialogForm>
  );
}
