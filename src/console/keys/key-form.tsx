/** The dialog that creates a key. */
import { useState } from 'preact/hooks';
import type { CreatedKey, KnowledgeBase } from '../../client/index.ts';
import { FilterTextError, parseFilterText } from '../../formats/filter-text.ts';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Choice, withChoice } from '../parts/fields/choice.tsx';
import { Field } from '../parts/fields/field.tsx';
import { FieldGroup } from '../parts/fields/field-group.tsx';
import { NumberField } from '../parts/fields/number-field.tsx';
import { Select } from '../parts/fields/select.tsx';
import { TextField } from '../parts/fields/text-field.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';

type KeyFormProps = {
  knowledgeBases: KnowledgeBase[];
  onCreated(key: CreatedKey): void;
  onClose(): void;
};

/** A hundred years. */
const DAYS_MAX = 36_500;

/** What is wrong with a filter; undefined: nothing, or there is none. */
function problemOf(filter: string): string | undefined {
  if (filter.trim() === '') return undefined;
  try {
    parseFilterText(filter);
    return undefined;
  } catch (error) {
    if (error instanceof FilterTextError) return `It is wrong ${error.message}.`;
    throw error;
  }
}

const SCOPES: Record<CreatedKey['scope'], string> = {
  search: 'search and read',
  write: 'search, read, import, change and delete',
};

/** `isFixed`: a key with a filter only reads. */
const ScopeField = ({
  value,
  isFixed,
  onChange,
}: {
  value: CreatedKey['scope'];
  isFixed: boolean;
  onChange(scope: CreatedKey['scope']): void;
}) => (
  <Field label="It may" hint={isFixed ? 'A key with a filter only searches and reads.' : undefined}>
    {(attributes) => (
      <Select
        {...attributes}
        names={SCOPES}
        value={isFixed ? 'search' : value}
        disabled={isFixed}
        onChange={onChange}
      />
    )}
  </Field>
);

type KnowledgeBasesProps = {
  knowledgeBases: KnowledgeBase[];
  chosen: ReadonlySet<string>;
  onChange(chosen: ReadonlySet<string>): void;
};

/** Without a choice: all, also later ones. */
const KnowledgeBasesField = ({ knowledgeBases, chosen, onChange }: KnowledgeBasesProps) => (
  <FieldGroup
    legend="Knowledge bases"
    hint={chosen.size === 0 ? 'All, also later ones.' : 'The others do not exist for it.'}
  >
    <div class="key-knowledge-bases">
      {knowledgeBases.map(({ id, name }) => (
        <Choice
          key={id}
          isChosen={chosen.has(id)}
          onChange={(isChosen) => onChange(withChoice(chosen, id, isChosen))}
        >
          <span dir="auto">{name}</span>
        </Choice>
      ))}
    </div>
  </FieldGroup>
);

const NAME_FIELD = {
  label: 'Name',
  hint: 'Who uses it, for this list.',
  required: true,
  maxLength: 200,
  autofocus: true,
  autocomplete: 'off',
  placeholder: 'website',
} as const;

const FILTER_FIELD = {
  label: 'Only documents with',
  hint: 'A filter on their attributes. Without one, it sees all of them.',
  maxLength: 16_384,
  autocomplete: 'off',
  placeholder: 'team = "sales"',
} as const;

const EXPIRY_FIELD = {
  label: 'Expires after days',
  hint: 'Without a number, it never does.',
  placeholder: 'never',
  min: 1,
  max: DAYS_MAX,
};

/** What is entered. */
type Entered = {
  name: string;
  scope: CreatedKey['scope'];
  chosen: ReadonlySet<string>;
  filter: string;
  expiresInDays: number | undefined;
};

const NOTHING: Entered = {
  name: '',
  scope: 'search',
  chosen: new Set(),
  filter: '',
  expiresInDays: undefined,
};

const toRequest = ({ name, scope, chosen, filter, expiresInDays }: Entered) => ({
  name,
  ...(filter.trim() === '' ? { scope } : { filter }),
  ...(chosen.size > 0 && { knowledgeBaseIds: [...chosen] }),
  ...(expiresInDays !== undefined && { expiresInDays }),
});

type FieldsProps = Pick<KeyFormProps, 'knowledgeBases'> & {
  entered: Entered;
  change(part: Partial<Entered>): void;
};

function Fields({ entered, knowledgeBases, change }: FieldsProps) {
  const { name, scope, chosen, filter, expiresInDays } = entered;
  return (
    <>
      <TextField {...NAME_FIELD} value={name} onChange={(text) => change({ name: text })} />
      <ScopeField value={scope} isFixed={filter.trim() !== ''} onChange={(next) => change({ scope: next })} />
      {knowledgeBases.length > 0 && (
        <KnowledgeBasesField
          knowledgeBases={knowledgeBases}
          chosen={chosen}
          onChange={(next) => change({ chosen: next })}
        />
      )}
      <TextField
        {...FILTER_FIELD}
        error={problemOf(filter)}
        value={filter}
        onChange={(text) => change({ filter: text })}
      />
      <NumberField
        {...EXPIRY_FIELD}
        value={expiresInDays}
        onChange={(days) => change({ expiresInDays: days })}
      />
    </>
  );
}

export function KeyForm({ knowledgeBases, onCreated, onClose }: KeyFormProps) {
  const { service } = useSession();
  const [entered, setEntered] = useState(NOTHING);
  const change = (part: Partial<Entered>) => setEntered({ ...entered, ...part });
  const create = useAction(async () => {
    const created = await service.createKey(toRequest(entered));
    onClose();
    onCreated(created);
  });
  return (
    <DialogForm
      title="New key"
      action={create}
      failure="The key was not created."
      submit="Create"
      isIncomplete={problemOf(entered.filter) !== undefined}
      onClose={onClose}
    >
      <Fields {...{ entered, knowledgeBases, change }} />
    </DialogForm>
  );
}
