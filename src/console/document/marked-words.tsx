/** Marks the words of a query in the text of a document: a result leads to it with them. */

import { countOf } from '../format.ts';
import { ErrorNotice } from '../parts/notice.tsx';
import { addressOf, setParameters } from '../routes.ts';
import { useSession } from '../session.ts';
import type { Range } from '../text/pieces.ts';
import { useLoaded } from '../use-loaded.ts';

/** What is marked in each passage, by its number. */
export type MarkedPassages = ReadonlyMap<number, Range[]>;

/** The most passages that a query returns. */
const PASSAGES_MAX = 50;

/** Searches the document for the query; '' marks nothing. */
export function useMarkedPassages(documentId: string, query: string) {
  const { service } = useSession();
  return useLoaded<MarkedPassages>(
    async (signal) => {
      if (query === '') return new Map();
      const results = await service.query(
        {
          query,
          documentIds: [documentId],
          limit: PASSAGES_MAX,
          highlight: true,
          fields: ['location', 'highlights'],
        },
        { signal },
      );
      return new Map(
        results
          .map(({ location, highlights = [] }) => [location?.passage ?? 0, highlights] as const)
          .filter(([, highlights]) => highlights.length > 0)
          .sort(([a], [b]) => a - b),
      );
    },
    [documentId, query],
  );
}

type MarkedWordsProps = {
  documentId: string;
  query: string;
  marked: ReturnType<typeof useMarkedPassages>;
  /** The passage that is shown first. */
  target: number | undefined;
};

/** Says what is marked, and leads from passage to passage. */
export function MarkedWords({ documentId, query, marked, target = 0 }: MarkedWordsProps) {
  const { value, error, reload } = marked;
  if (error !== undefined)
    return <ErrorNotice doing="The words could not be marked." error={error} onRetry={reload} />;
  if (value === undefined) return null;
  const passages = [...value.keys()];
  const before = passages.findLast((number) => number < target);
  const after = passages.find((number) => number > target);
  const linkTo = (passage: number | undefined, name: string) =>
    passage !== undefined && (
      <a class="button" href={addressOf.document(documentId, { passage, query })}>
        {name}
      </a>
    );
  return (
    <div class="notice marked-words" role="status">
      <p>
        {passages.length === 0 ? 'No passage has the words of ' : 'The words of '}
        <bdi>“{query}”</bdi>
        {passages.length > 0 &&
          ` are marked in ${passages.length === PASSAGES_MAX ? 'the best ' : ''}${countOf(passages.length, 'passage')}`}
        .
      </p>
      <div class="row">
        {linkTo(before, 'Previous')}
        {linkTo(after, 'Next')}
        <button
          type="button"
          class="quiet"
          onClick={() => setParameters(new URLSearchParams(target > 0 ? { passage: String(target) } : {}))}
        >
          Remove the marks
        </button>
      </div>
    </div>
  );
}
