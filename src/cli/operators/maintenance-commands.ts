/** The commands that check, update and save a deployment. They load their code when they run. */
import { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { distribute, isDistributed } from '../../database/distribution/distribution.ts';
import { openFiles } from '../../serve/open-files.ts';
import { pluralise } from '../../terminal/formats.ts';
import { note, print, printJson } from '../../terminal/terminal.ts';
import type { Problem } from '../../terms/problem.ts';
import { type JsonOption, withJson } from '../options.ts';
import { onDatabase } from './on-database.ts';

type Counts = { problems: number; warnings?: number };

/** Prints the last line of a checking command. The exit status is 1 after problems, but not after warnings. */
function conclude({ problems, warnings = 0 }: Counts, json: boolean | undefined): void {
  if (json) printJson({ summary: { problems, warnings } });
  else print(pluralise(problems, 'problem') + (warnings > 0 ? `, ${pluralise(warnings, 'warning')}` : ''));
  if (problems > 0) process.exitCode = 1;
}

export const migrate = withJson(new Command('migrate'))
  .description("update the database to this version's schema")
  .option(
    '--distribute',
    'distribute the content over the workers of a Citus coordinator, by knowledge base; servers may run meanwhile',
  )
  .action(({ json, distribute: isToDistribute }: JsonOption & { distribute?: boolean }) =>
    onDatabase(async (database) => {
      if (isToDistribute) await distribute(database, note);
      const isSpread = isToDistribute || (await isDistributed(database));
      if (json) printJson({ isUpToDate: true, isDistributed: isSpread });
      else print(`The schema is up to date${isSpread ? ', and the content is distributed by Citus' : ''}.`);
    }),
  );

type FsckOptions = JsonOption & { repair?: boolean; acceptLostFiles?: boolean };

export const fsck = withJson(new Command('fsck'), 'print JSON: one line for each problem, then a summary')
  .description('check all stored data: counters against a recount, files against their rows')
  .option(
    '--repair',
    'correct counters, remove objects without a row, and clear uploads whose object is missing',
  )
  .option(
    '--accept-lost-files',
    "list a store's missing files as lost, although it has hardly any; from then on servers start with it",
  )
  .action(async ({ json, repair = false, acceptLostFiles }: FsckOptions) => {
    const { checkStore } = await import('../../admin/check-store.ts');
    await onDatabase(async (database) => {
      const config = readConfig();
      const files = await openFiles(config);
      let problems = 0;
      for await (const problem of checkStore({ database, files, config, repair, acceptLostFiles })) {
        if (json) printJson({ problem });
        else print(problem);
        problems += 1;
      }
      conclude({ problems }, json);
      if (problems > 0 && !repair)
        note('`npx knowledge-retrieval fsck --repair` corrects as much as possible.');
    });
  });

export const backup = withJson(new Command('backup'))
  .description('copy a snapshot of database and files into one file; servers may run meanwhile')
  .argument('<path>', 'the file to create, or its directory')
  .action(async (target: string, { json }: JsonOption) => {
    const { backUp } = await import('../../admin/backup/back-up.ts');
    const path = await backUp(readConfig(), target, note);
    if (json) printJson({ path });
    else print(path);
  });

export const restore = withJson(new Command('restore'), 'print JSON: a summary')
  .description('restore a backup into an empty database and DATA_DIR, while no server runs on them')
  .argument('<file>', 'a file created by `backup`')
  .action(async (file: string, { json }: JsonOption) => {
    const { restore: restoreBackup } = await import('../../admin/backup/restore.ts');
    conclude({ problems: await restoreBackup(readConfig(), file, note) }, json);
  });

function printFinding(part: string, problems: Problem[]): void {
  if (problems.length === 0) print(`ok     ${part}`);
  for (const { problem, remedy, isWarning } of problems)
    print(`${isWarning ? 'warn ' : 'WRONG'}  ${part}: ${problem}\n       ${remedy}`);
}

export const doctor = withJson(new Command('doctor'), 'print JSON: one line for each part, then a summary')
  .description(
    'check settings, disk, database, files, jobs and server, and print each problem with its remedy; ' +
      'after warnings only, the exit status is 0',
  )
  .option('--no-server', 'skip the checks of a running server')
  .action(async ({ json, server }: JsonOption & { server: boolean }) => {
    const { examine } = await import('../../admin/doctor/doctor.ts');
    const found: Problem[] = [];
    for await (const { part, problems } of examine({ server })) {
      if (json) printJson({ part, problems });
      else printFinding(part, problems);
      found.push(...problems);
    }
    const warnings = found.filter(({ isWarning }) => isWarning).length;
    conclude({ problems: found.length - warnings, warnings }, json);
  });
