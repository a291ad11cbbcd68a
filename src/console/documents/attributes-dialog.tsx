/** Sets attributes of several documents at once, and removes others. What is not named stays as it is. */
import { useState } from 'preact/hooks';
import type { Document } from '../../client/index.ts';
import { AttributeFields } from '../attributes/attribute-fields.tsx';
import { NEW_ROW } from '../attributes/attribute-rows.ts';
import { useAttributeRows } from '../attributes/use-attribute-rows.ts';
import { countOf, formatCount } from '../format.ts';
import { announce } from '../parts/announcements.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Choice, withChoice } from '../parts/fields/choice.tsx';
import { FieldGroup } from '../parts/fields/field-group.tsx';
import { useSession } from '../session.ts';
import { doForAll, useAction } from '../use-action.ts';

type AttributesDialogProps = {
  knowledgeBaseId: string;
  documents: Document[];
  onChanged(document: Document): void;
  onClose(): void;
};

/** Names that at least one of the documents has, with the number of these. */
function countNames(documents: Document[]): [name: string, count: number][] {
  const counts = new Map<string, number>();
  for (const name of documents.flatMap(({ attributes = {} }) => Object.keys(attributes)))
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a.localeCompare(b));
}

type RemovedProps = {
  documents: Document[];
  removed: ReadonlySet<string>;
  onChange(removed: ReadonlySet<string>): void;
};

function Removed({ documents, removed, onChange }: RemovedProps) {
  const names = countNames(documents);
  if (names.length === 0) return null;
  return (
    <FieldGroup legend="Remove">
      <div class="row">
        {names.map(([name, count]) => (
          <Choice
            key={name}
            isChosen={removed.has(name)}
            onChange={(isChosen) => onChange(withChoice(removed, name, isChosen))}
          >
            <span>
              {name} <span class="muted">of {countOf(count, 'document')}</span>
            </span>
          </Choice>
        ))}
      </div>
    </FieldGroup>
  );
}

export function AttributesDialog({ knowledgeBaseId, documents, onChanged, onClose }: AttributesDialogProps) {
  const { service } = useSession();
  const { attributes: set, error, fields } = useAttributeRows([knowledgeBaseId], [NEW_ROW]);
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const [doneCount, setDoneCount] = useState(0);
  const save = useAction(async () => {
    let done = 0;
    await doForAll(documents, async ({ id, attributes = {} }) => {
      const kept = Object.entries(attributes).filter(([name]) => !removed.has(name));
      onChanged(
        await service.updateDocument({ documentId: id, attributes: { ...Object.fromEntries(kept), ...set } }),
      );
      setDoneCount(++done);
    });
    announce(`${countOf(done, 'document')} changed.`);
    onClose();
  });
  const isEmpty = Object.keys(set).length === 0 && removed.size === 0;
  return (
    <DialogForm
      title={`Attributes of ${countOf(documents.length, 'document')}`}
      isWide
      action={save}
      failure={`${countOf(doneCount, 'document')} changed, and not all.`}
      submit={save.isRunning ? `Saving ${formatCount(doneCount)} …` : 'Save'}
      isIncomplete={isEmpty || error !== undefined}
      onClose={onClose}
    >
      <AttributeFields
        legend="Set"
        hint="Each document gets these, in place of those with the same names. Its other attributes stay."
        {...fields}
      />
      <Removed documents={documents} removed={removed} onChange={setRemoved} />
    </DialogForm>
  );
}
