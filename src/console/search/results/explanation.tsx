/** Why a result has its score: a bar for each part that has added to it, or taken from it. */
import type {
  ExplainedMeaning,
  ExplainedRerank,
  Explanation as ScoreExplanation,
  TermMatch,
} from '../../../client/index.ts';
import { formatScore } from '../../../formats/format-score.ts';
import { countOf } from '../../format.ts';

/** What to know of a term that is not in the text as it was asked for. */
const NOTES: Record<TermMatch, string> = {
  word: '',
  completion: 'begins so; ',
  guess: 'taken for it, since no text has the word; ',
  synonym: 'a synonym of it; ',
};

/** `isNoteShown`: also where a screen is too narrow for a column of notes. */
type Part = { name: string; note: string; share: number; isNoteShown?: boolean };

/** The note names the nearest words: `accommodation ≈ hotel; similarity 0.710 of 1` */
function partOfMeaning({ contribution, similarity, pairs }: ExplainedMeaning): Part {
  return {
    name: 'by meaning',
    note: [
      ...pairs.map(({ term, word }) => `${term} ≈ ${word}`),
      `similarity ${formatScore(similarity)} of 1`,
    ].join('; '),
    share: contribution,
    isNoteShown: true,
  };
}

/** A model's order changes the score with the place. */
const partOfRerank = ({ contribution, formerRank }: ExplainedRerank): Part => ({
  name: 'by the reranker',
  note: `it was in place ${formerRank} before`,
  share: contribution,
});

function partsOf({ terms, neighbours, feedback, fullMatch, meaning, rerank }: ScoreExplanation): Part[] {
  const byTerms = terms.map(({ term, occurrences, weight, contribution, match, words }) => ({
    name: match === 'word' ? term : `${term} → ${words.join(', ') || 'in the title'}`,
    note:
      `${NOTES[match]}counts ${occurrences === 1 ? 'once' : `${occurrences} times`}; ` +
      `adds ${formatScore(weight)} at most`,
    share: contribution,
  }));
  return [
    ...byTerms,
    { name: 'neighbouring passages', note: 'what stands before and after it', share: neighbours },
    { name: 'similar to the best', note: 'what it has in common with the best results', share: feedback },
    { name: 'full match', note: 'it has the words side by side, as in the query', share: fullMatch },
    ...(meaning === undefined ? [] : [partOfMeaning(meaning)]),
    ...(rerank === undefined ? [] : [partOfRerank(rerank)]),
  ].filter(({ share }) => share !== 0);
}

/** `most`: the largest share, whose bar is full. */
const PartBar = ({ name, note, share, isNoteShown, most }: Part & { most: number }) => (
  <li>
    <span class="part-name clamped" dir="auto" title={note}>
      {name}
    </span>
    <span class="bar">
      <span class={share < 0 ? 'bad' : ''} style={{ width: `${(100 * Math.abs(share)) / most}%` }} />
    </span>
    <span class="part-share">
      {share < 0 ? '−' : '+'}
      {formatScore(Math.abs(share))}
    </span>
    <span class={isNoteShown ? 'part-note is-shown' : 'part-note'} dir="auto">
      {note}
    </span>
  </li>
);

export function Explanation({ explanation }: { explanation: ScoreExplanation }) {
  const parts = partsOf(explanation);
  const most = Math.max(...parts.map(({ share }) => Math.abs(share)), Number.MIN_VALUE);
  const { missing, phrases = [] } = explanation;
  return (
    <div class="explanation">
      <ul>
        {parts.map((part) => (
          <PartBar key={part.name} most={most} {...part} />
        ))}
      </ul>
      <p class="hint">
        Words in headings count too, and those in the title, or above the whole document, four times.
      </p>
      {phrases.map(({ phrase, occurrences }) => (
        <p key={phrase} class="hint">
          <bdi>“{phrase}”</bdi>{' '}
          {occurrences === 0
            ? 'is in its title or headings.'
            : `is in it ${occurrences === 1 ? 'once' : `${occurrences} times`}.`}
        </p>
      ))}
      {missing.length > 0 && (
        <p class="hint">
          It lacks {countOf(missing.length, 'word')} of the query: <bdi>{missing.join(', ')}</bdi>
        </p>
      )}
    </div>
  );
}
