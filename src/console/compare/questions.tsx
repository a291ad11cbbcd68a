/** The questions of a comparison one by one, to be judged, and the figures so far. */
import { useState } from 'preact/hooks';
import { compareWays } from '../../evaluation/compare-ways.ts';
import { WAY_NAMES, type Way } from '../../evaluation/ways.ts';
import { countOf } from '../format.ts';
import { CheckIcon } from '../parts/icons.tsx';
import { answered, answers, comparison, countRight } from './comparison.ts';
import { Figures } from './figures.tsx';
import { Judging } from './judging.tsx';

/** The questions that have answers, with those marked that have a right document. */
function QuestionList({ current, onChoose }: { current: string; onChoose(question: string): void }) {
  const asked = comparison.value.questions.filter((question) => answers.value.has(question));
  return (
    <nav aria-label="Questions" class="question-list">
      <ol>
        {asked.map((question) => (
          <li key={question}>
            <button
              type="button"
              class="quiet"
              {...(question === current && { 'aria-current': 'true' as const })}
              onClick={() => onChoose(question)}
            >
              <span class="question-done good">
                {countRight(question) > 0 && (
                  <>
                    <CheckIcon />
                    <span class="visually-hidden">Marked: </span>
                  </>
                )}
              </span>
              <span dir="auto">{question}</span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The figures so far. In a blind comparison they stay closed, since they would betray the ways. */
function FiguresSoFar({ judged }: { judged: number }) {
  const compared = compareWays(answered(true));
  if (compared === undefined) return <p class="hint">Mark a right document, and the figures appear here.</p>;
  return (
    <details open={!comparison.value.isBlind} class="stack">
      <summary>The figures of {countOf(judged, 'marked question')}</summary>
      <Figures comparison={compared} />
    </details>
  );
}

const sumOf = (degraded: readonly { count: number }[]): number =>
  degraded.reduce((sum, { count }) => sum + count, 0);

/** What limits the comparison, as far as the answers tell. */
function Limits({ ways }: { ways: readonly Way[] }) {
  const { degraded = [] } = compareWays(answered(false)) ?? {};
  const [lacking] = degraded;
  if (lacking !== undefined)
    return (
      <p class="notice" role="status">
        A model did not run in {countOf(sumOf(degraded), 'answer')}. {lacking.warning}
      </p>
    );
  if (ways.length > 1) return null;
  return (
    <p class="notice" role="status">
      Every way has found the same for all questions: the service has no vectors for these passages, or they
      change nothing here.
    </p>
  );
}

export function Questions() {
  const { questions } = comparison.value;
  const [chosen, setChosen] = useState<string>();
  const asked = questions.filter((question) => answers.value.has(question));
  const current = chosen !== undefined && asked.includes(chosen) ? chosen : asked[0];
  const found = current === undefined ? undefined : answers.value.get(current);
  if (current === undefined || found === undefined) return null;
  const { same = [] } = compareWays(answered(false)) ?? {};
  const ways = WAY_NAMES.filter((way) => !same.some((each) => each.way === way));
  const next = asked[asked.indexOf(current) + 1];
  return (
    <>
      <div class="judging">
        <QuestionList current={current} onChoose={setChosen} />
        <div class="stack">
          <Limits ways={ways} />
          <Judging key={current} question={current} asked={found} ways={ways} />
          {next !== undefined && (
            <div class="row end">
              <button type="button" onClick={() => setChosen(next)}>
                Next question
              </button>
            </div>
          )}
        </div>
      </div>
      <FiguresSoFar judged={questions.filter((question) => countRight(question) > 0).length} />
    </>
  );
}
