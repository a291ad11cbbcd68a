/** The command that compares the ways to find, by a person's own questions. */
import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { KnowledgeBase } from '../../../generated/types.gen.ts';
import type { KnowledgeRetrieval } from '../../client/client.ts';
import { type Answered, compareWays, toAnswer } from '../../evaluation/compare-ways.ts';
import { type OwnQuestion, QuestionsError, readQuestions } from '../../evaluation/own-questions.ts';
import { describeNotes, describeVerdict } from '../../evaluation/verdict.ts';
import { askEachWay, PASSAGES, WAY_NAMES, WAYS } from '../../evaluation/ways.ts';
import { pluralise } from '../../terminal/formats.ts';
import { showProgress } from '../../terminal/progress.ts';
import { note, printJson } from '../../terminal/terminal.ts';
import { reasonOf } from '../../terms/problem.ts';
import { CommandError, collect, type JsonOption, withJson } from '../options.ts';
import { requireKnowledgeBase } from '../service/find-knowledge-base.ts';
import { connect, type RemoteOptions, withRemote } from '../service/remote-service.ts';
import { toSvg } from './comparison-svg.ts';
import { findNamedDocuments, type JudgedQuestion } from './named-documents.ts';
import { readTable } from './read-table.ts';
import { showComparison, showQuestions } from './show-comparison.ts';

export type EvaluateOptions = RemoteOptions & JsonOption & { kb?: string[]; svg?: string; each?: boolean };

/** The most knowledge bases that a query can name. */
const KNOWLEDGE_BASES_MAX = 100;

type AnsweredQuestion = Answered & { question: string };

/** Asks every question in each way, one request at a time, so that their times can be compared. */
async function askAll(
  client: KnowledgeRetrieval,
  questions: JudgedQuestion[],
  knowledgeBaseIds: string[],
): Promise<AnsweredQuestion[]> {
  const progress = showProgress('asking', questions.length);
  const answered: AnsweredQuestion[] = [];
  for (const { question, grades } of questions) {
    const asked = await askEachWay(WAY_NAMES, answered.length, async (way) => {
      const { request } = WAYS[way];
      return await client.query({
        query: question,
        knowledgeBaseIds,
        limit: PASSAGES,
        fields: ['document_id'],
        ...request,
      });
    });
    const answers = new Map([...asked].map(([way, each]) => [way, toAnswer(each)]));
    answered.push({ question, grades, answers });
    progress.advance(1);
  }
  progress.end();
  return answered;
}

async function readSearched(
  client: KnowledgeRetrieval,
  names: string[] | undefined,
): Promise<KnowledgeBase[]> {
  if (names !== undefined) return await Promise.all(names.map((name) => requireKnowledgeBase(client, name)));
  const all: KnowledgeBase[] = [];
  for await (const knowledgeBase of client.listKnowledgeBases()) all.push(knowledgeBase);
  if (all.length > KNOWLEDGE_BASES_MAX)
    throw new CommandError(`There are ${all.length} knowledge bases: name those of the questions by --kb.`);
  return all;
}

/** @throws sentences with the lines of the file */
const inFile = (path: string, error: unknown): unknown =>
  error instanceof QuestionsError ? new CommandError(`${path}:\n${error.message}`) : error;

async function readOwn(path: string): Promise<OwnQuestion[]> {
  const text = await readTable(path);
  try {
    return readQuestions(text);
  } catch (error) {
    throw inFile(path, error);
  }
}

/** Compares the ways by the questions in this file, and prints what to take. */
export async function evaluateOwn(
  path: string,
  { kb, json, svg, each, ...remote }: EvaluateOptions,
): Promise<void> {
  const own = await readOwn(path);
  const client = await connect(remote);
  const searched = await readSearched(client, kb);
  const questions = await findNamedDocuments(client, own, searched).catch((error) => {
    throw inFile(path, error);
  });
  note(`${pluralise(questions.length, 'question')}, each asked in ${WAY_NAMES.length} ways.`);
  const answered = await askAll(
    client,
    questions,
    searched.map(({ id }) => id),
  );
  const comparison = compareWays(answered);
  if (comparison === undefined) throw new CommandError('Nothing was compared.');
  if (json) {
    for (const row of comparison.rows) printJson(row);
    printJson({ verdict: describeVerdict(comparison), notes: describeNotes(comparison) });
  } else {
    if (each) await showQuestions(answered, comparison);
    await showComparison(comparison);
  }
  if (svg !== undefined) await writePicture(svg, toSvg(comparison));
}

const writePicture = (path: string, picture: string): Promise<void> =>
  writeFile(path, picture).catch((error) => {
    throw new CommandError(`The picture could not be written: ${reasonOf(error)}`);
  });

/** Adds what `evaluateOwn` reads to a command. */
export const withEvaluateOptions = (command: Command): Command =>
  withRemote(command)
    .option('--kb <name>', 'only in this knowledge base, by name or id; may be repeated', collect)
    .option('--svg <file>', 'also write a picture of the comparison to this file')
    .option('--each', 'also show each question: at which place its first right document is');

export const evaluate = withJson(
  withEvaluateOptions(new Command('evaluate')),
  'print JSON, one line for each way',
)
  .description('find out by your own questions whether words, meaning or both find the right documents')
  .argument(
    '<file>',
    'a table (CSV) with the columns question, document (title, file name, externalId or id) and, if you like, grade: ' +
      '0 to 100, by default 1. A question with several documents has a line for each. - is standard input',
  )
  .action(evaluateOwn);
