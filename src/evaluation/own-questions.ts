/** A person's own questions, each with the documents that answer it, as a table of a spreadsheet has them. */
import { type CsvRow, formatCsv, parseCsv } from './csv.ts';

/**
 * `name`: title, file name, `externalId` or id. `grade`: how well it answers; 0 is not at all. `line`: of the table.
 */
export type NamedDocument = { name: string; grade: number; line: number };
export type OwnQuestion = { question: string; documents: NamedDocument[] };

type Column = 'question' | 'document' | 'grade';

/** The longest query of the interface, in code points. */
const QUESTION_MAX = 8_192;
const GRADE_MAX = 100;
/** Each question is as many queries as there are ways to find. */
const QUESTIONS_MAX = 5_000;
/** Errors that are told at once: who corrects a table wants to see more than the first. */
const ERRORS_MAX = 10;

const HEADING = 'The first line must name the columns: question,document or question,document,grade.';

/** What is wrong with a table: a sentence a line. */
export class QuestionsError extends Error {
  /** @param problems at least one; the first ones are told */
  constructor(problems: readonly string[]) {
    const more = problems.length - ERRORS_MAX;
    super([...problems.slice(0, ERRORS_MAX), ...(more > 0 ? [`And ${more} more.`] : [])].join('\n'));
  }
}

/** `Line 7, column document: …` */
export const describeProblem = (line: number, column: Column, problem: string): string =>
  `Line ${line}, column ${column}: ${problem}`;

type Indexes = { question: number; document: number; grade: number };

function findColumns({ cells, line }: CsvRow): Indexes {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const indexOf = (column: Column) => names.indexOf(column);
  const found = { question: indexOf('question'), document: indexOf('document'), grade: indexOf('grade') };
  if (found.question < 0 || found.document < 0) throw new QuestionsError([`Line ${line}: ${HEADING}`]);
  return found;
}

/** `0,5` → .5; nothing → 1; what is none → undefined */
function readGrade(text: string): number | undefined {
  if (text === '') return 1;
  const grade = /^\d+([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
  return grade <= GRADE_MAX ? grade : undefined;
}

type Read = { question: string; document: NamedDocument } | { problem: string };

function readRow({ cells, line }: CsvRow, columns: Indexes): Read {
  const cell = (column: Column) => (cells[columns[column]] ?? '').trim();
  const question = cell('question');
  const name = cell('document').normalize('NFC');
  const grade = readGrade(cell('grade'));
  const problem = (column: Column, text: string) => ({ problem: describeProblem(line, column, text) });
  if (question === '') return problem('question', 'the question is missing.');
  const { length } = Array.from(question);
  if (length > QUESTION_MAX)
    return problem('question', `the question has ${length} characters; ${QUESTION_MAX} are the most.`);
  if (name === '') return problem('document', 'the document that answers the question is missing.');
  if (grade === undefined)
    return problem('grade', `"${cell('grade').slice(0, 40)}" is no number from 0 to ${GRADE_MAX}.`);
  return { question, document: { name, grade, line } };
}

/**
 * Reads a table with the columns `question`, `document` and, if it has one, `grade`; others do not matter. A question
 * with several documents has a row for each.
 * @throws {QuestionsError} sentences that name line and column
 */
export function readQuestions(text: string): OwnQuestion[] {
  const [heading, ...rows] = parseRows(text);
  if (heading === undefined) throw new QuestionsError([`The file is empty. ${HEADING}`]);
  const columns = findColumns(heading);
  const problems: string[] = [];
  const byQuestion = new Map<string, OwnQuestion>();
  for (const row of rows) {
    const read = readRow(row, columns);
    if ('problem' in read) {
      problems.push(read.problem);
      continue;
    }
    const { question, document } = read;
    const own = byQuestion.get(question) ?? { question, documents: [] };
    const before = own.documents.find(({ name }) => name === document.name);
    if (before === undefined) own.documents.push(document);
    else if (before.grade !== document.grade)
      problems.push(
        describeProblem(row.line, 'grade', `line ${before.line} has another grade for the same.`),
      );
    byQuestion.set(question, own);
  }
  const questions = [...byQuestion.values()];
  for (const { documents } of questions)
    if (documents[0] !== undefined && documents.every(({ grade }) => grade === 0))
      problems.push(
        describeProblem(documents[0].line, 'grade', 'no document answers this question: all have 0.'),
      );
  if (problems.length > 0) throw new QuestionsError(problems);
  if (questions.length === 0) throw new QuestionsError(['There are no questions below the first line.']);
  if (questions.length > QUESTIONS_MAX)
    throw new QuestionsError([`There are ${questions.length} questions; ${QUESTIONS_MAX} are the most.`]);
  return questions;
}

function parseRows(text: string): CsvRow[] {
  try {
    return parseCsv(text);
  } catch (error) {
    throw error instanceof SyntaxError ? new QuestionsError([error.message]) : error;
  }
}

/** A document of a written table: `title` is for people. */
export type WrittenDocument = { question: string; document: string; title: string; grade: number };

/** The table that `readQuestions` reads. */
export const writeQuestions = (documents: readonly WrittenDocument[]): string =>
  formatCsv([
    ['question', 'document', 'grade', 'title'],
    ...documents.map(({ question, document, grade, title }) => [question, document, String(grade), title]),
  ]);
