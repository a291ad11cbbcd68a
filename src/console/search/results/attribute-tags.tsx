/** The attributes of a document; in a search, each value leads to the documents that have it. */
import type { Attributes } from '../../../client/index.ts';
import { type AttributeValue, narrowFilter } from '../../facets/narrow.ts';
import { addressOf, route } from '../../routes.ts';

/** A value that the search can be narrowed to. */
function Narrowing({ name, value, isListed }: AttributeValue) {
  const parameters = new URLSearchParams(route.value.parameters);
  parameters.set('filter', narrowFilter(parameters.get('filter') ?? '', { name, value, isListed }));
  return (
    <a href={addressOf.search(parameters)} title={`Only documents with this ${name}`}>
      <bdi>{String(value)}</bdi>
    </a>
  );
}

type AttributeTagsProps = { attributes?: Attributes | undefined; narrows?: boolean };

export const AttributeTags = ({ attributes = {}, narrows = false }: AttributeTagsProps) => (
  <ul class="attribute-tags" aria-label="Attributes">
    {Object.entries(attributes).map(([name, value]) => (
      <li key={name} class="tag">
        <bdi>{name}</bdi>:{' '}
        {[value].flat().map((each, index) => (
          <span key={String(each)}>
            {index > 0 && ', '}
            {narrows ? (
              <Narrowing name={name} value={each} isListed={Array.isArray(value)} />
            ) : (
              <bdi>{String(each)}</bdi>
            )}
          </span>
        ))}
      </li>
    ))}
  </ul>
);
