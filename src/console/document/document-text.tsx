/** The text of a document, passage by passage, with its pages and headings. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { pageUnit } from '../../client/found-place.ts';
import type { DocumentType, Passage } from '../../client/index.ts';
import { formatTime } from '../../formats/format-time.ts';
import { describeRecognised } from '../format.ts';
import { ErrorNotice, Loading } from '../parts/notice.tsx';
import { addressOf } from '../routes.ts';
import { useSession } from '../session.ts';
import { headingsAbove } from '../text/headings.ts';
import type { Range } from '../text/pieces.ts';
import { RichText } from '../text/rich-text.tsx';
import { type Block, loadPortion, PORTION, type Portion } from './load-text.ts';
import type { MarkedPassages } from './marked-words.tsx';

/** Passages before the passage that a link names. */
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

/** The page, the time and the headings, where they differ from the passage before. */
function Place({
  passage,
  before,
  type,
}: {
  passage: Passage;
  before: Passage | undefined;
  type: DocumentType;
}) {
  const { page, lastPage, time, recognised } = passage.location;
  const headings = headingsOf(passage);
  const isNewPage = page !== undefined && (page !== before?.location.page || lastPage !== undefined);
  const isNewHeading = before === undefined || headings !== headingsOf(before);
  const above = isNewHeading ? headingsAbove(passage.location.headings, passage.content) : '';
  const unit = pageUnit(type).replace(/^./, (letter) => letter.toUpperCase());
  return (
    <>
      {isNewPage && (
        <p class="hint page-number">
          {lastPage === undefined ? `${unit} ${page}` : `${unit}s ${page}–${lastPage}`}
        </p>
      )}
      {time !== undefined && time !== before?.location.time && (
        <p class="hint page-number">{formatTime(time)}</p>
      )}
      {recognised && <p class="hint page-number">{describeRecognised(recognised)}</p>}
      {above !== '' && (
        <p class="muted label headings" dir="auto">
          {above}
        </p>
      )}
    </>
  );
}

type PassageBlockProps = {
  passage: Passage;
  before: Passage | undefined;
  type: DocumentType;
  /** What is marked in it. */
  ranges: Range[];
  address: string;
  isTarget: boolean;
};

/** A passage, after its place in the document. */
function PassageBlock({ passage, before, type, ranges, address, isTarget }: PassageBlockProps) {
  const block = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isTarget) block.current?.scrollIntoView({ block: 'center' });
  }, [isTarget]);
  const { passage: number } = passage.location;
  return (
    <div>
      <Place passage={passage} before={before} type={type} />
      <article ref={block} class={`passage ${isTarget ? 'target' : ''}`} aria-label={`Passage ${number}`}>
        <a href={address} title={`Passage ${number}: ${passage.language}`}>
          {number}
        </a>
        <RichText text={passage.content} type={type} ranges={ranges} />
      </article>
    </div>
  );
}

type DocumentTextProps = {
  documentId: string;
  type: DocumentType;
  /** The passage that is shown first. */
  target: number | undefined;
  query: string;
  marked: MarkedPassages | undefined;
};

type BlocksProps = Pick<DocumentTextProps, 'type' | 'target' | 'marked'> & {
  blocks: Block[];
  addressOf(passage: number): string;
};

function Blocks({ blocks, type, target, marked, addressOf }: BlocksProps) {
  let before: Passage | undefined;
  return blocks.map((block, index) => {
    if ('between' in block)
      return (
        <p key={index} class="between" dir="auto">
          {block.between.trim()}
        </p>
      );
    const { passage } = block;
    const number = passage.location.passage;
    const drawn = (
      <PassageBlock
        key={passage.id}
        {...{ passage, before, type }}
        ranges={marked?.get(number) ?? []}
        address={addressOf(number)}
        isTarget={number === target}
      />
    );
    before = passage;
    return drawn;
  });
}

export function DocumentText({ documentId, type, target, query, marked }: DocumentTextProps) {
  const { portions, error, isLoading, reload, loadBefore, loadAfter } = usePortions(documentId, target ?? 1);
  const addressOfPassage = (passage: number) => addressOf.document(documentId, { passage, query });
  return (
    <section class="document-text" aria-label="Text" aria-busy={isLoading}>
      {loadBefore && (
        <button type="button" disabled={isLoading} onClick={loadBefore}>
          Show earlier passages
        </button>
      )}
      <Blocks
        blocks={portions.flatMap(({ blocks }) => blocks)}
        {...{ type, target, marked }}
        addressOf={addressOfPassage}
      />
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
