/** Chooses the knowledge bases that are searched. */
import { useState } from 'preact/hooks';
import type { KnowledgeBase } from '../../client/index.ts';
import { countOf } from '../format.ts';
import { Dropdown } from './dropdown.tsx';
import { Choice, withChoice } from './fields/choice.tsx';

/** Knowledge bases that the list shows at once; a field finds the others. */
const LISTED_MAX = 50;

type KnowledgeBaseChoiceProps = {
  /** Empty: all. */
  knowledgeBaseIds: string[];
  knowledgeBases: KnowledgeBase[];
  onChange(knowledgeBaseIds: string[]): void;
};

function labelOf(ids: string[], knowledgeBases: KnowledgeBase[]): string {
  const [only] = ids;
  if (only === undefined) return 'All knowledge bases';
  if (ids.length > 1) return countOf(ids.length, 'knowledge base');
  return knowledgeBases.find(({ id }) => id === only)?.name ?? 'One knowledge base';
}

export function KnowledgeBaseChoice({
  knowledgeBaseIds,
  knowledgeBases,
  onChange,
}: KnowledgeBaseChoiceProps) {
  const [words, setWords] = useState('');
  const chosen = new Set(knowledgeBaseIds);
  const fitting = knowledgeBases.filter(({ name }) => name.toLowerCase().includes(words.toLowerCase()));
  return (
    <Dropdown label={labelOf(knowledgeBaseIds, knowledgeBases)}>
      {knowledgeBases.length > 10 && (
        <input
          type="search"
          aria-label="Find a knowledge base"
          placeholder="Find"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      )}
      <ul>
        {fitting.slice(0, LISTED_MAX).map(({ id, name }) => (
          <li key={id}>
            <Choice
              isChosen={chosen.has(id)}
              onChange={(isChosen) => onChange([...withChoice(chosen, id, isChosen)])}
            >
              <span dir="auto">{name}</span>
            </Choice>
          </li>
        ))}
      </ul>
      {chosen.size > 0 && (
        <button type="button" class="quiet" onClick={() => onChange([])}>
          Search all
        </button>
      )}
    </Dropdown>
  );
}
