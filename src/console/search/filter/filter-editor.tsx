/** Edits the filter of a search, as rows or as text. */
import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { type KnownAttributes, useKnownAttributes } from '../../attributes/known-attributes.ts';
import { Field } from '../../parts/fields/field.tsx';
import { CloseIcon, PlusIcon } from '../../parts/icons.tsx';
import { parseFilter } from '../settings.ts';
import {
  type Condition,
  type Conditions,
  DOCUMENT_FIELDS,
  findMismatch,
  isList,
  type Kind,
  kindOf,
  OPERATOR_NAMES,
  type Operator,
  readConditions,
  writeConditions,
} from './conditions.ts';

const KIND_NAMES = { text: 'text', number: 'number', boolean: 'yes or no' };
const NEW_CONDITION: Condition = { key: '', operator: 'eq', kind: 'auto', value: '' };

type RowProps = {
  condition: Condition;
  number: number;
  fieldsId: string;
  known: KnownAttributes;
  onChange(changed: Condition): void;
  onRemove(): void;
};

function Row({ condition, number, fieldsId, known, onChange, onRemove }: RowProps) {
  const { key, operator, kind, value } = condition;
  const valuesId = useId();
  const mismatch = findMismatch(condition, known.types);
  return (
    <li class="condition">
      <input
        aria-label={`Attribute of condition ${number}`}
        placeholder="attribute"
        list={fieldsId}
        maxLength={64}
        value={key}
        onInput={(event) => onChange({ ...condition, key: event.currentTarget.value })}
      />
      <select
        aria-label={`Comparison of condition ${number}`}
        value={operator}
        onChange={(event) => onChange({ ...condition, operator: event.currentTarget.value as Operator })}
      >
        {Object.entries(OPERATOR_NAMES).map(([type, name]) => (
          <option key={type} value={type}>
            {name}
          </option>
        ))}
      </select>
      {kind === 'boolean' ? (
        <select
          aria-label={`Value of condition ${number}`}
          value={value}
          onChange={(event) => onChange({ ...condition, value: event.currentTarget.value })}
        >
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : (
        <input
          aria-label={`Value of condition ${number}`}
          placeholder={isList(operator) ? 'one, another' : 'value'}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          list={valuesId}
          dir="auto"
          value={value}
          onInput={(event) => onChange({ ...condition, value: event.currentTarget.value })}
        />
      )}
      <select
        aria-label={`Type of condition ${number}`}
        value={kind}
        onChange={(event) => {
          const next = event.currentTarget.value as Kind; // one of the options
          onChange({ ...condition, kind: next, value: next === 'boolean' ? 'true' : value });
        }}
      >
        <option value="auto">
          {value === ''
            ? 'any type'
            : `as ${KIND_NAMES[kindOf({ ...condition, kind: 'auto' }, known.types)]}`}
        </option>
        <option value="text">text</option>
        <option value="number">number</option>
        <option value="boolean">yes or no</option>
      </select>
      <button
        type="button"
        class="quiet icon-only"
        aria-label={`Remove condition ${number}`}
        onClick={onRemove}
      >
        <CloseIcon />
      </button>
      <datalist id={valuesId}>
        {known.values.get(key)?.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      {mismatch && (
        <p class="field-error" role="status">
          {mismatch}
        </p>
      )}
    </li>
  );
}

/** `children`: further buttons below the rows. */
type RowsProps = {
  given: Conditions;
  known: KnownAttributes;
  onChange(filter: string): void;
  children: ComponentChildren;
};

function Rows({ given, known, onChange, children }: RowsProps) {
  // Rows without a value are no part of the filter yet.
  const [{ join, conditions }, setState] = useState(given);
  const fieldsId = useId();
  const change = (next: Conditions) => {
    setState(next);
    onChange(writeConditions(next, known.types));
  };
  const replace = (index: number, ...changed: Condition[]) =>
    change({ join, conditions: conditions.toSpliced(index, 1, ...changed) });
  return (
    <>
      <datalist id={fieldsId}>
        {[...known.names, ...DOCUMENT_FIELDS].map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
      {conditions.length > 1 && (
        <select
          class="join"
          aria-label="How the conditions are joined"
          value={join}
          onChange={(event) =>
            change({ join: event.currentTarget.value === 'or' ? 'or' : 'and', conditions })
          }
        >
          <option value="and">All of these apply</option>
          <option value="or">At least one of these applies</option>
        </select>
      )}
      <ul class="conditions">
        {conditions.map((condition, index) => (
          <Row
            key={index}
            condition={condition}
            number={index + 1}
            fieldsId={fieldsId}
            known={known}
            onChange={(changed) => replace(index, changed)}
            onRemove={() => replace(index)}
          />
        ))}
      </ul>
      <div class="row">
        <button type="button" onClick={() => change({ join, conditions: [...conditions, NEW_CONDITION] })}>
          <PlusIcon /> Add a condition
        </button>
        {children}
      </div>
    </>
  );
}

/** What is wrong with a filter; undefined: nothing. */
export function findFilterError(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    parseFilter(text);
    return undefined;
  } catch (error) {
    return `This is no filter: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

const EXAMPLE = 'year >= 2025 and team = "sales"';

type FilterEditorProps = {
  filter: string;
  /** The knowledge bases that are searched: their attributes are offered. */
  knowledgeBaseIds: readonly string[];
  onChange(filter: string): void;
};

export function FilterEditor({ filter, knowledgeBaseIds, onChange }: FilterEditorProps) {
  const known = useKnownAttributes(knowledgeBaseIds);
  const rows = readConditions(filter);
  const [isText, setIsText] = useState(rows === undefined);
  const written = useRef(filter);
  const generation = useRef(0);
  // The filter of another search has come, as by the browser's Back button: the rows begin anew.
  if (filter !== written.current) {
    written.current = filter;
    generation.current++;
  }
  const write = (text: string) => {
    written.current = text;
    onChange(text);
  };
  const showsRows = rows !== undefined && !isText;
  return (
    <fieldset class="filter-editor">
      <legend class="label">Filter by attributes</legend>
      {showsRows ? (
        <Rows key={generation.current} given={rows} known={known} onChange={write}>
          <button type="button" class="quiet" onClick={() => setIsText(true)}>
            Edit as text
          </button>
        </Rows>
      ) : (
        <>
          <Field label="Filter as text" error={findFilterError(filter)}>
            {(attributes) => (
              <textarea
                {...attributes}
                class="code"
                spellcheck={false}
                placeholder={EXAMPLE}
                value={filter}
                onInput={(event) => write(event.currentTarget.value)}
              />
            )}
          </Field>
          <button
            type="button"
            class="quiet"
            disabled={rows === undefined}
            title={
              rows === undefined ? 'Rows cannot show groups within groups, or what is no filter.' : undefined
            }
            onClick={() => setIsText(false)}
          >
            Edit as rows
          </button>
        </>
      )}
    </fieldset>
  );
}
