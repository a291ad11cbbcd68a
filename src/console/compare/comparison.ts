/**
 * The comparison of a person: questions, and which documents answer them. It stays in this browser until the person
 * signs out, and the service never hears of it. Answers are kept as long as the tab.
 */
import { signal } from '@preact/signals';
import { type Answered, type FoundPassages, toAnswer } from '../../evaluation/compare-ways.ts';
import { namesOf } from '../../evaluation/document-names.ts';
import {
  type OwnQuestion,
  QuestionsError,
  readQuestions,
  type WrittenDocument,
  writeQuestions,
} from '../../evaluation/own-questions.ts';
import type { Asked, Way } from '../../evaluation/ways.ts';

/** As many questions as one marks by hand. */
export const QUESTIONS_MAX = 20;

/** What a page shows of a found passage. */
export type FoundPassage = {
  document_id: string;
  title: string;
  externalId?: string;
  content: string;
  snippet?: { text: string };
};

export type AskedWays = ReadonlyMap<Way, Asked<FoundPassage[] & Pick<FoundPassages, 'warnings'>>>;

/** A judged document: by its id, or by the name that a table has for it. */
type Mark = { grade: number; title: string };
/** Question → name of the document → its mark. */
type Marks = Record<string, Record<string, Mark>>;

export type Comparison = { questions: string[]; knowledgeBaseIds: string[]; isBlind: boolean; marks: Marks };

const NOTHING: Comparison = { questions: [], knowledgeBaseIds: [], isBlind: true, marks: {} };

export const comparison = signal<Comparison>(NOTHING);

/** The answers to the questions, as far as they were asked. */
export const answers = signal<ReadonlyMap<string, AskedWays>>(new Map());

/** The browser's entry. Its number grows when its shape changes. */
const ENTRY = 'knowledge-retrieval-comparison-1';

/** The id of the key whose entry it is. */
let owner = '';

/** Shows what this browser has kept for this key, if anything. */
export function openComparison(keyId: string): void {
  if (owner === keyId) return;
  owner = keyId;
  answers.value = new Map();
  comparison.value = readKept() ?? NOTHING;
}

function readKept(): Comparison | undefined {
  try {
    // Only `change` writes it.
    const kept = JSON.parse(localStorage.getItem(ENTRY) ?? '{}') as Comparison & { owner?: string };
    return kept.owner === owner ? { ...NOTHING, ...kept } : undefined;
  } catch {
    return undefined; // the browser keeps nothing, or another program has written there
  }
}

/** Changes the comparison. Other knowledge bases have other answers. */
export function change(changes: Partial<Comparison>): void {
  if (changes.knowledgeBaseIds !== undefined) answers.value = new Map();
  comparison.value = { ...comparison.value, ...changes };
  try {
    localStorage.setItem(ENTRY, JSON.stringify({ ...comparison.value, owner }));
  } catch {
    // Full, or switched off: the comparison lasts as long as the tab.
  }
}

/** Removes everything: for a new comparison, and when a person signs out. */
export function forgetComparison(): void {
  [comparison.value, answers.value] = [NOTHING, new Map()];
  localStorage.removeItem(ENTRY);
}

/** Lines → questions, each once. */
export const toQuestions = (lines: string): string[] => [
  ...new Set(
    lines
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

/** Keeps the answer to a question. */
export function keepAnswer(question: string, asked: AskedWays): void {
  answers.value = new Map([...answers.value, [question, asked]]);
}

/** The name by which a passage's document is marked; undefined: it is not. */
function findMark(question: string, { document_id, externalId, title }: FoundPassage): string | undefined {
  const marks = comparison.value.marks[question] ?? {};
  return namesOf({ id: document_id, externalId, title }).find(
    (name) => name !== '' && Object.hasOwn(marks, name),
  );
}

/** Whether a person has marked the document as a right one. */
export function isRight(question: string, passage: FoundPassage): boolean {
  const name = findMark(question, passage);
  return name !== undefined && (comparison.value.marks[question]?.[name]?.grade ?? 0) > 0;
}

/** Marks a document as right, or takes the mark away. */
export function mark(question: string, passage: FoundPassage, right: boolean): void {
  const { marks } = comparison.value;
  const known = findMark(question, passage) ?? passage.document_id;
  const { [known]: former, ...others } = marks[question] ?? {};
  const added = right ? { [known]: { grade: former?.grade || 1, title: passage.title } } : {};
  change({ marks: { ...marks, [question]: { ...others, ...added } } });
}

export const countRight = (question: string): number =>
  Object.values(comparison.value.marks[question] ?? {}).filter(({ grade }) => grade > 0).length;

/** The questions that were asked, those with a right document alone if `judged`. */
export function answered(judged: boolean): Answered[] {
  const { questions, marks } = comparison.value;
  return questions.flatMap((question) => {
    const asked = answers.value.get(question);
    if (asked === undefined || (judged && countRight(question) === 0)) return [];
    const grades = new Map(Object.entries(marks[question] ?? {}).map(([name, { grade }]) => [name, grade]));
    // What a table calls by a name, the service calls by its id.
    for (const passage of [...asked.values()].flatMap(({ found }) => found)) {
      const name = findMark(question, passage);
      if (name === undefined || name === passage.document_id) continue;
      grades.set(passage.document_id, marks[question]?.[name]?.grade ?? 0);
      grades.delete(name);
    }
    return [{ grades, answers: new Map([...asked].map(([way, each]) => [way, toAnswer(each)])) }];
  });
}

/** The questions and marks as a table. A question without a mark has no row, as `readQuestions` demands. */
export function toTable(): string {
  const { questions, marks } = comparison.value;
  return writeQuestions(
    questions.flatMap((question) =>
      Object.entries(marks[question] ?? {}).map(
        ([document, { grade, title }]): WrittenDocument => ({ question, document, grade, title }),
      ),
    ),
  );
}

/** Takes questions and marks from a table. @throws {QuestionsError} sentences that name line and column */
export function loadTable(text: string): void {
  const read = readQuestions(text);
  if (read.length > QUESTIONS_MAX)
    throw new QuestionsError([
      `The table has ${read.length} questions; here ${QUESTIONS_MAX} are the most. The command \`evaluate\` takes all.`,
    ]);
  const marksOf = ({ documents }: OwnQuestion) =>
    Object.fromEntries(documents.map(({ name, grade }) => [name, { grade, title: name }]));
  change({
    questions: read.map(({ question }) => question),
    marks: Object.fromEntries(read.map((own) => [own.question, marksOf(own)])),
  });
}
