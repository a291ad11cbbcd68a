/** What helps when a search has found nothing. */
import { countOf } from '../../format.ts';
import { Empty } from '../../parts/notice.tsx';
import { addressOf } from '../../routes.ts';
import { useSession } from '../../session.ts';
import { useLoaded } from '../../use-loaded.ts';
import { type SearchSettings, toRequest, widen, writeSettings } from '../settings.ts';

/** '"year", "team"' → what restricts the search, for the sentence that says what leaving it out would find. */
function restrictionOf(settings: SearchSettings): string | undefined {
  const names = [
    settings.filter.trim() !== '' && 'the filter',
    settings.minScore !== undefined && 'the minimum score',
    settings.documentIds.length > 0 && 'the chosen documents',
    settings.knowledgeBaseIds.length > 0 && 'the chosen knowledge bases',
  ].filter((name) => name !== false);
  return names.length === 0 ? undefined : new Intl.ListFormat('en').format(names);
}

type NothingProps = { query: string; settings: SearchSettings };

/** Says how many results there are without what restricts the search, and leads to them. */
function Wider({ query, settings, restriction }: NothingProps & { restriction: string }) {
  const { service } = useSession();
  const wider = widen(settings);
  const { value: count } = useLoaded(
    async (signal) =>
      (await service.query({ ...toRequest(query, wider), fields: ['id'] }, { signal })).length,
    [query, JSON.stringify(settings)],
  );
  const parameters = new URLSearchParams({ q: query });
  writeSettings(parameters, wider);
  return (
    <>
      <p>
        Nothing matches within {restriction}.{' '}
        {count === 0 && 'Without it there is nothing either: try other words.'}
        {count !== undefined &&
          count > 0 &&
          `Without it there ${count === 1 ? 'is' : 'are'} ${countOf(count, 'result')}.`}
      </p>
      {count !== undefined && count > 0 && (
        <a class="button" href={addressOf.search(parameters)}>
          Search without it
        </a>
      )}
    </>
  );
}

export function Nothing({ query, settings }: NothingProps) {
  const restriction = restrictionOf(settings);
  return (
    <Empty title="Nothing was found">
      {restriction === undefined ? (
        <>
          <p>
            No passage has any of these words, words near them, or a meaning near theirs. Try other words, or
            check whether the document is searchable.
          </p>
          <a class="button" href={addressOf.home}>
            Look at the documents
          </a>
        </>
      ) : (
        <Wider query={query} settings={settings} restriction={restriction} />
      )}
    </Empty>
  );
}
