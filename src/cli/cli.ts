#!/usr/bin/env node
/** The command line `knowledge-retrieval`: commands for people and commands for the operator. Each has --help. */
import { Command, CommanderError } from 'commander';
import manifest from 'knowledge-retrieval/package.json' with { type: 'json' };
import { findMistypedSettings, goDirectlyToThisMachine } from '../config/config.ts';
import { describeMistyped } from '../config/setting-names.ts';
import { failWithoutOutput, note, toVisible } from '../terminal/terminal.ts';
import { addExamples } from './examples.ts';
import { explainError } from './explain-error.ts';
import { serve } from './serve.ts';

const program = new Command('knowledge-retrieval')
  .description(
    'Knowledge retrieval: stores files and texts, and finds the passages that answer a question.\n' +
      'Settings come from the environment; docs/settings.md lists them.',
  )
  .version(manifest.version);

/** These commands report mistyped setting names themselves. */
const REPORTS_MISTYPED_SETTINGS = ['serve', 'doctor'];

failWithoutOutput();
goDirectlyToThisMachine();

program.hook('preAction', (_program, command) => {
  if (REPORTS_MISTYPED_SETTINGS.includes(command.name())) return;
  for (const mistyped of findMistypedSettings()) note(describeMistyped(mistyped));
});

/**
 * Loads only what the command line may need: a server keeps what it loads, and with a server's code others are slow.
 */
async function addCommands(): Promise<void> {
  if (process.argv[2] === serve.name()) {
    program.addCommand(serve);
    return;
  }
  const { addPeopleCommands } = await import('./people/people-commands.ts');
  addPeopleCommands(program);
  if (program.commands.some((command) => command.name() === process.argv[2])) return;
  const { addOperatorCommands } = await import('./operators/operator-commands.ts');
  addOperatorCommands(program);
}

/** `nonsense --help` names the unknown command, as `nonsense` does. Commander would show the help of all. */
function requireKnown({ command }: { command: Command }): string {
  const [name = '-'] = command.args;
  if (command.commands.length > 0 && !name.startsWith('-') && name !== 'help')
    command.parse([name], { from: 'user' });
  return '';
}

await addCommands();
addExamples(program);
program.addHelpText('beforeAll', requireKnown);

/** Ends a command that has failed. Commander has printed its own errors already. */
function fail(error: unknown): void {
  if (!(error instanceof Error)) throw error;
  const isPrinted = error instanceof CommanderError;
  if (!isPrinted) note(toVisible(explainError(error)));
  process.exitCode = isPrinted ? error.exitCode : 1;
}

await program.parseAsync().catch(fail);
