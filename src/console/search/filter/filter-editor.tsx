/** Edits the filter of a search, as rows or as text. */
import { useRef, useState } from 'preact/hooks';
import { useKnownAttributes } from '../../attributes/known-attributes.ts';
import { FieldGroup } from '../../parts/fields/field-group.tsx';
import { LinesField } from '../../parts/fields/text-field.tsx';
import { parseFilter } from '../settings.ts';
import { ConditionRows } from './condition-rows.tsx';
import { readConditions } from './conditions.ts';

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

type AsTextProps = Pick<FilterEditorProps, 'filter' | 'onChange'> & {
  /** Undefined: rows cannot show the filter. */
  onRows: (() => void) | undefined;
};

const AsText = ({ filter, onChange, onRows }: AsTextProps) => (
  <>
    <LinesField
      label="Filter as text"
      error={findFilterError(filter)}
      class="code"
      spellcheck={false}
      placeholder={EXAMPLE}
      value={filter}
      onChange={onChange}
    />
    <button
      type="button"
      class="quiet"
      disabled={onRows === undefined}
      title={onRows ? undefined : 'Rows cannot show groups within groups, or what is no filter.'}
      onClick={onRows}
    >
      Edit as rows
    </button>
  </>
);

/**
 * Tells changes that are made here from the filter of another search, as by the browser's Back button: then the rows
 * begin anew, with another `generation`.
 */
function useWritten(filter: string, onChange: (filter: string) => void) {
  const written = useRef(filter);
  const generation = useRef(0);
  if (filter !== written.current) {
    written.current = filter;
    generation.current++;
  }
  const write = (text: string) => {
    written.current = text;
    onChange(text);
  };
  return { generation: generation.current, write };
}

export function FilterEditor({ filter, knowledgeBaseIds, onChange }: FilterEditorProps) {
  const known = useKnownAttributes(knowledgeBaseIds);
  const rows = readConditions(filter);
  const [isText, setIsText] = useState(rows === undefined);
  const { generation, write } = useWritten(filter, onChange);
  return (
    <FieldGroup legend="Filter by attributes">
      {rows !== undefined && !isText ? (
        <ConditionRows key={generation} given={rows} known={known} onChange={write}>
          <button type="button" class="quiet" onClick={() => setIsText(true)}>
            Edit as text
          </button>
        </ConditionRows>
      ) : (
        <AsText filter={filter} onChange={write} onRows={rows && (() => setIsText(false))} />
      )}
    </FieldGroup>
  );
}
