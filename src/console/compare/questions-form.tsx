/** The form of a comparison: the questions, where they are asked, and tables that are loaded and saved. */
import { useState } from 'preact/hooks';
import { WAY_NAMES } from '../../evaluation/ways.ts';
import { listAllKnowledgeBases } from '../knowledge-bases/list-all.ts';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Choice } from '../parts/fields/choice.tsx';
import { LinesField } from '../parts/fields/text-field.tsx';
import { KnowledgeBaseChoice } from '../parts/knowledge-base-choice.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';
import { answers, change, comparison, forgetComparison, QUESTIONS_MAX, toQuestions } from './comparison.ts';
import { TableButtons } from './table-buttons.tsx';

const QUESTION_MAX = 8_192;

/** What is wrong with the lines; undefined: they are questions. */
function findLinesError(questions: string[]): string | undefined {
  if (questions.length > QUESTIONS_MAX)
    return (
      `These are ${questions.length} questions; ${QUESTIONS_MAX} are the most here. ` +
      `The command \`evaluate\` takes all.`
    );
  const long = questions.find((question) => Array.from(question).length > QUESTION_MAX);
  return long && `"${long.slice(0, 40)}…" is longer than ${QUESTION_MAX} characters.`;
}

/** The lines of the form. A loaded table replaces what was typed. */
function useLines() {
  const kept = comparison.value.questions.join('\n');
  const [typed, setTyped] = useState({ kept, lines: kept });
  return {
    lines: typed.kept === kept ? typed.lines : kept,
    setLines: (lines: string) => setTyped({ kept, lines }),
    /** Makes the lines the questions of the comparison. */
    keepLines: (lines: string) => {
      const questions = toQuestions(lines);
      change({ questions });
      setTyped({ kept: questions.join('\n'), lines: questions.join('\n') });
    },
  };
}

/** Where the questions are asked, and what is shown of the results. */
function Settings() {
  const { service } = useSession();
  const { knowledgeBaseIds, isBlind } = comparison.value;
  const { value: knowledgeBases = [], error } = useLoaded(
    (signal) => listAllKnowledgeBases(service, signal),
    [],
  );
  return (
    <>
      <ErrorNotice doing="The knowledge bases could not be listed." error={error} />
      <div class="row settings">
        <KnowledgeBaseChoice
          knowledgeBaseIds={knowledgeBaseIds}
          knowledgeBases={knowledgeBases}
          onChange={(chosen) => change({ knowledgeBaseIds: chosen })}
        />
        <Choice isChosen={isBlind} onChange={(isChosen) => change({ isBlind: isChosen })}>
          Blind: do not say which results are by words or by meaning
        </Choice>
      </div>
    </>
  );
}

type ButtonsProps = { isAsking: boolean; isIncomplete: boolean };

function Buttons({ isAsking, isIncomplete }: ButtonsProps) {
  const [tableError, setTableError] = useState<Error>();
  const { length } = comparison.value.questions;
  return (
    <>
      <div class="row">
        <button type="submit" class="primary" disabled={isAsking || isIncomplete}>
          {isAsking ? `Asking: ${answers.value.size} of ${length} …` : 'Ask'}
        </button>
        <TableButtons onError={setTableError} />
        {length > 0 && <StartAgain />}
      </div>
      {tableError !== undefined && (
        <div role="alert" class="notice notice-bad">
          <p class="problems">{tableError.message}</p>
        </div>
      )}
    </>
  );
}

export function QuestionsForm({ onAsk, isAsking }: { onAsk(): void; isAsking: boolean }) {
  const { lines, setLines, keepLines } = useLines();
  const error = findLinesError(toQuestions(lines));
  return (
    <form
      class="card stack compare-form"
      onSubmit={(event) => {
        event.preventDefault();
        keepLines(lines);
        onAsk();
      }}
    >
      <LinesField
        label="Your questions, one on each line"
        hint={
          `Up to ${QUESTIONS_MAX}, as people ask them. ` +
          `Each is asked in ${WAY_NAMES.length} ways, and costs as many searches.`
        }
        error={error}
        rows={6}
        dir="auto"
        value={lines}
        onChange={setLines}
      />
      <Settings />
      <Buttons isAsking={isAsking} isIncomplete={lines.trim() === '' || error !== undefined} />
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
