/**
 * `npm run evaluate [-- [--json FILE] [--together | --small | --unanswered | --modes] [--misspelt LETTERS] [folder…]]`:
 * evaluates the quality of search.
 * Imports each test collection through the public API into a new service, runs its queries,
 * and prints the quality of the answers beside published BM25 figures.
 * With --together all collections share one knowledge base, like the documents of people who write several languages.
 * With --small they are cut to 10, 30, 100 and 300 documents. With --unanswered they are asked what they do not answer:
 * how well the best score tells (areas under the curve), and which `minScore` drops how many of these questions.
 * With --modes they are asked by words, by meaning and by both, of a service with word vectors, or with the model of
 * the environment (EMBEDDINGS_URL, EMBEDDINGS_MODEL …).
 *
 * `npm run evaluate -- --own FILE` compares words and meaning by one's own questions, at a running service: it is the
 * command `knowledge-retrieval evaluate FILE`, which installed packages have too.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import {
  createKnowledgeBase,
  type RunningService,
  withService,
} from '../../contract-tests/harness/service/service-process.ts';
import {
  type EvaluateOptions,
  evaluateOwn,
  withEvaluateOptions,
} from '../../src/cli/evaluate/evaluate-command.ts';
import { explainError } from '../../src/cli/explain-error.ts';
import { mean } from '../../src/evaluation/measures.ts';
import { note, toVisible } from '../../src/terminal/terminal.ts';
import { readFolder, scriptCommand } from '../arguments.ts';
import { areaUnderCurve, askPart, type BestScores, leastScoreKeeping, shareBelow } from './answerability.ts';
import { type Collection, type JudgedQuery, readCollection, sharedCollections } from './collection.ts';
import { answerQueries, type ImportedCorpus, importCorpus } from './collection-run.ts';
import { measureDocuments, measurePassages } from './measures.ts';
import { misspell } from './misspell.ts';
import { evaluateModes } from './modes.ts';
import { REFERENCE_NDCG10 } from './reference.ts';
import { cutCollection, SMALL_SIZES } from './small-bases.ts';

/** Languages of collections with others in the same language. */
const LANGUAGES: Record<string, string> = {
  ...Object.fromEntries(
    ['cacm', 'checkthat20', 'cranfield', 'financebench-a', 'pubmedqa', 'scifact', 'xquad-en'].map((name) => [
      name,
      'en',
    ]),
  ),
  ...Object.fromEntries(['cmrc-trial', 'xquad-zh'].map((name) => [name, 'zh'])),
};
/** Questions that a collection lends to each other one. */
const FOREIGN_MAX = 15;
/** The share of answered questions that the stated `minScore` is to keep. */
const KEPT_SHARE = 0.95;

function readErrors(given: string): number {
  if (/^[1-3]$/.test(given)) return Number(given);
  throw new InvalidArgumentError('It must be 1, 2 or 3.');
}

/** Reads a collection; with `--misspelt`, its queries have typing errors. */
function readQueried(folder: string): Collection {
  const collection = readCollection(folder);
  return misspelt === 0 ? collection : { ...collection, queries: misspell(collection.queries, misspelt) };
}

const readFolders = (path: string, before: string[] = []): string[] => [...before, readFolder(path)];

const command = withEvaluateOptions(scriptCommand('evaluate'))
  .description(
    'Imports test collections, each into a fresh service, and measures the answers to their queries.',
  )
  .argument('[folder...]', 'the collections; by default all beside the project', readFolders)
  .option('--json <file>', 'also write the figures to this file')
  .option(
    '--own <file>',
    'compare words and meaning by your own questions, at a running service: the command `evaluate`',
  )
  .option('--together', 'import all collections into one knowledge base')
  .option('--small', 'cut each collection to 10, 30, 100 and 300 documents')
  .option('--unanswered', 'ask each collection also what it does not answer')
  .option('--modes', 'by words, by meaning and by both, with word vectors or the model of EMBEDDINGS_URL')
  .option(
    '--misspelt <letters>',
    'with this many typing errors in the longest word of each query',
    readErrors,
  )
  .parse();
