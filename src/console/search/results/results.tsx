/** Runs a search with its settings, and lists what it has found, by documents. */
import { useEffect, useState } from 'preact/hooks';
import type { KnowledgeBase, SearchResult } from '../../../client/index.ts';
import { countOf } from '../../format.ts';
import { CodeIcon } from '../../parts/icons.tsx';
import { ErrorNotice, Loading } from '../../parts/notice.tsx';
import { useSession } from '../../session.ts';
import { useLoaded } from '../../use-loaded.ts';
import { CodeDialog } from '../code-dialog.tsx';
import { type SearchSettings, toRequest } from '../settings.ts';
import { groupByDocument, oneByOne } from './groups.ts';
import { Nothing } from './nothing.tsx';
import { Result } from './result.tsx';

type Found = {
  results: SearchResult[];
  phrasesAsWords: string[];
  warnings: { message: string }[];
  durationMs: number;
};

type ResultsProps = {
  query: string;
  settings: SearchSettings;
  knowledgeBases: KnowledgeBase[];
  /** Names the list, where two are side by side. */
  name: string;
  /** The ids of the other side's results; undefined: nothing is compared. */
  otherIds?: string[];
  onFound?(ids: string[]): void;
};

/** '7 results in 3 documents' */
function describeCount(results: SearchResult[]): string {
  const documents = new Set(results.map(({ document_id }) => document_id)).size;
  const count = countOf(results.length, 'result');
  return documents < results.length ? `${count} of ${countOf(documents, 'document')}` : count;
}

/** Says that the words of phrases were searched, because no passage has the phrases. */
const MissingPhrases = ({ phrases }: { phrases: string[] }) => (
  <p class="hint" role="status">
    No passage has{' '}
    {phrases.map((phrase, index) => (
      <>
        {index > 0 && ', '}
        <bdi>“{phrase}”</bdi>
      </>
    ))}
    {phrases.length > 1 && ', or all phrases together'}. The words were searched instead.
  </p>
);

function useFound(query: string, settings: SearchSettings) {
  const { service } = useSession();
  return useLoaded<Found>(
    async (signal) => {
      const startedMs = performance.now();
      const results = await service.query(toRequest(query, settings), { signal });
      const { phrasesAsWords = [], warnings = [] } = results;
      return { results, phrasesAsWords, warnings, durationMs: performance.now() - startedMs };
    },
    [query, JSON.stringify(settings)],
  );
}

const describeFound = ({ results, durationMs }: Found): string =>
  `${describeCount(results)} in ${Math.max(1, Math.round(durationMs))} ms`;

type ListProps = Pick<ResultsProps, 'query' | 'settings' | 'knowledgeBases' | 'otherIds'> & {
  results: SearchResult[];
};

function List({ results, query, settings, knowledgeBases, otherIds }: ListProps) {
  const nameOf = (id: string) =>
    settings.knowledgeBaseIds.length === 1 ? undefined : knowledgeBases.find((one) => one.id === id)?.name;
  const rankElsewhere = (id: string): number | null | undefined => {
    if (otherIds === undefined) return undefined;
    const index = otherIds.indexOf(id);
    return index < 0 ? null : index + 1;
  };
  return (
    <ol class="stack cards">
      {(otherIds === undefined ? groupByDocument : oneByOne)(results).map((group) => (
        <Result
          key={group.results[0].id}
          group={group}
          query={query}
          bestScore={results[0]?.score ?? 0}
          knowledgeBaseName={nameOf(group.results[0].knowledge_base_id)}
          otherRank={rankElsewhere(group.results[0].id)}
        />
      ))}
    </ol>
  );
}

const FoundResults = ({ found, ...list }: Omit<ListProps, 'results'> & { found: Found }) => (
  <>
    {found.warnings.map(({ message }) => (
      <p key={message} class="hint" role="status">
        {message}
      </p>
    ))}
    {found.phrasesAsWords.length > 0 && <MissingPhrases phrases={found.phrasesAsWords} />}
    {found.results.length === 0 ? <Nothing {...list} /> : <List results={found.results} {...list} />}
  </>
);

export function Results({ name, onFound, ...list }: ResultsProps) {
  const { query, settings } = list;
  const [isCodeShown, setIsCodeShown] = useState(false);
  const { value, error, isLoading, reload } = useFound(query, settings);
  const found = error === undefined ? value : undefined;
  useEffect(() => onFound?.(value?.results.map(({ id }) => id) ?? []), [value]);
  return (
    <section class="results" aria-label={name} aria-busy={isLoading}>
      <header class="row">
        <p role="status" class="muted">
          {found && describeFound(found)}
        </p>
        <button
          type="button"
          class="quiet"
          disabled={error !== undefined}
          onClick={() => setIsCodeShown(true)}
        >
          <CodeIcon /> Copy as code
        </button>
      </header>
      <ErrorNotice doing="The search failed." error={error} onRetry={reload} />
      {isLoading && value === undefined && <Loading what="results" />}
      {found && <FoundResults found={found} {...list} />}
      {isCodeShown && (
        <CodeDialog request={toRequest(query, settings)} onClose={() => setIsCodeShown(false)} />
      )}
    </section>
  );
}
