#!/usr/bin/env node
/** The command line `knowledge-retrieval`: commands for people, and those of the operator. Each has --help. */
import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { findMistypedSettings, readConfig } from '../config/config.ts';
import { describeMistyped } from '../config/setting-names.ts';
import type { Problem } from '../problem.ts';
import { openFiles } from '../serve/open-files.ts';
import { type ServeOptions, serveCommand } from '../serve/serve-command.ts';
import { failWithoutOutput, print, tell } from '../terminal.ts';
import { accounts, keys } from './account-commands.ts';
import { documents } from './document-commands.ts';
import { explainError } from './explain-error.ts';
import { pluralise } from './formats.ts';
import { importCommand } from './import/import-command.ts';
import { knowledgeBases } from './knowledge-base-commands.ts';
import { mcp } from './mcp-command.ts';
import { onDatabase } from './on-database.ts';
import { search } from './search-command.ts';
import { usage } from './usage-command.ts';

/** Prints the last line of a checking command. The exit status is 1 after problems, but not after warnings. */
function conclude(problems: number, warnings = 0): void {
  print(pluralise(problems, 'problem') + (warnings > 0 ? `, ${pluralise(warnings, 'warning')}` : ''));
  if (problems > 0) process.exitCode = 1;
}

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

program
  .command('migrate')
  .description("update the database to this version's schema")
  .action(() => onDatabase(async () => print('The schema is up to date.')));

program
  .command('fsck')
  .description('check all stored data: counters against a recount, files against their rows')
  .option(
    '--repair',
    'correct counters, remove objects without a row, and clear uploads whose object is missing',
  )
  .action(async ({ repair = false }: { repair?: boolean }) => {
    const { checkStore } = await import('../admin/check-store.ts');
    await onDatabase(async (database) => {
      const config = readConfig();
      const files = await openFiles(config);
      const { importTimeoutSeconds, importWaitSeconds } = config;
      let problems = 0;
      for await (const line of checkStore({
        database,
        files,
        importTimeoutSeconds,
        importWaitSeconds,
        repair,
      })) {
        print(line);
        problems += 1;
      }
      conclude(problems);
      if (problems > 0 && !repair)
        tell('`npx knowledge-retrieval fsck --repair` corrects as much as possible.');
    });
  });

program
  .command('backup')
  .description('copy a snapshot of database and files into one file; servers may run meanwhile')
  .argument('<path>', 'the file to create, or its directory')
  .action(async (path: string) => {
    const { backUp } = await import('../admin/backup/back-up.ts');
    print(await backUp(readConfig(), path, tell));
  });

program
  .command('restore')
  .description('restore a backup into an empty database and DATA_DIR, while no server runs on them')
  .argument('<file>', 'a file created by `backup`')
  .action(async (file: string) => {
    const { restore } = await import('../admin/backup/restore.ts');
    const problems = await restore(readConfig(), file, tell);
    conclude(problems);
  });

program
  .command('doctor')
  .description(
    'check settings, disk, database, files, jobs and server, and print each problem with its remedy; ' +
      'after warnings only, the exit status is 0',
  )
  .option('--no-server', 'skip the checks of a running server')
  .action(async ({ server }: { server: boolean }) => {
    const { examine } = await import('../admin/doctor/doctor.ts');
    const found: Problem[] = [];
    for await (const { part, problems } of examine({ server })) {
      if (problems.length === 0) print(`ok     ${part}`);
      for (const { problem, remedy, isWarning } of problems)
        print(`${isWarning ? 'warn ' : 'WRONG'}  ${part}: ${problem}\n       ${remedy}`);
      found.push(...problems);
    }
    const warnings = found.filter(({ isWarning }) => isWarning).length;
    conclude(found.length - warnings, warnings);
  });

program.addCommand(keys).addCommand(accounts);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  tell(explainError(error));
  process.exitCode = 1;
}
