/**
 * The command that prints scripts for completion. A program that is asked at each key, as by @bomb.sh/tab, takes half a
 * second to start.
 */
import { Argument, Command } from 'commander';
import { readTree } from './command-tree.ts';
import { COMPLETIONS, type Shell } from './completion-scripts.ts';

export const completion = new Command('completion')
  .description('print a script that completes commands and options in a shell')
  .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(COMPLETIONS)))
  .action((shell: Shell, _options: object, command: Command) => {
    process.stdout.write(COMPLETIONS[shell].write(readTree(command.parent ?? command)));
  });
