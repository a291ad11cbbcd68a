/** The commands that run in the server's directory and with its settings, and the commands for agents and shells. */
import type { Command } from 'commander';
import { completion } from '../completion/completion-command.ts';
import { serve } from '../serve.ts';
import { status } from '../status/status-command.ts';
import { accounts } from './account-commands.ts';
import { keys } from './key-commands.ts';
import { backup, doctor, fsck, migrate, restore } from './maintenance-commands.ts';
import { mcp } from './mcp-command.ts';

/** Adds them to the program. `mcp` belongs to the group before them. */
export function addOperatorCommands(program: Command): void {
  program.addCommand(mcp);
  program.commandsGroup("The operator's commands, in the server's directory and with its settings:");
  for (const command of [serve, status, doctor, migrate, fsck, backup, restore, keys, accounts])
    program.addCommand(command);
  program.commandsGroup('For your shell:').addCommand(completion);
}
