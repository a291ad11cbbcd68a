/** A passage that was found: its words, where it is, and why it was found. */
import { useState } from 'preact/hooks';
import { formatPages, foundPlace } from '../../../client/found-place.ts';
import type { SearchResult } from '../../../client/index.ts';
import { formatTime } from '../../../formats/format-time.ts';
import { countOf, describeRecognised } from '../../format.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { addressOf } from '../../routes.ts';
import { headingsAbove } from '../../text/headings.ts';
import { RichText } from '../../text/rich-text.tsx';
import { Explanation } from './explanation.tsx';

/** Passages up to this length in code points are shown in full, longer ones as their best part. */
const FULL_MAX = 700;

function Content({ content, type, highlights = [], snippet }: SearchResult) {
  const [isFull, setIsFull] = useState(false);
  const isLong = snippet !== undefined && content.length > FULL_MAX;
  if (isFull || !isLong) return <RichText text={content} type={type} ranges={highlights} />;
  const { start, text } = snippet;
  const moved = highlights
    .map((range) => ({ start: range.start - start, end: range.end - start }))
    .filter((range) => range.start >= 0);
  return (
    <div>
      <RichText text={text} type={type} ranges={moved} />
      <button type="button" class="quiet show-all" onClick={() => setIsFull(true)}>
        Show the whole passage
      </button>
    </div>
  );
}

/** The text, and where it is from: what people paste into a mail or a document. */
function citationOf(result: SearchResult): string {
  const { content, title, sourceUrl, document_id, location: at, type } = result;
  const page = formatPages(foundPlace(result), type);
  const link = `${location.href.split('#')[0]}${addressOf.document(document_id, { passage: at?.passage })}`;
  return `${content}\n\n— ${[title, page, sourceUrl ?? link].filter((part) => part !== undefined).join(', ')}`;
}

/** Where the passage is: page or time, headings, and its number, which leads to it. */
function Place({ result, query }: { result: SearchResult; query: string }) {
  const { location, document_id, content, type, duplicates = 0 } = result;
  const place = foundPlace(result);
  const pages = formatPages(place, type);
  const headings = headingsAbove(location?.headings ?? [], content);
  return (
    <ul class="facts">
      {headings && (
        <li class="place" dir="auto">
          {headings}
        </li>
      )}
      {pages !== undefined && <li>{pages}</li>}
      {place.time !== undefined && <li>at {formatTime(place.time)}</li>}
      {location !== undefined && (
        <li>
          <a href={addressOf.document(document_id, { passage: location.passage, query })}>
            passage {location.passage}
          </a>
        </li>
      )}
      {location?.recognised && <li>{describeRecognised(location.recognised)}</li>}
      {duplicates > 0 && <li>the same text in {countOf(duplicates, 'other passage')}</li>}
      <li class="copy">
        <CopyButton text={citationOf(result)} what="the passage with its source" isQuiet />
      </li>
    </ul>
  );
}

const Around = ({ texts }: { texts: string[] }) => (
  <>
    {texts.map((text) => (
      <p class="around" dir="auto">
        {text}
      </p>
    ))}
  </>
);

export function FoundPassage({ result, query }: { result: SearchResult; query: string }) {
  const { context, explanation } = result;
  return (
    <>
      <Place result={result} query={query} />
      <Around texts={context?.before ?? []} />
      <Content {...result} />
      <Around texts={context?.after ?? []} />
      {explanation && (
        <details class="why">
          <summary class="muted">Why this score</summary>
          <Explanation explanation={explanation} />
        </details>
      )}
    </>
  );
}
