/** Finds the documents that a table of questions names. */
import type { KnowledgeBase } from '../../../generated/types.gen.ts';
import type { KnowledgeRetrieval } from '../../client/client.ts';
import { KINDS_OF_NAMES, namesOf } from '../../evaluation/document-names.ts';
import {
  describeProblem,
  type NamedDocument,
  type OwnQuestion,
  QuestionsError,
} from '../../evaluation/own-questions.ts';
import { enumerate, pluralise } from '../../terminal/formats.ts';
import { showProgress } from '../../terminal/progress.ts';
import { note } from '../../terminal/terminal.ts';

/** `grades`: by the ids of documents. */
export type JudgedQuestion = { question: string; grades: Map<string, number> };

/** The largest page of a list. */
const PAGE = 1_000;

/** `Handbook.PDF` → `handbook`: for the hint at a name that is nearly right. */
const looseName = (name: string): string => name.toLowerCase().replace(/\.\w{1,5}$/, '');

/** Documents with a wanted name, by the kind of name; `near`: a name that is nearly the wanted one. */
type Candidates = { byKind: Map<string, string | undefined>[]; near: string | undefined };

/** The candidates for each wanted name. Of the documents themselves nothing else is kept. */
async function findCandidates(
  client: KnowledgeRetrieval,
  wanted: ReadonlySet<string>,
  knowledgeBases: KnowledgeBase[],
): Promise<{ candidates: Map<string, Candidates>; unread: Set<string> }> {
  const candidates = new Map<string, Candidates>();
  for (const name of wanted)
    candidates.set(name, {
      byKind: Array.from({ length: KINDS_OF_NAMES }, () => new Map()),
      near: undefined,
    });
  const byLooseName = new Map([...wanted].map((name) => [looseName(name), name]));
  const unread = new Set<string>();
  const total = knowledgeBases.reduce((sum, { documentCount = 0 }) => sum + documentCount, 0);
  const progress = showProgress('looking for the documents', total);
  for (const { id: knowledgeBaseId } of knowledgeBases)
    for await (const document of client.listDocuments({ knowledgeBaseId, limit: PAGE })) {
      progress.advance(1);
      for (const [kind, name] of namesOf(document).entries()) {
        const exact = candidates.get(name);
        exact?.byKind[kind]?.set(document.id, document.externalId);
        if (exact && document.status !== 'processed') unread.add(document.id);
        const near = candidates.get(byLooseName.get(looseName(name)) ?? '');
        if (near !== undefined) near.near ??= name;
      }
    }
  progress.end();
  return { candidates, unread };
}

/** The id of the document with this name, or what is wrong with the name. */
function chooseDocument(name: string, { byKind, near }: Candidates): { id: string } | { problem: string } {
  const found = byKind.find((ofKind) => ofKind.size > 0);
  const [first, ...others] = [...(found ?? [])];
  if (first === undefined) {
    const hint = near === undefined ? '`docs list` shows all.' : `Did you mean "${near}"?`;
    return { problem: `there is no document "${name}". ${hint}` };
  }
  if (others.length === 0) return { id: first[0] };
  const names = enumerate([first, ...others].map(([id, externalId]) => externalId ?? id));
  return { problem: `${others.length + 1} documents are named "${name}". Give one of ${names}.` };
}

/**
 * The questions with the ids of their documents. Says how many documents cannot be found yet.
 * @throws {QuestionsError} sentences about names that no document has, or several have
 */
export async function findNamedDocuments(
  client: KnowledgeRetrieval,
  questions: OwnQuestion[],
  knowledgeBases: KnowledgeBase[],
): Promise<JudgedQuestion[]> {
  const wanted = new Set(questions.flatMap(({ documents }) => documents.map(({ name }) => name)));
  const { candidates, unread } = await findCandidates(client, wanted, knowledgeBases);
  const problems: string[] = [];
  const idOf = ({ name, line }: NamedDocument): string[] => {
    const chosen = chooseDocument(name, candidates.get(name) ?? { byKind: [], near: undefined });
    if ('id' in chosen) return [chosen.id];
    problems.push(describeProblem(line, 'document', chosen.problem));
    return [];
  };
  const judged = questions.map(({ question, documents }): JudgedQuestion => {
    const grades = new Map<string, number>();
    for (const document of documents)
      for (const id of idOf(document)) grades.set(id, Math.max(document.grade, grades.get(id) ?? 0));
    return { question, grades };
  });
  if (problems.length > 0) throw new QuestionsError(problems);
  const missing = [...new Set(judged.flatMap(({ grades }) => [...grades.keys()]))].filter((id) =>
    unread.has(id),
  );
  if (missing.length > 0)
    note(`${pluralise(missing.length, 'document')} of these cannot be found yet, since they are not read.`);
  return judged;
}
