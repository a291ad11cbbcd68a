/** The table of kept queries: each leads to the search that runs it again. */
import type { KnowledgeBase } from '../../client/index.ts';
import { countOf, formatCount } from '../format.ts';
import { Time } from '../parts/time.tsx';
import { requestOf, type ShownQuery } from './chosen-queries.ts';
import { filterOf, searchAgain } from './search-again.ts';

/** Where a query has searched: 'Handbook'; 'all knowledge bases'; '3 knowledge bases' */
function placeOf(ids: string[] | undefined, names: ReadonlyMap<string, string>): string {
  if (ids === undefined) return 'all knowledge bases';
  const [only, ...others] = ids;
  return others.length === 0 && only !== undefined
    ? (names.get(only) ?? 'one knowledge base')
    : countOf(ids.length, 'knowledge base');
}

type RowProps = { shown: ShownQuery; names: ReadonlyMap<string, string> };

function Row({ shown: { query, times }, names }: RowProps) {
  const { resultCount, durationMs, sentAt } = query;
  const request = requestOf(query);
  const filter = filterOf(request);
  return (
    <tr>
      <th scope="row">
        <a class="clamped" href={searchAgain(query)} dir="auto" title="Search again">
          {request.query}
        </a>
        <p class="hint">
          {times > 1 && <strong>{formatCount(times)} times, </strong>}
          in <bdi>{placeOf(request.knowledgeBaseIds, names)}</bdi>
          {request.prefix && ', while it was typed'}
          {filter !== '' && (
            <>
              , where <code dir="auto">{filter}</code>
            </>
          )}
        </p>
      </th>
      <td class={resultCount === 0 ? 'bad' : ''}>
        {resultCount === 0 ? 'nothing' : formatCount(resultCount)}
        {resultCount > 0 && <span class="unit"> {resultCount === 1 ? 'result' : 'results'}</span>}
      </td>
      <td>{formatCount(durationMs)} ms</td>
      <td>
        <Time at={sentAt} />
      </td>
    </tr>
  );
}

type TableProps = { shown: ShownQuery[]; knowledgeBases: KnowledgeBase[] };

export function QueryTable({ shown, knowledgeBases }: TableProps) {
  const names = new Map(knowledgeBases.map(({ id, name }) => [id, name]));
  return (
    <table class="card records queries">
      <thead>
        <tr>
          <th scope="col">Query</th>
          <th scope="col">Results</th>
          <th scope="col">Took</th>
          <th scope="col">Asked</th>
        </tr>
      </thead>
      <tbody>
        {shown.map((each) => (
          <Row key={each.query.id} shown={each} names={names} />
        ))}
      </tbody>
    </table>
  );
}
