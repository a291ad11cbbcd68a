#!/usr/bin/env node
/** The command line `knowledge-retrieval`: commands for people, and those of the operator. Each has --help. */
import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { findMistypedSettings } from '../config/config.ts';
import { describeMistyped } from '../config/setting-names.ts';
import { failWithoutOutput, tell, toVisible } from '../terminal.ts';
import { addExamples } from './examples.ts';
import { explainError } from './explain-error.ts';
import { addPeopleCommands } from './people-commands.ts';

const program = new Command('knowledge-retrieval')
  .description(
    'Knowledge retrieval: stores files and texts, and finds the passages that answer a question.\n' +
      'Settings come from the environment; the README lists them.',
  )
  .version(manifest.version);

/** These commands report mistyped setting names themselves. */
const REPORTS_MISTYPED_SETTINGS = ['serve', 'doctor'];

failWithoutOutput();

program.hook('preAction', (_program, command) => {
  if (REPORTS_MISTYPED_SETTINGS.includes(command.name())) return;
  for (const mistyped of findMistypedSettings()) tell(describeMistyped(mistyped));
});

addPeopleCommands(program);
// With the code of the server the others take twice as long to start.
if (!program.commands.some((command) => command.name() === process.argv[2])) {
  const { addOperatorCommands } = await import('./operator-commands.ts');
  addOperatorCommands(program);
}
addExamples(program);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  tell(toVisible(explainError(error)));
  process.exitCode = 1;
}
