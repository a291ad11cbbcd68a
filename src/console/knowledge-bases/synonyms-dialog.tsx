/** The dialog that shows and sets the synonyms of a knowledge base, or of the account. */
import { useState } from 'preact/hooks';
import type { KnowledgeBase } from '../../client/index.ts';
import { formatSynonyms, parseSynonyms } from '../../formats/synonym-lines.ts';
import { countOf } from '../format.ts';
import { announce } from '../parts/announcements.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { LinesField } from '../parts/fields/text-field.tsx';
import { ErrorNotice, Loading } from '../parts/notice.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';

type DialogProps = {
  /** Undefined: the synonyms of the account. */
  knowledgeBase?: KnowledgeBase;
  onClose(): void;
};

/** What is wrong with the lines, as a sentence; undefined: nothing. */
function problemOf(lines: string): string | undefined {
  try {
    parseSynonyms(lines);
  } catch (error) {
    return (error as Error).message; // a SyntaxError
  }
}

const Hint = ({ isOfAccount }: { isOfAccount: boolean }) => (
  <>
    <code>PTO, paid time off</code> find each other. <code>laptop =&gt; ThinkPad, MacBook</code> counts one
    way only.{' '}
    {isOfAccount ? 'These count in all knowledge bases' : 'These count where this knowledge base is searched'}
    , from the next search on.
  </>
);

/** What the person writes wins over what is loaded, also in the moment after it is shown first. */
function useLines(knowledgeBase: KnowledgeBase | undefined) {
  const { service } = useSession();
  const owner = knowledgeBase === undefined ? {} : { knowledgeBaseId: knowledgeBase.id };
  const { value, error, reload } = useLoaded((signal) => service.getSynonyms(owner, { signal }), []);
  const [written, setWritten] = useState<string>();
  const lines = written ?? formatSynonyms(value?.groups ?? []);
  const save = async () => await service.setSynonyms({ ...owner, groups: parseSynonyms(lines) });
  return { lines, setWritten, isLoaded: value !== undefined, error, reload, save };
}

export function SynonymsDialog({ knowledgeBase, onClose }: DialogProps) {
  const { lines, setWritten, isLoaded, error, reload, save: saveLines } = useLines(knowledgeBase);
  const [hasFailed, setHasFailed] = useState(false);
  const problem = problemOf(lines);
  const save = useAction(async () => {
    setHasFailed(problem !== undefined);
    if (problem !== undefined) return;
    const { groups } = await saveLines();
    announce(`${countOf(groups.length, 'group')} of synonyms saved.`);
    onClose();
  });
  return (
    <DialogForm
      title={knowledgeBase === undefined ? 'Synonyms of the account' : 'Synonyms'}
      isWide
      action={save}
      failure="The synonyms were not saved."
      submit="Save"
      isIncomplete={!isLoaded}
      onClose={onClose}
    >
      <ErrorNotice doing="The synonyms could not be read." error={error} onRetry={reload} />
      {!isLoaded && error === undefined && <Loading what="the synonyms" />}
      {isLoaded && (
        <LinesField
          label="One group on each line"
          hint={<Hint isOfAccount={knowledgeBase === undefined} />}
          error={hasFailed ? problem : undefined}
          rows={12}
          dir="auto"
          spellcheck={false}
          autofocus
          value={lines}
          onChange={setWritten}
        />
      )}
    </DialogForm>
  );
}
