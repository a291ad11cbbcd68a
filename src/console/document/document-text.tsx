/** The text of a document, passage by passage, with its pages and headings. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Passage } from '../../client/index.ts';
import { formatTime } from '../../formats/format-time.ts';
import { describeRecognised } from '../format.ts';
import { ErrorNotice, Loading } from '../parts/notice.tsx';
import { addressOf } from '../routes.ts';
import { useSession } from '../session.ts';
import { type Block, loadPortion, PORTION, type Portion } from './load-text.ts';

/** Passages before the one that a link names. */
const LEAD = 3;

type State = { portions: Portion[]; error: unknown; isLoading: boolean };

/** Loads portions of the text, the first one around passage `target`. */
function usePortions(documentId: string, target: number) {
  const { service } = useSession();
  const [state, setState] = useState<State>({ portions: [], error: undefined, isLoading: true });
  const ending = useRef(new AbortController());
  const load = async (from: number, to: number, place: 'before' | 'after') => {
    const { signal } = ending.current;
    setState((now) => ({ ...now, isLoading: true, error: undefined }));
    try {
      const portion = await loadPortion({ service, documentId, signal }, from, to);
      setState(({ portions }) => ({
        portions: place === 'before' ? [portion, ...portions] : [...portions, portion],
        error: undefined,
        isLoading: false,
      }));
    } catch (error) {
      if (!signal.aborted) setState((now) => ({ ...now, error, isLoading: false }));
    }
  };
  const begin = Math.max(1, target - LEAD);
  const loadFirst = () => load(begin, begin + PORTION - 1, 'after');
  useEffect(() => {
    ending.current = new AbortController();
    setState({ portions: [], error: undefined, isLoading: true });
    void loadFirst();
    return () => ending.current.abort();
  }, [documentId, begin]);
  const [first, last] = [state.portions[0], state.portions.at(-1)];
  return {
    ...state,
    reload: loadFirst,
    loadBefore:
      first && first.from > 1
        ? () => load(Math.max(1, first.from - PORTION), first.from - 1, 'before')
        : undefined,
    loadAfter: last?.hasMore ? () => load(last.to + 1, last.to + PORTION, 'after') : undefined,
  };
}

const headingsOf = ({ location }: Passage): string => location.headings.join(' › ');

/** The page, the time and the headings, where they differ from those of the passage before. */
function Place({ passage, before }: { passage: Passage; before: Passage | undefined }) {
  const { page, lastPage, time, recognised } = passage.location;
  const headings = headingsOf(passage);
  const isNewPage = page !== undefined && (page !== before?.location.page || lastPage !== undefined);
  const isNewHeading = headings !== '' && (before === undefined || headings !== headingsOf(before));
  return (
    <>
      {isNewPage && (
        <p class="page-number">{lastPage === undefined ? `Page ${page}` : `Pages ${page}–${lastPage}`}</p>
      )}
      {time !== undefined && time !== before?.location.time && <p class="page-number">{formatTime(time)}</p>}
      {recognised && <p class="page-number">{describeRecognised(recognised)}</p>}
      {isNewHeading && (
        <p class="headings" dir="auto">
          {headings}
        </p>
      )}
    </>
  );
}

function PassageBlock({
  passage,
  documentId,
  isTarget,
}: {
  passage: Passage;
  documentId: string;
  isTarget: boolean;
}) {
  const block = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isTarget) block.current?.scrollIntoView({ block: 'center' });
  }, [isTarget]);
  const { passage: number } = passage.location;
  return (
    <article ref={block} class={`passage ${isTarget ? 'target' : ''}`} aria-label={`Passage ${number}`}>
      <a href={addressOf.document(documentId, number)} title={`Passage ${number}: ${passage.language}`}>
        {number}
      </a>
      <p dir="auto">{passage.content}</p>
    </article>
  );
}

export function DocumentText({ documentId, target }: { documentId: string; target: number | undefined }) {
  const { portions, error, isLoading, reload, loadBefore, loadAfter } = usePortions(documentId, target ?? 1);
  const blocks: Block[] = portions.flatMap((portion) => portion.blocks);
  let before: Passage | undefined;
  return (
    <section class="document-text" aria-label="Text" aria-busy={isLoading}>
      {loadBefore && (
        <button type="button" disabled={isLoading} onClick={loadBefore}>
          Show earlier passages
        </button>
      )}
      {blocks.map((block, index) => {
        if ('between' in block)
          return (
            <p key={index} class="between" dir="auto">
              {block.between.trim()}
            </p>
          );
        const { passage } = block;
        const place = <Place passage={passage} before={before} />;
        before = passage;
        return (
          <div key={passage.id}>
            {place}
            <PassageBlock
              passage={passage}
              documentId={documentId}
              isTarget={passage.location.passage === target}
            />
          </div>
        );
      })}
      {isLoading && <Loading what="the text" />}
      <ErrorNotice doing="The text could not be loaded." error={error} onRetry={reload} />
      {loadAfter && (
        <button type="button" disabled={isLoading} onClick={loadAfter}>
          Show more passages
        </button>
      )}
    </section>
  );
}
