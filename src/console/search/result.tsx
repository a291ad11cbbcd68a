/** One search result: the passage with the words that match, where it is, and why it was found. */
import { useState } from 'preact/hooks';
import { formatPages, foundPlace } from '../../client/found-place.ts';
import type { Attributes, SearchResult } from '../../client/index.ts';
import { formatScore } from '../../formats/format-score.ts';
import { formatTime } from '../../formats/format-time.ts';
import { countOf, describeRecognised } from '../format.ts';
import { LinkIcon } from '../parts/icons.tsx';
import { addressOf } from '../routes.ts';
import { Explanation } from './explanation.tsx';
import { MarkedText } from './marked-text.tsx';

/** Passages up to this length in code points are shown in full, longer ones as their best part. */
const FULL_MAX = 700;

function Content({ content, highlights = [], snippet }: SearchResult) {
  const [isFull, setIsFull] = useState(false);
  const isLong = snippet !== undefined && content.length > FULL_MAX;
  if (isFull || !isLong)
    return (
      <p class="passage-text" dir="auto">
        <MarkedText text={content} ranges={highlights} />
      </p>
    );
  const { start } = snippet;
  const moved = highlights
    .map((range) => ({ start: range.start - start, end: range.end - start }))
    .filter((range) => range.start >= 0);
  return (
    <>
      <p class="passage-text" dir="auto">
        {start > 0 && '… '}
        <MarkedText text={snippet.text} ranges={moved} />
        {' …'}
      </p>
      <button type="button" class="quiet show-all" onClick={() => setIsFull(true)}>
        Show the whole passage
      </button>
    </>
  );
}

/** Where the passage is: page or time, headings, and its number. */
function Place({ result, knowledgeBaseName }: Pick<ResultProps, 'result' | 'knowledgeBaseName'>) {
  const { location, knowledge_base_id, duplicates = 0 } = result;
  const place = foundPlace(result);
  const pages = formatPages(place);
  const headings = location?.headings.join(' › ');
  return (
    <ul class="facts">
      {knowledgeBaseName !== undefined && (
        <li>
          <a href={addressOf.documents(knowledge_base_id)} dir="auto">
            {knowledgeBaseName}
          </a>
        </li>
      )}
      {pages !== undefined && <li>{pages}</li>}
      {place.time !== undefined && <li>at {formatTime(place.time)}</li>}
      {location !== undefined && <li>passage {location.passage}</li>}
      {location?.recognised && <li>{describeRecognised(location.recognised)}</li>}
      {headings && <li dir="auto">{headings}</li>}
      {duplicates > 0 && <li>the same text in {countOf(duplicates, 'other passage')}</li>}
    </ul>
  );
}

const Around = ({ texts }: { texts: string[] }) => (
  <>
    {texts.map((text) => (
      <p class="passage-text around" dir="auto">
        {text}
      </p>
    ))}
  </>
);

export const AttributeTags = ({ attributes = {} }: { attributes?: Attributes | undefined }) => (
  <ul class="attribute-tags" aria-label="Attributes">
    {Object.entries(attributes).map(([name, value]) => (
      <li key={name} class="tag">
        <bdi>{name}</bdi>: <bdi>{Array.isArray(value) ? value.join(', ') : String(value)}</bdi>
      </li>
    ))}
  </ul>
);

type ResultProps = {
  result: SearchResult;
  /** Its place in the list, from 1. */
  rank: number;
  /** The score of the first result. */
  bestScore: number;
  /** Undefined where only one knowledge base is searched. */
  knowledgeBaseName: string | undefined;
  /** Its place with the other settings; null: it is not among those results; undefined: nothing is compared. */
  otherRank: number | null | undefined;
};

/** 2, 5 → 'was 5': how the place differs from that of the other settings. */
function Difference({ rank, otherRank }: Pick<ResultProps, 'rank' | 'otherRank'>) {
  if (otherRank === undefined || otherRank === rank) return null;
  return <span class="tag">{otherRank === null ? 'only here' : `${otherRank} on the other side`}</span>;
}

/** A bar as long as the score is beside the best one: scores can only be compared within one answer. */
function Score({ score, bestScore }: { score: number; bestScore: number }) {
  const percent = bestScore > 0 ? (100 * score) / bestScore : 0;
  return (
    <span
      class="score"
      title={`Score ${score} of at most 1. The bar shows it beside the best result, ${bestScore}.`}
    >
      <span class="visually-hidden">Score</span>
      <span class="bar" aria-hidden="true">
        <span style={{ width: `${percent}%` }} />
      </span>
      {formatScore(score)}
    </span>
  );
}

export function Result({ result, rank, bestScore, knowledgeBaseName, otherRank }: ResultProps) {
  const { title, type, score, document_id, location, context, attributes, sourceUrl, explanation } = result;
  return (
    <li class="result">
      <header>
        <span class="rank" aria-hidden="true">
          {rank}
        </span>
        <h2>
          <a href={addressOf.document(document_id, location?.passage)} dir="auto">
            {title}
          </a>
        </h2>
        <span class="tag">{type}</span>
        <Difference rank={rank} otherRank={otherRank} />
        <Score score={score} bestScore={bestScore} />
      </header>
      <Place result={result} knowledgeBaseName={knowledgeBaseName} />
      <Around texts={context?.before ?? []} />
      <Content {...result} />
      <Around texts={context?.after ?? []} />
      {attributes && <AttributeTags attributes={attributes} />}
      <div class="result-foot">
        {explanation && (
          <details>
            <summary>Why this score</summary>
            <Explanation explanation={explanation} />
          </details>
        )}
        {sourceUrl !== undefined && /^https?:/.test(sourceUrl) && (
          <a href={sourceUrl} target="_blank" rel="noreferrer noopener">
            <LinkIcon /> Original
          </a>
        )}
      </div>
    </li>
  );
}
