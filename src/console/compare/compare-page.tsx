/** Compares words and meaning by up to twenty questions of a person, who marks by hand which documents are right. */
import '../search/search-form.css';
import './compare.css';
import { useState } from 'preact/hooks';
import { compareWays } from '../../evaluation/compare-ways.ts';
import { askEachWay, PASSAGES, WAY_NAMES, WAYS } from '../../evaluation/ways.ts';
import { countOf } from '../format.ts';
import { listAllKnowledgeBases } from '../knowledge-bases/list-all.ts';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Field } from '../parts/fields/field.tsx';
import { CheckIcon } from '../parts/icons.tsx';
import { KnowledgeBaseChoice } from '../parts/knowledge-base-choice.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';
import { useTitle } from '../use-title.ts';
import {
  answered,
  answers,
  change,
  comparison,
  countRight,
  forgetComparison,
  keepAnswer,
  QUESTIONS_MAX,
  toQuestions,
} from './comparison.ts';
import { Figures } from './figures.tsx';
import { Judging } from './judging.tsx';
import { TableButtons } from './table-buttons.tsx';

const FIELDS = ['document_id', 'title', 'externalId', 'content', 'snippet'] as const;
const QUESTION_MAX = 8_192;

/** Asks what has no answer yet, one request at a time. `signal`: ends it. */
function useAsking() {
  const { service } = useSession();
  return useAction(async () => {
    const { questions, knowledgeBaseIds } = comparison.value;
    for (const [turn, question] of questions.entries()) {
      if (answers.value.has(question)) continue;
      const asked = await askEachWay(WAY_NAMES, turn, async (way) => {
        const { request } = WAYS[way];
        const scope = knowledgeBaseIds.length > 0 && { knowledgeBaseIds };
        const fields = [...FIELDS];
        return await service.query({
          query: question,
          limit: PASSAGES,
          highlight: true,
          fields,
          ...scope,
          ...request,
        });
      });
      if (comparison.value.knowledgeBaseIds !== knowledgeBaseIds) return;
      keepAnswer(question, asked);
    }
  });
}

/** What is wrong with the lines; undefined: they are questions. */
function findLinesError(questions: string[]): string | undefined {
  if (questions.length > QUESTIONS_MAX)
    return `These are ${questions.length} questions; ${QUESTIONS_MAX} are the most here. The command \`evaluate\` takes all.`;
  const long = questions.find((question) => Array.from(question).length > QUESTION_MAX);
  return long && `"${long.slice(0, 40)}…" is longer than ${QUESTION_MAX} characters.`;
}

function QuestionsForm({ onAsk, isAsking }: { onAsk(): void; isAsking: boolean }) {
  const { service } = useSession();
  const { questions, knowledgeBaseIds, isBlind } = comparison.value;
  const kept = questions.join('\n');
  const [typed, setTyped] = useState({ kept, lines: kept });
  const lines = typed.kept === kept ? typed.lines : kept; // a loaded table replaces what was typed
  const [tableError, setTableError] = useState<Error>();
  const { value: knowledgeBases = [], error } = useLoaded(
    (signal) => listAllKnowledgeBases(service, signal),
    [],
  );
  const linesError = findLinesError(toQuestions(lines));
  const submit = () => {
    const given = toQuestions(lines);
    change({ questions: given });
    setTyped({ kept: given.join('\n'), lines: given.join('\n') });
    onAsk();
  };
  return (
    <form
      class="card compare-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field
        label="Your questions, one on each line"
        hint={`Up to ${QUESTIONS_MAX}, as people ask them. Each is asked in ${WAY_NAMES.length} ways, and costs as many searches.`}
        error={linesError}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            rows={6}
            dir="auto"
            value={lines}
            onInput={(event) => setTyped({ kept, lines: event.currentTarget.value })}
          />
        )}
      </Field>
      <ErrorNotice doing="The knowledge bases could not be listed." error={error} />
      <div class="row settings">
        <KnowledgeBaseChoice
          knowledgeBaseIds={knowledgeBaseIds}
          knowledgeBases={knowledgeBases}
          onChange={(chosen) => change({ knowledgeBaseIds: chosen })}
        />
        <label class="choice">
          <input
            type="checkbox"
            checked={isBlind}
            onChange={(event) => change({ isBlind: event.currentTarget.checked })}
          />
          Blind: do not say which results are by words or by meaning
        </label>
      </div>
      <div class="row">
        <button
          type="submit"
          class="primary"
          disabled={isAsking || lines.trim() === '' || linesError !== undefined}
        >
          {isAsking ? `Asking: ${answers.value.size} of ${questions.length} …` : 'Ask'}
        </button>
        <TableButtons onError={setTableError} />
        {questions.length > 0 && <StartAgain />}
      </div>
      {tableError !== undefined && (
        <div role="alert" class="notice notice-bad">
          <p class="problems">{tableError.message}</p>
        </div>
      )}
    </form>
  );
}

/** What was marked is lost, so it is asked. */
function StartAgain() {
  const [isAsked, setIsAsked] = useState(false);
  const forget = useAction(async () => {
    forgetComparison();
    setIsAsked(false);
  });
  return (
    <>
      <button type="button" class="quiet" onClick={() => setIsAsked(true)}>
        Start again
      </button>
      {isAsked && (
        <DialogForm
          title="Remove all questions and marks?"
          action={forget}
          failure="They were not removed."
          submit="Remove"
          isDangerous
          onClose={() => setIsAsked(false)}
        >
          <p>A table that you have saved brings them back.</p>
        </DialogForm>
      )}
    </>
  );
}

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
              <span class="question-done">
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

function Questions() {
  const { questions } = comparison.value;
  const [chosen, setChosen] = useState<string>();
  const asked = questions.filter((question) => answers.value.has(question));
  const current = chosen !== undefined && asked.includes(chosen) ? chosen : asked[0];
  const found = current === undefined ? undefined : answers.value.get(current);
  if (current === undefined || found === undefined) return null;
  const { same = [], degraded = [] } = compareWays(answered(false)) ?? {};
  const [lacking] = degraded;
  const ways = WAY_NAMES.filter((way) => !same.some((each) => each.way === way));
  const next = asked[asked.indexOf(current) + 1];
  return (
    <>
      <div class="judging">
        <QuestionList current={current} onChoose={setChosen} />
        <div class="stack">
          {lacking !== undefined && (
            <p class="notice" role="status">
              A model did not run in {countOf(sumOf(degraded), 'answer')}. {lacking.warning}
            </p>
          )}
          {ways.length < 2 && lacking === undefined && (
            <p class="notice" role="status">
              Every way has found the same for all questions: the service has no vectors for these passages,
              or they change nothing here.
            </p>
          )}
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

export function ComparePage() {
  useTitle('Compare');
  const asking = useAsking();
  return (
    <>
      <div class="page-head">
        <div>
          <h1>Compare words and meaning</h1>
          <p>
            Which finds your documents better? Ask your own questions, mark what is right, and see the
            figures. Questions and marks stay in this browser until you sign out.
          </p>
        </div>
      </div>
      <QuestionsForm onAsk={asking.run} isAsking={asking.isRunning} />
      <ErrorNotice doing="A question could not be asked." error={asking.error} onRetry={asking.run} />
      <Questions />
    </>
  );
}
