/** Runs a search with its settings, and lists what it has found. */
import { useEffect, useState } from 'preact/hooks';
import type { KnowledgeBase, SearchResult } from '../../client/index.ts';
import { countOf } from '../format.ts';
import { CodeIcon } from '../parts/icons.tsx';
import { Empty, ErrorNotice, Loading } from '../parts/notice.tsx';
import { addressOf } from '../routes.ts';
import { useSession } from '../session.ts';
import { useLoaded } from '../use-loaded.ts';
import { CodeDialog } from './code-dialog.tsx';
import { Result } from './result.tsx';
import { type SearchSettings, toRequest } from './settings.ts';

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
  otherIds: string[] | undefined;
  onFound(ids: string[]): void;
};

/** What helps when nothing was found. */
function Nothing({ settings }: { settings: SearchSettings }) {
  const isNarrowed =
    settings.filter !== '' ||
    settings.minScore !== undefined ||
    settings.documentIds.length > 0 ||
    settings.knowledgeBaseIds.length > 0;
  return (
    <Empty title="Nothing was found">
      <p>
        No passage has any of these words, words near them, or a meaning near theirs.{' '}
        {isNarrowed
          ? 'Search all knowledge bases, or without filter and lowest score.'
          : 'Try other words, or check whether the document is searchable.'}
      </p>
      <a class="button" href={addressOf.home}>
        Look at the documents
      </a>
    </Empty>
  );
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

export function Results({ query, settings, knowledgeBases, name, otherIds, onFound }: ResultsProps) {
  const { service } = useSession();
  const [isCodeShown, setIsCodeShown] = useState(false);
  const { value, error, isLoading, reload } = useLoaded<Found>(
    async (signal) => {
      const startedMs = performance.now();
      const results = await service.query(toRequest(query, settings), { signal });
      const { phrasesAsWords = [], warnings = [] } = results;
      return { results, phrasesAsWords, warnings, durationMs: performance.now() - startedMs };
    },
    [query, JSON.stringify(settings)],
  );
  useEffect(() => onFound(value?.results.map(({ id }) => id) ?? []), [value]);
  const nameOf = (id: string) =>
    settings.knowledgeBaseIds.length === 1 ? undefined : knowledgeBases.find((one) => one.id === id)?.name;
  const rankElsewhere = (id: string): number | null | undefined => {
    if (otherIds === undefined) return undefined;
    const index = otherIds.indexOf(id);
    return index < 0 ? null : index + 1;
  };
  return (
    <section class="results" aria-label={name} aria-busy={isLoading}>
      <header class="row">
        <p role="status" class="muted">
          {error === undefined &&
            value !== undefined &&
            `${countOf(value.results.length, 'result')} in ${Math.max(1, Math.round(value.durationMs))} ms`}
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
      {error === undefined &&
        value?.warnings.map(({ message }) => (
          <p key={message} class="hint" role="status">
            {message}
          </p>
        ))}
      {error === undefined && value !== undefined && value.phrasesAsWords.length > 0 && (
        <MissingPhrases phrases={value.phrasesAsWords} />
      )}
      {error === undefined && value?.results.length === 0 && <Nothing settings={settings} />}
      {error === undefined && value !== undefined && value.results.length > 0 && (
        <ol>
          {value.results.map((result, index) => (
            <Result
              key={result.id}
              result={result}
              rank={index + 1}
              bestScore={value.results[0]?.score ?? 0}
              knowledgeBaseName={nameOf(result.knowledge_base_id)}
              otherRank={rankElsewhere(result.id)}
            />
          ))}
        </ol>
      )}
      {isCodeShown && (
        <CodeDialog request={toRequest(query, settings)} onClose={() => setIsCodeShown(false)} />
      )}
    </section>
  );
}
