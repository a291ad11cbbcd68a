/** The arguments of a start. */
import { Command } from 'commander';

/** `worker`: true: only import files; false: only answer API requests; undefined: both. */
export type ServeOptions = { worker?: boolean };

const EXCLUSIVE = ['--worker', '--no-worker'];

/** The command, without its action. A wrong argument ends the process with a sentence and the help text. */
export const serveCommand = (): Command =>
  new Command('serve')
    .description('start the server; its settings are environment variables: docs/settings.md lists them')
    .option('--worker', 'only import files, for the servers of the same database; answer no API requests')
    .option('--no-worker', 'only answer API requests; workers (--worker) import the files')
    .showHelpAfterError()
    .hook('preAction', (command) => {
      const areAllGiven = EXCLUSIVE.every((option) => process.argv.includes(option));
      if (areAllGiven) command.error(`error: ${EXCLUSIVE.join(' and ')} exclude each other.`);
    });
