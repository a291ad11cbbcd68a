/**
 * The command that prints scripts for completion. They hold all commands and options: a program that is asked at each
 * key, as by @bomb.sh/tab, takes half a second to start.
 */
import { Argument, Command } from 'commander';
import { writeBash } from './bash.ts';
import { readTree, type TreeNode } from './command-tree.ts';
import { writeFish } from './fish.ts';
import { writeZsh } from './zsh.ts';

const WRITERS = { bash: writeBash, zsh: writeZsh, fish: writeFish } satisfies Record<
  string,
  (program: TreeNode) => string
>;

type Shell = keyof typeof WRITERS;

export const completion = new Command('completion')
  .description('print a script that completes commands and options in a shell')
  .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(WRITERS)))
  .action((shell: Shell, _options: object, command: Command) => {
    process.stdout.write(WRITERS[shell](readTree(command.parent ?? command)));
  });
