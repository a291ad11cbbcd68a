/** The settings of a search: where it looks, and how. */
import { useState } from 'preact/hooks';
import type { KnowledgeBase, SearchMode } from '../../client/index.ts';
import { Field } from '../parts/fields/field.tsx';
import { NumberField } from '../parts/fields/number-field.tsx';
import { KnowledgeBaseChoice } from '../parts/knowledge-base-choice.tsx';
import { FilterEditor } from './filter/filter-editor.tsx';
import { changedCount, MODES, type SearchSettings } from './settings.ts';
import { searchesWhileTyping, setSearchesWhileTyping } from './use-search.ts';

type SettingsProps = { settings: SearchSettings; onChange(changed: SearchSettings): void };

/** Chooses what finds passages. */
const ModeField = ({ mode, onChange }: { mode: SearchMode; onChange(mode: SearchMode): void }) => (
  <Field label="Search by" hint="Meaning needs vectors or a model">
    {(attributes) => (
      <select
        {...attributes}
        value={mode}
        onChange={(event) => onChange(MODES.find((one) => one === event.currentTarget.value) ?? 'both')}
      >
        {MODES.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    )}
  </Field>
);

/** Whether typing searches: each search may cost a credit. */
function WhileTyping() {
  const [isChosen, setIsChosen] = useState(searchesWhileTyping());
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={isChosen}
        onChange={(event) => {
          setSearchesWhileTyping(event.currentTarget.checked);
          setIsChosen(event.currentTarget.checked);
        }}
      />
      Search while typing
    </label>
  );
}

function Options({
  settings,
  knowledgeBases,
  onChange,
}: SettingsProps & { knowledgeBases: KnowledgeBase[] }) {
  const { knowledgeBaseIds } = settings;
  const searchedIds = knowledgeBaseIds.length > 0 ? knowledgeBaseIds : knowledgeBases.map(({ id }) => id);
  const change = (changes: Partial<SearchSettings>) => onChange({ ...settings, ...changes });
  return (
    <div class="options">
      <ModeField mode={settings.mode} onChange={(mode) => change({ mode })} />
      <NumberField
        label="Results"
        hint="1 to 50"
        placeholder="10"
        min={1}
        max={50}
        value={settings.limit}
        onChange={(limit) => change({ limit })}
      />
      <NumberField
        label="Minimum score"
        hint="0 to 1"
        placeholder="any"
        min={0}
        max={1}
        isFraction
        value={settings.minScore}
        onChange={(minScore) => change({ minScore })}
      />
      <NumberField
        label="Results per document"
        hint="1 to 50"
        placeholder="any number"
        min={1}
        max={50}
        value={settings.maxPerDocument}
        onChange={(maxPerDocument) => change({ maxPerDocument })}
      />
      <NumberField
        label="Context passages"
        hint="0 to 3, before and after"
        placeholder="0"
        min={0}
        max={3}
        value={settings.contextPassages}
        onChange={(contextPassages) => change({ contextPassages })}
      />
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
      <label class="choice">
        <input
          type="checkbox"
          checked={settings.prefix}
          onChange={(event) => change({ prefix: event.currentTarget.checked })}
        />
        The last word may be incomplete
      </label>
      <label class="choice">
        <input
          type="checkbox"
          checked={settings.showsCopies}
          onChange={(event) => change({ showsCopies: event.currentTarget.checked })}
        />
        Show each copy of the same text
      </label>
      <WhileTyping />
      <FilterEditor
        filter={settings.filter}
        knowledgeBaseIds={searchedIds}
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
    <fieldset class="settings">
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
