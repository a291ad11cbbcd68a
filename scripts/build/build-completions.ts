/** Writes the scripts for completion in all shells, which the package holds. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { readTree } from '../../src/cli/completion/command-tree.ts';
import { COMPLETIONS } from '../../src/cli/completion/completion-scripts.ts';
import { addOperatorCommands } from '../../src/cli/operators/operator-commands.ts';
import { addPeopleCommands } from '../../src/cli/people/people-commands.ts';

/** Writes them into a new folder. */
export function buildCompletions(folder: string): void {
  const program = new Command('knowledge-retrieval').version('');
  addPeopleCommands(program);
  addOperatorCommands(program);
  const tree = readTree(program);
  mkdirSync(folder);
  for (const { write, file } of Object.values(COMPLETIONS)) writeFileSync(join(folder, file), write(tree));
}
