/** Chooses the knowledge bases that are searched. */
import { useState } from 'preact/hooks';
import type { KnowledgeBase } from '../../client/index.ts';
import { countOf } from '../format.ts';
import { Dropdown } from './dropdown.tsx';

/** Knowledge bases that the list shows at once; a field finds the others. */
const LISTED_MAX = 50;

type KnowledgeBaseChoiceProps = {
  /** Empty: all. */
  knowledgeBaseIds: string[];
  knowledgeBases: KnowledgeBase[];
  onChange(knowledgeBaseIds: string[]): void;
};

export function KnowledgeBaseChoice({
  knowledgeBaseIds,
  knowledgeBases,
  onChange,
}: KnowledgeBaseChoiceProps) {
  const [words, setWords] = useState('');
  const chosen = new Set(knowledgeBaseIds);
  const fitting = knowledgeBases.filter(({ name }) => name.toLowerCase().includes(words.toLowerCase()));
  const toggle = (id: string, isChosen: boolean) =>
    onChange(isChosen ? [...knowledgeBaseIds, id] : knowledgeBaseIds.filter((one) => one !== id));
  const [only] = knowledgeBaseIds;
  const label =
    only === undefined
      ? 'All knowledge bases'
      : knowledgeBaseIds.length === 1
        ? (knowledgeBases.find(({ id }) => id === only)?.name ?? 'One knowledge base')
        : countOf(knowledgeBaseIds.length, 'knowledge base');
  return (
    <Dropdown label={label}>
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
            <label class="choice">
              <input
                type="checkbox"
                checked={chosen.has(id)}
                onChange={(event) => toggle(id, event.currentTarget.checked)}
              />
              <span dir="auto">{name}</span>
            </label>
          </li>
        ))}
      </ul>
      {only !== undefined && (
        <button type="button" class="quiet" onClick={() => onChange([])}>
          Search all
        </button>
      )}
    </Dropdown>
  );
}
