/** Narrows what the page shows by the values of attributes, each with the number of its documents. */
import './facets.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAttributeSummaries } from '../attributes/known-attributes.ts';
import { formatCount } from '../format.ts';
import { Choice } from '../parts/fields/choice.tsx';
import { type Facet, joinFacets, withChosen } from './facets.ts';
import { chosenValues, isSameValue, toggleValue } from './narrow.ts';

/** Attributes whose values are shown at once; a click opens the others. */
const OPEN_MAX = 4;

/** Beside the list there is room for both; on a narrow screen they would hide it. */
const WIDE = matchMedia('(min-width: 60rem)');

type FilterProps = { filter: string; onChange(filter: string): void };

function Values({ facet, filter, isOpen, onChange }: FilterProps & { facet: Facet; isOpen: boolean }) {
  const { name, values, hasMore } = withChosen(facet, filter);
  const chosen = chosenValues(filter, name);
  return (
    <details open={isOpen || chosen.length > 0}>
      <summary>
        <bdi>{name}</bdi>
        {chosen.length > 0 && <span class="tag">{formatCount(chosen.length)}</span>}
      </summary>
      <ul>
        {values.map((value) => (
          <li key={`${typeof value.value} ${value.isListed} ${value.value}`}>
            <Choice
              isChosen={chosen.some((each) => isSameValue(each, value))}
              onChange={() => onChange(toggleValue(filter, value))}
            >
              <span class="facet-value one-line" dir="auto" title={String(value.value)}>
                {String(value.value)}
              </span>
              {value.count !== undefined && <span class="facet-count">{formatCount(value.count)}</span>}
            </Choice>
          </li>
        ))}
      </ul>
      {hasMore && <p class="hint">and rarer ones, by a filter</p>}
    </details>
  );
}

type FacetListProps = FilterProps & {
  facets: Facet[];
  /** Whether not all documents are counted. */
  isPartial: boolean;
};

function FacetList({ facets, isPartial, filter, onChange }: FacetListProps) {
  const [isOpen, setIsOpen] = useState(WIDE.matches);
  const count = facets.flatMap(({ name }) => chosenValues(filter, name)).length;
  return (
    <details class="facets" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        Attributes
        {count > 0 && <span class="tag">{formatCount(count)} chosen</span>}
      </summary>
      {facets.map((facet, index) => (
        <Values
          key={facet.name}
          facet={facet}
          filter={filter}
          isOpen={index < OPEN_MAX}
          onChange={onChange}
        />
      ))}
      <p class="hint">Numbers are of {isPartial ? 'a part of the' : 'all'} documents.</p>
    </details>
  );
}

type WithFacetsProps = FilterProps & {
  knowledgeBaseIds: readonly string[];
  /** Another number asks for the attributes again. */
  version?: number;
  children: ComponentChildren;
};

/** What the page shows, beside the values that narrow it. Without attributes, there is nothing to choose. */
export function WithFacets({ knowledgeBaseIds, version, filter, onChange, children }: WithFacetsProps) {
  const { lists, isPartial } = useAttributeSummaries(knowledgeBaseIds, version);
  const facets = joinFacets(lists);
  return (
    <div class={facets.length > 0 ? 'with-facets' : ''}>
      {facets.length > 0 && <FacetList {...{ facets, isPartial, filter, onChange }} />}
      <div class="stack">{children}</div>
    </div>
  );
}
