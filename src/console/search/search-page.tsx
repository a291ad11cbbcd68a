/** Searches, with one set of settings or with two side by side. The parameters of the page are the search. */
import './search-form.css';
import './search.css';
import { useState } from 'preact/hooks';
import type { KnowledgeBase } from '../../client/index.ts';
import { WithFacets } from '../facets/facet-list.tsx';
import { listAllKnowledgeBases } from '../knowledge-bases/list-all.ts';
import { CompareIcon, SearchIcon } from '../parts/icons.tsx';
import { Empty, ErrorNotice } from '../parts/notice.tsx';
import { addressOf } from '../routes.ts';
import { useSession } from '../session.ts';
import { useLoaded } from '../use-loaded.ts';
import { useRecovery } from '../use-recovery.ts';
import { useTitle } from '../use-title.ts';
import { asPhrase } from './phrase.ts';
import { Results } from './results/results.tsx';
import { type SearchSettings, searchedIds } from './settings.ts';
import { SettingsForm } from './settings-form.tsx';
import { useSearch } from './use-search.ts';

type PageProps = { of: ReturnType<typeof useSearch>; knowledgeBases: KnowledgeBase[] };

/** A search with two settings. */
type Comparison = { query: string; first: SearchSettings; second: SearchSettings };

/** The results of two settings side by side. */
function Compared({ search, knowledgeBases }: { search: Comparison; knowledgeBases: KnowledgeBase[] }) {
  const { query, first, second } = search;
  const [firstIds, setFirstIds] = useState<string[]>([]);
  const [secondIds, setSecondIds] = useState<string[]>([]);
  const sides = [
    { name: 'A', settings: first, otherIds: secondIds, onFound: setFirstIds },
    { name: 'B', settings: second, otherIds: firstIds, onFound: setSecondIds },
  ];
  return (
    <div class="side-by-side">
      {sides.map(({ name, ...side }) => (
        <Results
          key={name}
          query={query}
          knowledgeBases={knowledgeBases}
          name={`Results with settings ${name}`}
          {...side}
        />
      ))}
    </div>
  );
}

/** What the search of the page has found. */
function Found({ of: { applied, draft, submit }, knowledgeBases }: PageProps) {
  const { query, first, second } = applied;
  if (second !== undefined)
    return <Compared search={{ query, first, second }} knowledgeBases={knowledgeBases} />;
  return (
    <WithFacets
      knowledgeBaseIds={searchedIds(first, knowledgeBases)}
      filter={draft.first.filter}
      onChange={(filter) => submit({ ...draft, first: { ...draft.first, filter } })}
    >
      <Results query={query} settings={first} knowledgeBases={knowledgeBases} name="Results" />
    </WithFacets>
  );
}

function QueryBox({ of: { draft, filterError, applied, type } }: Pick<PageProps, 'of'>) {
  return (
    <div class="query-box">
      <SearchIcon />
      <input
        type="search"
        name="query"
        aria-label="Question or words"
        placeholder="Ask or search"
        maxLength={8192}
        dir="auto"
        data-first-field={applied.query === '' || undefined}
        value={draft.query}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={draft.query.trim() === '' || filterError !== undefined}>
        Search
      </button>
    </div>
  );
}

/** What else can be done with the search. They stand beside the settings, wherever these are open. */
function Actions({ of: { draft, applied, isOutdated, setDraft, submit } }: Pick<PageProps, 'of'>) {
  const { query, first, second } = draft;
  const phrase = isOutdated || query !== applied.query || second ? undefined : asPhrase(query);
  return (
    <div class="row search-actions">
      {phrase !== undefined && (
        <button
          type="button"
          class="quiet"
          title={`Only passages with ${phrase}`}
          onClick={() => submit({ ...draft, query: phrase })}
        >
          Search as a phrase
        </button>
      )}
      <button
        type="button"
        class="quiet"
        onClick={() => {
          const next = { ...draft, second: second === undefined ? first : undefined };
          // What is on the screen is compared at once: results without their settings would mislead.
          if (query.trim() === '') setDraft(next);
          else submit(next);
        }}
      >
        <CompareIcon /> {second === undefined ? 'Compare settings' : 'End the comparison'}
      </button>
    </div>
  );
}

function SearchForm({ of, knowledgeBases }: PageProps) {
  const { draft, isOutdated, applied, setDraft, submit } = of;
  const { first, second } = draft;
  return (
    <form
      class="stack search-form"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <QueryBox of={of} />
      <div class={second === undefined ? 'one-side' : 'side-by-side'}>
        <SettingsForm
          name={second === undefined ? undefined : 'A'}
          settings={first}
          knowledgeBases={knowledgeBases}
          onChange={(changed) => setDraft({ ...draft, first: changed })}
        />
        {second && (
          <SettingsForm
            name="B"
            settings={second}
            knowledgeBases={knowledgeBases}
            onChange={(changed) => setDraft({ ...draft, second: changed })}
          />
        )}
      </div>
      <Actions of={of} />
      {isOutdated && applied.query !== '' && (
        <p class="hint" role="status">
          Settings changed. Search to update the results.
        </p>
      )}
    </form>
  );
}

export function SearchPage() {
  const { service } = useSession();
  const search = useSearch();
  const { applied } = search;
  useTitle(applied.query === '' ? 'Search' : applied.query);
  const {
    value: knowledgeBases = [],
    error,
    reload,
  } = useLoaded((signal) => listAllKnowledgeBases(service, signal), []);
  const isEmpty = applied.query === '';
  // The results say so too where both fail: one sentence is enough.
  useRecovery(isEmpty ? undefined : error, reload);
  return (
    <>
      <h1 class="visually-hidden">Search</h1>
      <SearchForm of={search} knowledgeBases={knowledgeBases} />
      {isEmpty && (
        <>
          <ErrorNotice doing="The knowledge bases could not be listed." error={error} onRetry={reload} />
          <Empty title="Search in any language">
            <p>
              Ask a question or enter words. Results are passages: about a paragraph each, with the words that
              match, and the place where they stand.
            </p>
            <p>
              Words in quotes are a phrase that all results have: <kbd>"restart policy" docker</kbd>
            </p>
            {knowledgeBases.length === 0 && (
              <a class="button" href={addressOf.home}>
                Add documents first
              </a>
            )}
          </Empty>
        </>
      )}
      {!isEmpty && <Found of={search} knowledgeBases={knowledgeBases} />}
    </>
  );
}
