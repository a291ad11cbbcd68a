/** The commands that people use with any server. They load none of the server's code. */
import type { Command } from 'commander';
import { checkCommand } from '../check-command.ts';
import { evaluate } from '../evaluate/evaluate-command.ts';
import { importCommand } from '../import/import-command.ts';
import { documents } from './document-commands.ts';
import { knowledgeBases } from './knowledge-base-commands.ts';
import { queries } from './query-commands.ts';
import { search } from './search-command.ts';
import { synonyms } from './synonym-commands.ts';
import { token } from './token-command.ts';
import { usage } from './usage-command.ts';
import { webhooks } from './webhook-commands.ts';

/** Adds them to the program. */
export function addPeopleCommands(program: Command): void {
  program.commandsGroup('Commands for people, with any server:');
  for (const command of [
    importCommand,
    search,
    evaluate,
    knowledgeBases,
    documents,
    synonyms,
    queries,
    webhooks,
    token,
    usage,
    checkCommand,
  ])
    program.addCommand(command);
}
