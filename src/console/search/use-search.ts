/** The search of the page: its address is what is searched, and the form is what will be. */
import { useEffect, useState } from 'preact/hooks';
import { route, setParameters } from '../routes.ts';
import { findFilterError } from './filter/filter-editor.tsx';
import { readSettings, type SearchSettings, writeSettings } from './settings.ts';

/** `second`: the settings to compare with. */
export type Search = { query: string; first: SearchSettings; second: SearchSettings | undefined };

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

/** A pause in typing that is worth a search. */
const TYPING_PAUSE_MS = 180;

/** The choice belongs to the browser. Without an entry, people search while they type. */
const STORED = 'knowledge-retrieval-search-while-typing';

export const searchesWhileTyping = (): boolean => localStorage.getItem(STORED) !== 'no';

export const setSearchesWhileTyping = (isWanted: boolean): void =>
  isWanted ? localStorage.removeItem(STORED) : localStorage.setItem(STORED, 'no');

/** A single letter finds nearly everything; a single Chinese character may be a word. */
const isWorthSearching = (query: string): boolean => /\S\S|[^\p{ASCII}]/u.test(query.trim());

/**
 * `isTyped`: the form is ahead of what Enter has searched, so the last word may be incomplete. `wasPushed`: the
 * browser's Back button leads to the search before the typing.
 */
type Typed = { address: string; search: Search; isTyped: boolean; wasPushed: boolean };

/** Calls `act` after a pause in typing, where `isDue`. `typed`: begins the pause again when it changes. */
function usePause(isDue: boolean, act: () => void, typed: unknown[]): void {
  useEffect(() => {
    if (!isDue) return;
    const timer = setTimeout(act, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, typed);
}

export function useSearch() {
  const { parameters } = route.value;
  const applied = readSearch(parameters);
  const address = String(parameters);
  // What was typed belongs to its address: the browser's Back button, and links to a search, replace it.
  const [typed, setTyped] = useState<Typed>({ address, search: applied, isTyped: false, wasPushed: false });
  const isCurrent = typed.address === address;
  const draft = isCurrent ? typed.search : applied;
  const isTyped = isCurrent && typed.isTyped;
  const wasPushed = isCurrent && typed.wasPushed;
  const wanted = String(writeSearch(draft));
  const isChanged = wanted !== String(writeSearch(applied));
  const filterError = findFilterError(draft.first.filter) ?? findFilterError(draft.second?.filter ?? '');

  const apply = (search: Search, { isStep, asTyped }: { isStep: boolean; asTyped: boolean }) => {
    const next = writeSearch(search);
    setTyped({ address: String(next), search, isTyped: asTyped, wasPushed: asTyped });
    setParameters(next, isStep && String(next) !== address);
  };
  const isDue = isTyped && isChanged && filterError === undefined && isWorthSearching(draft.query);
  usePause(isDue, () => apply(draft, { isStep: !wasPushed, asTyped: true }), [isTyped, wanted]);

  return {
    /** What is searched. While somebody types, their last word may be incomplete. */
    applied: isTyped ? { ...applied, first: { ...applied.first, prefix: true } } : applied,
    /** What the form shows. */
    draft,
    filterError,
    /** Whether the form has changed since the results. */
    isOutdated: isChanged && !isTyped,
    setDraft: (search: Search) => setTyped({ address, search, isTyped, wasPushed }),
    type: (query: string) =>
      setTyped({ address, search: { ...draft, query }, isTyped: searchesWhileTyping(), wasPushed }),
    submit(search = draft) {
      if (search.query.trim() !== '' && filterError === undefined)
        apply(search, { isStep: !wasPushed, asTyped: false });
    },
  };
}
