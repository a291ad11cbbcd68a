/** The arguments of a start: `npm start` and `knowledge-retrieval serve` take the same. */
import { Command } from 'commander';

/** `worker`: only import files; false: leave that to such processes; undefined: both, import files and answer. */
export type ServeOptions = { worker?: boolean };

const EXCLUSIVE = ['--worker', '--no-worker'];

/** The command, without its action. A wrong argument ends the process with a sentence and the help text. */
export const serveCommand = (name: string): Command =>
  new Command(name)
    .description('start the server; its settings are environment variables: the table in README.md')
    .option('--worker', 'only import files, beside a server on the same database, and answer no requests')
    .option('--no-worker', 'only answer requests, and leave imports to processes with --worker')
    .showHelpAfterError()
    .hook('preAction', (command) => {
      const areAllGiven = EXCLUSIVE.every((option) => process.argv.includes(option));
      if (areAllGiven) command.error(`error: ${EXCLUSIVE.join(' and ')} exclude each other.`);
    });
