/** Compares words and meaning by up to twenty questions of a person, who marks by hand which documents are right. */
import '../search/search-form.css';
import './compare.css';
import { askEachWay, PASSAGES, WAY_NAMES, WAYS } from '../../evaluation/ways.ts';
import { ErrorNotice } from '../parts/notice.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';
import { useTitle } from '../use-title.ts';
import { answers, comparison, keepAnswer } from './comparison.ts';
import { Questions } from './questions.tsx';
import { QuestionsForm } from './questions-form.tsx';

const FIELDS = ['document_id', 'title', 'externalId', 'content', 'snippet'] as const;

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
