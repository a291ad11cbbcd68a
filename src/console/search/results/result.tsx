/** A document that was found, with its passages. */
import { formatScore } from '../../../formats/format-score.ts';
import { countOf } from '../../format.ts';
import { LinkIcon } from '../../parts/icons.tsx';
import { addressOf } from '../../routes.ts';
import { AttributeTags } from './attribute-tags.tsx';
import type { Group } from './groups.ts';
import { FoundPassage } from './passage.tsx';

type ResultProps = {
  group: Group;
  query: string;
  /** The score of the first result. */
  bestScore: number;
  /** Undefined where only one knowledge base is searched. */
  knowledgeBaseName: string | undefined;
  /** Its place with the other settings; null: it is not among those results; undefined: nothing is compared. */
  otherRank: number | null | undefined;
};

/** 2, 5 → '5 on the other side': how the place differs from the place under the other settings. */
function Difference({ rank, otherRank }: { rank: number } & Pick<ResultProps, 'otherRank'>) {
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

/** The further passages of the document: closed, so that other documents are on the screen. */
function More({
  results,
  query,
  bestScore,
}: Pick<ResultProps, 'query' | 'bestScore'> & Pick<Group, 'results'>) {
  const [, ...others] = results;
  if (others.length === 0) return null;
  return (
    <details class="more-passages">
      <summary class="muted">{countOf(others.length, 'more passage')} of this document</summary>
      <ol>
        {others.map((result) => (
          <li key={result.id}>
            <Score score={result.score} bestScore={bestScore} />
            <FoundPassage result={result} query={query} />
          </li>
        ))}
      </ol>
    </details>
  );
}

export function Result({ group, query, bestScore, knowledgeBaseName, otherRank }: ResultProps) {
  const { rank, results } = group;
  const [first] = results;
  const { title, type, score, document_id, knowledge_base_id, location, attributes, sourceUrl } = first;
  return (
    <li class="card result">
      <header class="row">
        <span class="rank" aria-hidden="true">
          {rank}
        </span>
        <h2>
          <a
            class="title"
            href={addressOf.document(document_id, { passage: location?.passage, query })}
            dir="auto"
          >
            {title}
          </a>
        </h2>
        <span class="tag">{type}</span>
        {knowledgeBaseName !== undefined && (
          <a class="in one-line" href={addressOf.documents(knowledge_base_id)} dir="auto">
            {knowledgeBaseName}
          </a>
        )}
        <Difference rank={rank} otherRank={otherRank} />
        <Score score={score} bestScore={bestScore} />
      </header>
      <FoundPassage result={first} query={query} />
      {attributes && <AttributeTags attributes={attributes} narrows />}
      {sourceUrl !== undefined && /^https?:/.test(sourceUrl) && (
        <a class="original" href={sourceUrl} target="_blank" rel="noreferrer noopener">
          <LinkIcon /> Original
        </a>
      )}
      <More results={results} query={query} bestScore={bestScore} />
    </li>
  );
}
