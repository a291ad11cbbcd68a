/**
 * `npm run benchmark -- [part…] [option…]`: measures newly started services and compares the figures with their
 * targets.
 */
import { Argument } from 'commander';
import { interruptServices } from '../../contract-tests/harness/service/service-process.ts';
import { readCount, readCounts, scriptCommand } from '../arguments.ts';
import { measureBulkImport } from './import/bulk-import.ts';
import { measureFileImport } from './import/file-import.ts';
import { measureFileUpload } from './import/file-upload.ts';
import { measureShortTexts } from './import/short-texts.ts';
import { measureTextImport } from './import/text-import.ts';
import { createLargeCommand } from './large/command.ts';
import { createLoadCommand } from './load/command.ts';
import type { Report } from './measuring/figures.ts';
import { runReports } from './measuring/printing.ts';
import { measureShapes } from './search/knowledge-base-shapes.ts';
import { measureSearchTime } from './search/search-time.ts';
import { measureVectors } from './search/with-vectors.ts';
import { measureIdleMemory } from './server/idle-memory.ts';
import { measureNeighbours } from './server/neighbours.ts';
import { measureOverloadShare } from './server/overload.ts';
import { measureRequestRate } from './server/request-rate.ts';
import { measureStartTime } from './server/start-time.ts';
import { measureFaults } from './vectors/faults.ts';
import { measureVectorSizes } from './vectors/sizes.ts';

/** Options of the command line for parts that make a corpus; undefined where missing. */
type Options = { passages: number[] | undefined; queries: number | undefined; files: number | undefined };
type Part = { about: string; measure(report: Report, options: Options): Promise<void> };

/** The default size, for search in the default set and for the comparisons. */
const FEW_PASSAGES = [10_000];
const FEW_QUERIES = 300;
const MANY_PASSAGES = [10_000, 150_000];
const COMPARED_PASSAGES = [150_000];
const QUERIES = 1_000;
const BULK_FILES = 10_000;
/** Fewer queries than for search: several shapes answer each one. */
const COMPARED_QUERIES = 200;

const withoutCorpus: Record<string, Part> = {
  get: { about: 'requests a second of reading operations', measure: measureRequestRate },
  import: { about: 'the largest text, and its effect on others', measure: measureTextImport },
  texts: { about: 'short texts a second, and what each costs', measure: measureShortTexts },
  start: { about: 'from the start to the first answer', measure: measureStartTime },
  upload: { about: 'the largest file', measure: measureFileUpload },
};

const withCorpus: Record<string, Part> = {
  search: {
    about: `import and search of ${MANY_PASSAGES.join(' and ')} passages`,
    measure: (report, { passages = MANY_PASSAGES, queries = QUERIES }) =>
      measureSearchTime(report, { passages, queries }),
  },
  shapes: {
    about: `the same ${COMPARED_PASSAGES.join()} passages in 1, 100 and 1,000 knowledge bases, and options of queries`,
    measure: (report, { passages = COMPARED_PASSAGES, queries = COMPARED_QUERIES }) =>
      measureShapes(report, { passages, queries }),
  },
};

const parts: Record<string, Part> = {
  ...withoutCorpus,
  idle: { about: 'memory of a server without work, and its first answers', measure: measureIdleMemory },
  files: {
    about: 'bombs, many small files, a long PDF and the largest text, and their effect on others',
    measure: measureFileImport,
  },
  bulk: {
    about: 'many small files by the command and in three requests, a second, and queries of another account',
    measure: (report, { files = BULK_FILES }) => measureBulkImport(report, { files }),
  },
  overload: {
    about: 'good answers, refusals and memory at ten times the searches that can be answered',
    measure: measureOverloadShare,
  },
  neighbours: {
    about: 'the effect of one account on another one',
    measure: measureNeighbours,
  },
  faults: {
    about: 'queries while a model fails in many ways, and right after a start while it hangs',
    measure: (report, { queries = COMPARED_QUERIES }) => measureFaults(report, { queries }),
  },
  vectors: {
    about:
      'import, search, storage and memory without word vectors and with them; with --passages, vectors of a model, ' +
      'also with pgvector, if PGVECTOR_PATH is set',
    measure: (report, { passages, queries = COMPARED_QUERIES }) =>
      passages === undefined
        ? measureVectors(report, { queries })
        : measureVectorSizes(report, { passages, queries }),
  },
  ...withCorpus,
};

/** The default parts. They must end within five minutes, hence a small corpus and few queries. */
const DEFAULT_PARTS = [...Object.keys(withoutCorpus), 'search'];

const few = `${DEFAULT_PARTS.join(', ')} (${FEW_QUERIES} queries to ${FEW_PASSAGES.join()} passages)`;

type CommandOptions = Partial<Options> & { json?: string };

const command = scriptCommand('benchmark')
  .description(`Without a part: ${few}, within five minutes on two cores of its own.`)
  .enablePositionalOptions()
  .addArgument(new Argument('[part...]').choices(Object.keys(parts)))
  .option(
    '--passages <N,...>',
    `sizes of the corpora of ${[...Object.keys(withCorpus), 'vectors'].join(', ')}`,
    readCounts,
  )
  .option(
    '--queries <N>',
    `queries of each of them, by default ${QUERIES} of search, ${COMPARED_QUERIES} of the others`,
    readCount,
  )
  .option(
    '--files <N>',
    `Markdown files of bulk, by default ${BULK_FILES}, and at most as many of its other kinds`,
    readCount,
  )
  .option('--json <file>', 'also write all figures to this file')
  .addHelpText('after', () => `\nParts:\n${describeParts()}`)
  .action(async (names: string[], { json, ...options }: CommandOptions) => {
    const isDefault = names.length === 0;
    const sizes = {
      passages: isDefault ? FEW_PASSAGES : undefined,
      queries: isDefault ? FEW_QUERIES : undefined,
      files: undefined,
      ...options,
    };
    const wanted = isDefault ? DEFAULT_PARTS : names;
    const chosen = Object.entries(parts).filter(([name]) => wanted.includes(name));
    const measured = chosen.map(([name, { measure }]) => ({
      name,
      measure: (report: Report) => measure(report, sizes),
    }));
    await runReports(measured, json);
  })
  .addCommand(createLargeCommand())
  .addCommand(createLoadCommand());

const describeParts = (): string =>
  Object.entries(parts)
    .map(([name, { about }]) => `  ${name.padEnd(12)}${about}\n`)
    .join('');

try {
  process.once('SIGINT', interruptServices).once('SIGTERM', interruptServices);
  await command.parseAsync();
} catch (error) {
  // The cause of a failed request explains more.
  const cause = error instanceof Error && error.cause !== undefined ? ` (${error.cause})` : '';
  process.stderr.write(`${error instanceof Error ? error.message : error}${cause}\n`);
  process.exitCode = 1;
}
