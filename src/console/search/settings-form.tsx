/** The settings of a search: where it looks, and how. */
import type { ComponentProps } from 'preact';
import { useState } from 'preact/hooks';
import type { KnowledgeBase, SearchMode } from '../../client/index.ts';
import { Choice } from '../parts/fields/choice.tsx';
import { Field } from '../parts/fields/field.tsx';
import { NumberField } from '../parts/fields/number-field.tsx';
import { Select } from '../parts/fields/select.tsx';
import { KnowledgeBaseChoice } from '../parts/knowledge-base-choice.tsx';
import { FilterEditor } from './filter/filter-editor.tsx';
import { changedCount, type SearchSettings, searchedIds } from './settings.ts';
import { searchesWhileTyping, setSearchesWhileTyping } from './use-search.ts';

type SettingsProps = { settings: SearchSettings; onChange(changed: SearchSettings): void };

const MODE_NAMES: Record<SearchMode, string> = { both: 'both', words: 'words', meaning: 'meaning' };

/** Chooses what finds passages. */
const ModeField = ({ mode, onChange }: { mode: SearchMode; onChange(mode: SearchMode): void }) => (
  <Field label="Search by" hint="Meaning needs vectors or a model">
    {(attributes) => <Select {...attributes} names={MODE_NAMES} value={mode} onChange={onChange} />}
  </Field>
);

/** Whether typing searches: each search may cost a credit. */
function WhileTyping() {
  const [isChosen, setIsChosen] = useState(searchesWhileTyping());
  return (
    <Choice
      isChosen={isChosen}
      onChange={(isWanted) => {
        setSearchesWhileTyping(isWanted);
        setIsChosen(isWanted);
      }}
    >
      Search while typing
    </Choice>
  );
}

type Change = (changes: Partial<SearchSettings>) => void;
type ChangeProps = { settings: SearchSettings; change: Change };

type NumberName = 'limit' | 'minScore' | 'maxPerDocument' | 'contextPassages';

/** The numbers of a search, in the order of the form. */
const NUMBERS: ({ name: NumberName } & Omit<ComponentProps<typeof NumberField>, 'value' | 'onChange'>)[] = [
  { name: 'limit', label: 'Results', hint: '1 to 50', placeholder: '10', min: 1, max: 50 },
  {
    name: 'minScore',
    label: 'Minimum score',
    hint: '0 to 1',
    placeholder: 'any',
    min: 0,
    max: 1,
    isFraction: true,
  },
  {
    name: 'maxPerDocument',
    label: 'Results per document',
    hint: '1 to 50',
    placeholder: 'any number',
    min: 1,
    max: 50,
  },
  {
    name: 'contextPassages',
    label: 'Context passages',
    hint: '0 to 3, before and after',
    placeholder: '0',
    min: 0,
    max: 3,
  },
];

const Numbers = ({ settings, change }: ChangeProps) => (
  <>
    {NUMBERS.map(({ name, ...field }) => (
      <NumberField
        key={name}
        {...field}
        value={settings[name]}
        onChange={(value) => change({ [name]: value })}
      />
    ))}
  </>
);

const OnlyDocuments = ({ settings, change }: ChangeProps) => (
  <Field label="Only these documents" isWide hint="Their ids, with spaces between">
    {(attributes) => (
      <input
        {...attributes}
        placeholder="all"
        value={settings.documentIds.join(' ')}
        onChange={(event) =>
          change({ documentIds: event.currentTarget.value.split(/[\s,]+/).filter(Boolean) })
        }
      />
    )}
  </Field>
);

function Options({
  settings,
  knowledgeBases,
  onChange,
}: SettingsProps & { knowledgeBases: KnowledgeBase[] }) {
  const change = (changes: Partial<SearchSettings>) => onChange({ ...settings, ...changes });
  return (
    <div class="card options">
      <ModeField mode={settings.mode} onChange={(mode) => change({ mode })} />
      <Numbers settings={settings} change={change} />
      <OnlyDocuments settings={settings} change={change} />
      <Choice isChosen={settings.prefix} onChange={(prefix) => change({ prefix })}>
        The last word may be incomplete
      </Choice>
      <Choice isChosen={settings.showsCopies} onChange={(showsCopies) => change({ showsCopies })}>
        Show each copy of the same text
      </Choice>
      <WhileTyping />
      <FilterEditor
        filter={settings.filter}
        knowledgeBaseIds={searchedIds(settings, knowledgeBases)}
        onChange={(filter) => change({ filter })}
      />
    </div>
  );
}

const WIDE = matchMedia('(min-width: 44rem)');

type SettingsFormProps = SettingsProps & {
  knowledgeBases: KnowledgeBase[];
  /** Tells two settings apart; undefined: there is one. */
  name: string | undefined;
};

export function SettingsForm(props: SettingsFormProps) {
  const changed = changedCount(props.settings);
  // On a phone they would hide the results.
  const [isOpen, setIsOpen] = useState(changed > 0 && WIDE.matches);
  return (
    <fieldset class="row settings">
      <legend class="visually-hidden">
        {props.name === undefined ? 'Settings' : `Settings ${props.name}`}
      </legend>
      {props.name !== undefined && (
        <span class="side-name" aria-hidden="true">
          {props.name}
        </span>
      )}
      <KnowledgeBaseChoice
        knowledgeBaseIds={props.settings.knowledgeBaseIds}
        knowledgeBases={props.knowledgeBases}
        onChange={(knowledgeBaseIds) => props.onChange({ ...props.settings, knowledgeBaseIds })}
      />
      <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary class="button">Options{changed > 0 && <span class="tag">{changed}</span>}</summary>
        {isOpen && <Options {...props} />}
      </details>
    </fieldset>
  );
}
