#!/usr/bin/env node
/** The command line `knowledge-retrieval`: commands for people, and those of the operator. Each has --help. */
import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { findMistypedSettings } from '../config/config.ts';
import { describeMistyped } from '../config/setting-names.ts';
import { type ServeOptions, serveCommand } from '../serve/serve-command.ts';
import { failWithoutOutput, tell } from '../terminal.ts';
import { accounts } from './account-commands.ts';
import { completion } from './completion/completion-command.ts';
import { documents } from './document-commands.ts';
import { explainError } from './explain-error.ts';
import { importCommand } from './import/import-command.ts';
import { keys } from './key-commands.ts';
import { knowledgeBases } from './knowledge-base-commands.ts';
import { backup, doctor, fsck, migrate, restore } from './maintenance-commands.ts';
import { mcp } from './mcp-command.ts';
import { search } from './search-command.ts';
import { usage } from './usage-command.ts';

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

program.commandsGroup('Commands for people, with any server:');
for (const command of [importCommand, search, knowledgeBases, documents, usage, mcp])
  program.addCommand(command);

program.commandsGroup("The operator's commands, in the server's directory and with its settings:");
program.addCommand(
  serveCommand('serve').action(async (options: ServeOptions) => {
    const { run } = await import('../main.ts');
    await run(options);
  }),
);

for (const command of [migrate, doctor, fsck, backup, restore, keys, accounts]) program.addCommand(command);
program.commandsGroup('For your shell:').addCommand(completion);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  tell(explainError(error));
  process.exitCode = 1;
}
