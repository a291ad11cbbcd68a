/** The command `npm run benchmark -- load`. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readAddress } from '../../../src/cli/service/service-address.ts';
import { readCount, readCounts } from '../../arguments.ts';
import { describeMachine, print } from '../measuring/printing.ts';
import { type LoadPlan, measureLoad } from './load.ts';
import { formatResults, plotResults } from './report.ts';

const PASSAGES = [10_000];
const KNOWLEDGE_BASES = [1];
const CONNECTIONS = [1, 8];
const RATES = [20];
const SECONDS = 20;
const WARM_UP_SECONDS = 5;

type Options = {
  url?: string;
  key?: string;
  pids: number[];
  data?: string;
  questions?: string[];
  passages?: number[];
  knowledgeBases?: number[];
  connections?: number[];
  rate?: number[];
  importsPerSecond: number;
  seconds: number;
  warmUp: number;
  json?: string;
  plot?: string;
};

/** Reads the lines of a file that are not blank. */
function readLines(path: string): string[] {
  let lines: string[];
  try {
    lines = readFileSync(path, 'utf8').split(/\r?\n/);
  } catch (error) {
    throw new InvalidArgumentError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
  const questions = lines.filter((line) => line.trim() !== '');
  if (questions.length === 0) throw new InvalidArgumentError(`${path} has no line.`);
  return questions;
}

/** Reads a number above 0. */
function readRate(typed: string): number {
  const rate = Number(typed);
  if (Number.isFinite(rate) && rate > 0) return rate;
  throw new InvalidArgumentError(`${typed} is not a number above 0.`);
}

const readRates = (typed: string): number[] => typed.split(',').map(readRate);

const ascending = (numbers: number[]): number[] =>
  [...new Set(numbers)].toSorted((left, right) => left - right);

/** The loops to run: by default some of both kinds, otherwise only those that were asked for. */
function loopsOf({ connections, rate, seconds }: Options): LoadPlan['loops'] {
  const isDefault = connections === undefined && rate === undefined;
  const closed = connections ?? (isDefault ? CONNECTIONS : []);
  const open = rate ?? (isDefault ? RATES : []);
  return [
    ...closed.map((count) => ({ connections: count, seconds })),
    ...open.map((perSecond) => ({ perSecond, seconds })),
  ];
}

function planOf(options: Options, fail: (message: string) => never): LoadPlan {
  const { url, key, pids, questions, passages, knowledgeBases } = options;
  if (url !== undefined && !key) fail('error: an address needs a key, by --key or KNOWLEDGE_API_KEY.');
  if (url !== undefined && questions === undefined && passages === undefined)
    fail('error: say what to ask: --questions for what the account has, or --passages to import a corpus.');
  if (url === undefined && questions !== undefined)
    fail('error: a new service has no answers to --questions; give the --url of one that has.');
  const counts = ascending(knowledgeBases ?? KNOWLEDGE_BASES);
  return {
    place: url === undefined ? { data: options.data } : { address: url, apiKey: key ?? '', pids },
    sizes: counts.flatMap((count) =>
      ascending(passages ?? PASSAGES).map((size) => ({ passages: size, knowledgeBases: count })),
    ),
    questions,
    loops: loopsOf(options),
    warmUpSeconds: options.warmUp,
    importsPerSecond: options.importsPerSecond,
  };
}

async function run(plan: LoadPlan, { json, plot }: Options): Promise<void> {
  const machine = describeMachine();
  const progress = (text: string) => print(`… load: ${text}`);
  // The command `large` has the figures of imports.
  const results = await measureLoad({ progress, note: progress, figure: () => {} }, plan);
  print(formatResults(results));
  const { place, questions, ...measured } = plan;
  const report = {
    measuredAt: new Date().toISOString(),
    machine,
    plan: { ...measured, url: 'address' in place ? place.address : undefined, questions: questions?.length },
    results,
  };
  if (json !== undefined) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
  if (plot !== undefined) await writeFile(plot, plotResults(results));
}

const HELP = `
Closed loop: each connection sends its next query when the last one is answered. Open loop: queries are sent at a
fixed rate, whether or not earlier ones are answered, and their times count from when they were due; so a stall of the
deployment counts for every query that was due meanwhile. The same query is never sent twice, unless there are fewer
--questions than queries.

Without --url, a new service is started on this machine for each size, and removed afterwards; with --data, its corpus
is kept, and later runs begin with a copy of it. With --url, the corpus is imported into new knowledge bases, which are
deleted at the end, after Ctrl-C too; up to 100 of them are searched alone, more of them together with everything that
the key may search.

The cost is processor time where the programs are known, otherwise credits. A process that sends much more than a
thousand queries a second is busy itself: the report then says that it was the bottleneck.

Examples:
  npm run benchmark -- load --passages 10_000,1_000_000 --knowledge-bases 1,1_000 --plot latency.svg
  npm run benchmark -- load --url https://search.example.org --questions questions.txt --rate 50,100 --seconds 300
`;

/** Measures latency under load at any deployment. */
export function createLoadCommand(): Command {
  const command = new Command('load')
    .showHelpAfterError()
    .description('Puts a deployment under load over HTTP: times of answers, errors by code, and cost.')
    .option('--url <address>', 'the deployment; by default a new service', readAddress)
    .addOption(new Option('--key <key>', 'its key; a list of processes shows it').env('KNOWLEDGE_API_KEY'))
    .option(
      '--pids <N,...>',
      'its programs on this machine, servers and PostgreSQL, for the cost',
      readCounts,
      [],
    )
    .addOption(
      new Option('--questions <file>', 'ask these, one a line, about what the account has')
        .argParser(readLines)
        .conflicts(['passages', 'knowledgeBases']),
    )
    .option('--passages <N,...>', `sizes to import and measure (default: ${PASSAGES})`, readCounts)
    .option(
      '--knowledge-bases <N,...>',
      `spread over as many, in turn (default: ${KNOWLEDGE_BASES})`,
      readCounts,
    )
    .addOption(
      new Option(
        '--data <folder>',
        'keep the imported corpora of new services here, for further runs',
      ).conflicts('url'),
    )
    .option(
      '--connections <N,...>',
      `closed loops (default: ${CONNECTIONS}, unless --rate is given)`,
      readCounts,
    )
    .option('--rate <N,...>', `open loops, queries a second (default: ${RATES}, likewise)`, readRates)
    .option('--imports-per-second <N>', 'import documents of five passages beside the queries', readRate, 0)
    .option('--seconds <N>', 'duration of each loop', readCount, SECONDS)
    .option(
      '--warm-up <N>',
      'seconds of queries that do not count, before the loops of a size',
      readCount,
      WARM_UP_SECONDS,
    )
    .option('--json <file>', 'also write everything to this file')
    .option('--plot <file>', 'also plot the times as SVG: by size if there are several, else by second')
    .addHelpText('after', HELP);
  return command.action(async (options: Options) => {
    await run(
      planOf(options, (message) => command.error(message)),
      options,
    );
  });
}