const {
  json,
  own,
  together,
  small,
  unanswered,
  modes,
  misspelt = 0,
} = command.opts<{
  json?: string;
  own?: string;
  together?: true;
  small?: true;
  unanswered?: true;
  modes?: true;
  misspelt?: number;
}>();

function foldersToEvaluate(): string[] {
  if (command.args.length > 0) return command.args;
  if (!existsSync(sharedCollections)) return [];
  return readdirSync(sharedCollections, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(sharedCollections, name));
}

const figure = (value: number | undefined) => (value === undefined ? '     -' : value.toFixed(4));

type Row = ReturnType<typeof measureDocuments> & {
  name: string;
  reference: number | undefined;
  passages?: ReturnType<typeof measurePassages>;
};

function printRow({ name, ndcg10, recall10, recall50, mrr10, reference, passages }: Row): void {
  const better =
    reference === undefined ? '' : `${((ndcg10 / reference - 1) * 100).toFixed(1).padStart(6)} %`;
  const columns = [ndcg10, reference, recall10, recall50, mrr10].map(figure).join('  ');
  process.stdout.write(`${name.padEnd(18)}  ${columns}  ${better}\n`);
  if (passages === undefined) return;
  const { recall, precision, iou, characters } = passages;
  process.stdout.write(
    `${' '.repeat(20)}excerpts in the top 5: recall ${figure(recall)}, precision ${figure(precision)}, ` +
      `IoU ${figure(iou)}, ${Math.round(characters)} characters returned\n`,
  );
}

/** The mean of the collections with a reference beside the references' mean, and the mean of their ratios. */
function printMeans(rows: Row[]): void {
  const compared = rows.flatMap(({ ndcg10, reference }) =>
    reference === undefined ? [] : [{ ndcg10, reference }],
  );
  if (compared.length < 2) return;
  const ndcg10 = mean(compared.map((row) => row.ndcg10));
  const reference = mean(compared.map((row) => row.reference));
  const ratios = compared.map((row) => row.ndcg10 / row.reference);
  const better = (ratio: number) => `${((ratio - 1) * 100).toFixed(1).padStart(6)} %`;
  process.stdout.write(
    `${'mean'.padEnd(18)}  ${figure(ndcg10)}  ${figure(reference)}${' '.repeat(26)}${better(ndcg10 / reference)}\n` +
      `${'mean of the ratios'.padEnd(60)}${better(mean(ratios))}, the lowest${better(Math.min(...ratios))}\n`,
  );
}

async function evaluateCollection(
  service: RunningService,
  collection: Collection,
  imported: ImportedCorpus,
): Promise<Row> {
  const { run, answers } = await answerQueries(service, collection, imported);
  const measures = measureDocuments(collection.qrels, run);
  const reference = REFERENCE_NDCG10[collection.name];
  const row: Row = { name: collection.name, ...measures, reference };
  if (collection.excerpts.size > 0) row.passages = measurePassages(collection.excerpts, answers);
  return row;
}

/** Each collection in its own service. Yields each row when it is ready. */
async function* evaluateAlone(folders: string[]): AsyncGenerator<Row> {
  for (const folder of folders) {
    const collection = readQueried(folder);
    yield await withService(async (service) =>
      evaluateCollection(service, collection, await importCorpus(service, collection)),
    );
  }
}

/** All collections in one knowledge base. A result from another collection counts as wrong. */
async function* evaluateTogether(folders: string[]): AsyncGenerator<Row> {
  const collections = folders.map(readQueried);
  yield* await withService(async (service) => {
    const knowledgeBaseId = await createKnowledgeBase(service, 'together');
    const imported: ImportedCorpus[] = [];
    for (const collection of collections) {
      imported.push(await importCorpus(service, collection, knowledgeBaseId));
    }
    const rows: Row[] = [];
    for (const [i, collection] of collections.entries()) {
      rows.push(await evaluateCollection(service, collection, imported[i] as ImportedCorpus)); // one each
    }
    return rows;
  });
}

