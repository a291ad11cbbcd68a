/** The commands, arguments and options of the command line, as its own help knows them. */
import type { Argument, Command, Option } from 'commander';

/** What follows an option or a command: one of some words, a file, anything else, or nothing. */
export type Value = { kind: 'choices'; choices: readonly string[] } | { kind: 'file' | 'text' | 'none' };

export type CommandOption = { names: string[]; description: string; value: Value };

/** `path`: '' for the program, `/kb/list` for a command below a command. */
export type TreeNode = {
  path: string;
  name: string;
  description: string;
  options: CommandOption[];
  /** Of its first argument: the others are like it. */
  argument: Value;
  children: TreeNode[];
};

/** Arguments and values of these names are files. */
const FILE_NAMES = ['path', 'file', 'paths'];

const toValue = (name: string, choices: readonly string[] | undefined): Value => {
  if (choices !== undefined) return { kind: 'choices', choices };
  return { kind: FILE_NAMES.includes(name) ? 'file' : 'text' };
};

function toOption({ flags, long, short, argChoices, description }: Option): CommandOption {
  const [, value] = /[<[]([^>\].]+)/.exec(flags) ?? [];
  return {
    names: [long, short].filter((name) => name !== undefined && name !== null),
    description,
    value: value === undefined ? { kind: 'none' } : toValue(value, argChoices),
  };
}

const toArgument = (argument: Argument | undefined): Value =>
  argument === undefined ? { kind: 'none' } : toValue(argument.name(), argument.argChoices);

/** The tree below a command, without what its help hides. */
export function readTree(command: Command, path = ''): TreeNode {
  const help = command.createHelp();
  const children = help.visibleCommands(command).map((child) => readTree(child, `${path}/${child.name()}`));
  return {
    path,
    name: command.name(),
    description: help.subcommandDescription(command).split('\n')[0] ?? '',
    options: help.visibleOptions(command).map(toOption),
    argument: toArgument(command.registeredArguments[0]),
    children,
  };
}

/** A node and all below it. */
export const flatten = (node: TreeNode): TreeNode[] => [node, ...node.children.flatMap(flatten)];

/** Quotes a text for a shell: `it's` → `'it'\''s'` */
export const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
