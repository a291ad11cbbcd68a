/** The command `npm run benchmark -- large`. */
import { Command } from 'commander';
import { readCount, readCounts } from '../../arguments.ts';
import { runReports } from '../measuring/printing.ts';
import { measureLarge } from './large.ts';

const PASSAGES = 1_000_000;
const KNOWLEDGE_BASES = [1, 1_000];
const SECONDS = 30;

type Options = { passages: number; knowledgeBases: number[]; data?: string; seconds: number; json?: string };

const HELP = `
Takes about an hour for a million passages, and 5 GB of disk for each million and each of the --knowledge-bases; with
--data, the folder keeps as much, and each run works on a copy.

Example:
  npm run benchmark -- large --passages 1_000_000 --knowledge-bases 1 --data /var/tmp/corpora
`;

/** Measures what a million passages take. */
export function createLargeCommand(): Command {
  return new Command('large')
    .showHelpAfterError()
    .description(
      'Measures import, start, searches, deletions, backup, restore and vacuum of a large service.',
    )
    .option('--passages <N>', 'their number', readCount, PASSAGES)
    .option('--knowledge-bases <N,...>', 'spread over as many, in turn', readCounts, KNOWLEDGE_BASES)
    .option('--data <folder>', 'keep the imported corpora here, for further runs')
    .option('--seconds <N>', 'duration of each loop of queries', readCount, SECONDS)
    .option('--json <file>', 'also write all figures to this file')
    .addHelpText('after', HELP)
    .action(async ({ json, ...options }: Options) => {
      const plan = { ...options, data: options.data };
      await runReports([{ name: 'large', measure: (report) => measureLarge(report, plan) }], json);
    });
}