/** nDCG@10 of each collection, cut to some numbers of documents. */
async function evaluateSmall(folders: string[]): Promise<void> {
  const bySize = new Map(SMALL_SIZES.map((size): [number, number[]] => [size, []]));
  process.stdout.write(
    `nDCG@10 of documents ${SMALL_SIZES.map((size) => String(size).padStart(6)).join('  ')}\n`,
  );
  await withService(async (service) => {
    for (const collection of folders.map(readQueried)) {
      const cells: (number | undefined)[] = [];
      for (const [size, figures] of bySize) {
        const part = cutCollection(collection, size);
        const row = part && (await evaluateCollection(service, part, await importCorpus(service, part)));
        if (row) figures.push(row.ndcg10);
        cells.push(row?.ndcg10);
      }
      process.stdout.write(`${collection.name.padEnd(20)} ${cells.map(figure).join('  ')}\n`);
    }
  });
  const summary = (name: string, of: (figures: number[]) => number) =>
    process.stdout.write(
      `${name.padEnd(20)} ${[...bySize.values()].map((figures) => figure(of(figures))).join('  ')}\n`,
    );
  summary('mean', mean);
  summary('least', (figures) => Math.min(...figures));
}

/** Questions of other collections in the same language, a few of each. */
const foreignTo = (own: Collection, all: Collection[]): JudgedQuery[] =>
  all
    .filter(
      (other) =>
        other !== own && LANGUAGES[other.name] !== undefined && LANGUAGES[other.name] === LANGUAGES[own.name],
    )
    .flatMap(({ queries }) => queries.slice(0, FOREIGN_MAX));

/** How well the best score tells whether a knowledge base answers a question. */
async function evaluateUnanswered(folders: string[]): Promise<void> {
  const collections = folders.map(readQueried);
  const all: BestScores = { answered: [], leftOut: [], foreign: [] };
  const areas: Record<'leftOut' | 'foreign', number[]> = { leftOut: [], foreign: [] };
  process.stdout.write(`${'area under the curve'.padEnd(20)} left out  of others\n`);
  await withService(async (service) => {
    for (const collection of collections) {
      const scores = await askPart(service, collection, foreignTo(collection, collections));
      for (const kind of ['answered', 'leftOut', 'foreign'] as const) all[kind].push(...scores[kind]);
      const cells = (['leftOut', 'foreign'] as const).map((kind) => {
        if (scores.answered.length === 0 || scores[kind].length === 0) return undefined;
        areas[kind].push(areaUnderCurve(scores.answered, scores[kind]));
        return areas[kind].at(-1);
      });
      process.stdout.write(`${collection.name.padEnd(20)}   ${cells.map(figure).join('    ')}\n`);
    }
  });
  process.stdout.write(
    `${'mean'.padEnd(20)}   ${figure(mean(areas.leftOut))}    ${figure(mean(areas.foreign))}\n`,
  );
  const least = leastScoreKeeping(all.answered, KEPT_SHARE);
  process.stdout.write(
    `minScore ${figure(least)} keeps ${KEPT_SHARE * 100} % of the answered questions, and drops ` +
      `${figure(shareBelow(all.leftOut, least))} of those left out, ` +
      `${figure(shareBelow(all.foreign, least))} of those of others.\n`,
  );
}

/** Prints errors as the command does: in a sentence. */
async function compareByOwn(file: string): Promise<void> {
  const { json: _, ...options } = command.opts<Omit<EvaluateOptions, 'json'> & { json?: string }>();
  await evaluateOwn(file, options).catch((error: Error) => {
    note(toVisible(explainError(error)));
    process.exitCode = 1;
  });
}

const folders = own === undefined ? foldersToEvaluate() : [];
if (own !== undefined) {
  await compareByOwn(own);
} else if (folders.length === 0) {
  process.stdout.write('There are no collections beside the project; name folders to evaluate.\n');
} else if (small) {
  await evaluateSmall(folders);
} else if (unanswered) {
  await evaluateUnanswered(folders);
} else if (modes) {
  await evaluateModes(folders.map(readQueried));
} else {
  process.stdout.write(`${'collection'.padEnd(18)}  nDCG@10    BM25    R@10    R@50  MRR@10   better\n`);
  const rows: Row[] = [];
  for await (const row of together ? evaluateTogether(folders) : evaluateAlone(folders)) {
    rows.push(row);
    printRow(row);
  }
  printMeans(rows);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(rows, null, 2)}\n`);
}
