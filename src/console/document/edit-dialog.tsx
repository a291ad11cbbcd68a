/** Changes the title, the attributes and the source of a document. */
import { useState } from 'preact/hooks';
import type { Document, DocumentDetails } from '../../client/index.ts';
import { SourceUrlField, TitleField } from '../documents/document-fields.tsx';
import { announce } from '../parts/announcements.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { CloseIcon, PlusIcon } from '../parts/icons.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';
import { type AttributeRow, findRowsError, type Kind, toAttributes, toRows } from './attribute-rows.ts';

/** The most attributes of a document. */
const ATTRIBUTES_MAX = 16;
const NEW_ROW: AttributeRow = { name: '', kind: 'text', value: '' };

type RowProps = {
  row: AttributeRow;
  number: number;
  onChange(changed: AttributeRow): void;
  onRemove(): void;
};

function Value({ row, number, onChange }: Omit<RowProps, 'onRemove'>) {
  const label = `Value of attribute ${number}`;
  const set = (value: string) => onChange({ ...row, value });
  if (row.kind === 'boolean')
    return (
      <select aria-label={label} value={row.value} onChange={(event) => set(event.currentTarget.value)}>
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    );
  if (row.kind === 'list')
    return (
      <textarea
        aria-label={label}
        placeholder="one text a line"
        rows={3}
        dir="auto"
        value={row.value}
        onInput={(event) => set(event.currentTarget.value)}
      />
    );
  return (
    <input
      aria-label={label}
      placeholder="value"
      inputMode={row.kind === 'number' ? 'decimal' : 'text'}
      maxLength={512}
      dir="auto"
      value={row.value}
      onInput={(event) => set(event.currentTarget.value)}
    />
  );
}

const Row = ({ row, number, onChange, onRemove }: RowProps) => (
  <li class="attribute-row">
    <input
      aria-label={`Name of attribute ${number}`}
      placeholder="name"
      maxLength={64}
      pattern="[A-Za-z0-9_.\-]+"
      title="Letters, digits, _ . and -"
      value={row.name}
      onInput={(event) => onChange({ ...row, name: event.currentTarget.value })}
    />
    <select
      aria-label={`Type of attribute ${number}`}
      value={row.kind}
      onChange={(event) => {
        const kind = event.currentTarget.value as Kind; // one of the options
        onChange({ ...row, kind, value: kind === 'boolean' ? 'true' : row.value });
      }}
    >
      <option value="text">text</option>
      <option value="number">number</option>
      <option value="boolean">yes or no</option>
      <option value="list">list</option>
    </select>
    <Value row={row} number={number} onChange={onChange} />
    <button
      type="button"
      class="quiet icon-only"
      aria-label={`Remove attribute ${number}`}
      onClick={onRemove}
    >
      <CloseIcon />
    </button>
  </li>
);

type EditDialogProps = { document: DocumentDetails; onSaved(saved: Document): void; onClose(): void };

export function EditDialog({ document, onSaved, onClose }: EditDialogProps) {
  const { service } = useSession();
  const [title, setTitle] = useState(document.title);
  const [sourceUrl, setSourceUrl] = useState(document.sourceUrl ?? '');
  const [rows, setRows] = useState(toRows(document.attributes));
  const rowsError = findRowsError(rows);
  const save = useAction(async () => {
    const changes = { documentId: document.id, title, sourceUrl, attributes: toAttributes(rows) };
    onSaved(await service.updateDocument(changes));
    announce('Saved.');
    onClose();
  });
  const replace = (index: number, ...changed: AttributeRow[]) =>
    setRows(rows.toSpliced(index, 1, ...changed));
  return (
    <DialogForm
      title="Edit the document"
      isWide
      action={save}
      failure="The changes were not saved."
      submit="Save"
      isIncomplete={rowsError !== undefined}
      onClose={onClose}
    >
      <TitleField hint="Words of the title count for searches." value={title} onChange={setTitle} />
      <SourceUrlField
        hint="Search results show it for citations."
        value={sourceUrl}
        onChange={setSourceUrl}
      />
      <fieldset class="attribute-rows">
        <legend class="label">Attributes</legend>
        <p class="hint">Facts about the document, by which searches can be filtered.</p>
        <ul>
          {rows.map((row, index) => (
            <Row
              key={index}
              row={row}
              number={index + 1}
              onChange={(changed) => replace(index, changed)}
              onRemove={() => replace(index)}
            />
          ))}
        </ul>
        {rowsError && (
          <p class="field-error" role="alert">
            {rowsError}
          </p>
        )}
        <button
          type="button"
          disabled={rows.length >= ATTRIBUTES_MAX}
          onClick={() => setRows([...rows, NEW_ROW])}
        >
          <PlusIcon /> Add an attribute
        </button>
      </fieldset>
    </DialogForm>
  );
}
