/** Searches, with one set of settings or with two side by side. The parameters of the page are the search. */
import '../knowledge-bases/home.css';
import './search-form.css';
import './search.css';
import { useState } from 'preact/hooks';
import type { KnowledgeBase } from '../../client/index.ts';
import { listAllKnowledgeBases } from '../knowledge-bases/list-all.ts';
import { CompareIcon, SearchIcon } from '../parts/icons.tsx';
import { Empty, ErrorNotice } from '../parts/notice.tsx';
import { addressOf, route, setParameters } from '../routes.ts';
import { useSession } from '../session.ts';
import { useLoaded } from '../use-loaded.ts';
import { useTitle } from '../use-title.ts';
import { findFilterError } from './filter-editor.tsx';
import { asPhrase } from './phrase.ts';
import { Results } from './results.tsx';
import { readSettings, type SearchSettings, writeSettings } from './settings.ts';
import { SettingsForm } from './settings-form.tsx';

/** A search as the form has it. `second`: the settings to compare with. */
type Search = { query: string; first: SearchSettings; second: SearchSettings | undefined };

const readSearch = (parameters: URLSearchParams): Search => ({
  query: parameters.get('q') ?? '',
  first: readSettings(parameters),
  second: parameters.has('compare') ? readSettings(parameters, 'b.') : undefined,
});

function writeSearch({ query, first, second }: Search): URLSearchParams {
  const parameters = new URLSearchParams();
  if (query !== '') parameters.set('q', query);
  writeSettings(parameters, first);
  if (second !== undefined) {
    parameters.set('compare', 'true');
    writeSettings(parameters, second, 'b.');
  }
  return parameters;
}

/** What the search of the page has found, with its settings side by side. */
function Found({ search, knowledgeBases }: { search: Search; knowledgeBases: KnowledgeBase[] }) {
  const { query, first, second } = search;
  const [firstIds, setFirstIds] = useState<string[]>([]);
  const [secondIds, setSecondIds] = useState<string[]>([]);
  return (
    <div class={second === undefined ? '' : 'side-by-side'}>
      <Results
        query={query}
        settings={first}
        knowledgeBases={knowledgeBases}
        name="Results"
        otherIds={second && secondIds}
        onFound={setFirstIds}
      />
      {second && (
        <Results
          query={query}
          settings={second}
          knowledgeBases={knowledgeBases}
          name="Results with the second settings"
          otherIds={firstIds}
          onFound={setSecondIds}
        />
      )}
    </div>
  );
}

export function SearchPage() {
  const { service } = useSession();
  const { parameters } = route.value;
  const applied = readSearch(parameters);
  const address = String(parameters);
  // What was typed belongs to its address: the browser's Back button, and links to a search, replace it.
  const [typed, setTyped] = useState({ address, search: applied });
  const draft = typed.address === address ? typed.search : applied;
  const setDraft = (search: Search) => setTyped({ address, search });
  useTitle(applied.query === '' ? 'Search' : applied.query);
  const { value: knowledgeBases = [], error } = useLoaded(
    (signal) => listAllKnowledgeBases(service, signal),
    [],
  );
  const { query, first, second } = draft;
  const isChanged = String(writeSearch(draft)) !== String(writeSearch(applied));
  const filterError = findFilterError(first.filter) ?? (second && findFilterError(second.filter));
  const phrase = isChanged ? undefined : asPhrase(query);
  const submit = () => {
    if (query.trim() !== '' && filterError === undefined) setParameters(writeSearch(draft), true);
  };
  return (
    <>
      <h1 class="visually-hidden">Search</h1>
      <form
        class="search-form"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div class="query-box">
          <SearchIcon />
          <input
            type="search"
            name="query"
            aria-label="Question or words"
            placeholder='Ask a question, or search for words or a "phrase"'
            maxLength={8192}
            dir="auto"
            data-first-field={applied.query === '' || undefined}
            value={query}
            onInput={(event) => setDraft({ ...draft, query: event.currentTarget.value })}
          />
          <button type="submit" class="primary" disabled={query.trim() === '' || filterError !== undefined}>
            Search
          </button>
        </div>
        <div class={second === undefined ? 'one-side' : 'side-by-side'}>
          <SettingsForm
            name="Settings"
            settings={first}
            knowledgeBases={knowledgeBases}
            onChange={(changed) => setDraft({ ...draft, first: changed })}
          />
          {second && (
            <SettingsForm
              name="Second settings"
              settings={second}
              knowledgeBases={knowledgeBases}
              onChange={(changed) => setDraft({ ...draft, second: changed })}
            />
          )}
          {phrase !== undefined && second === undefined && (
            <button
              type="button"
              class="quiet compare"
              title={`Only passages with ${phrase}`}
              onClick={() => setParameters(writeSearch({ ...draft, query: phrase }), true)}
            >
              Search as a phrase
            </button>
          )}
          <button
            type="button"
            class="quiet compare"
            onClick={() => setDraft({ ...draft, second: second === undefined ? first : undefined })}
          >
            <CompareIcon /> {second === undefined ? 'Compare settings' : 'End the comparison'}
          </button>
        </div>
        {isChanged && applied.query !== '' && (
          <p class="hint" role="status">
            The search has changed. Press Search to update the results.
          </p>
        )}
      </form>
      <ErrorNotice doing="The knowledge bases could not be listed." error={error} />
      {applied.query === '' ? (
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
      ) : (
        <Found search={applied} knowledgeBases={knowledgeBases} />
      )}
    </>
  );
}
